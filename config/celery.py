"""The Celery application: what wakes workers. What is to be done stands in the database (`config.background`)."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["files"] = "config.file_broker:Transport"

app = Celery("interrater", include=["config.background.tasks"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].add("config.background.keeping:Keeper")


@setup_logging.connect
def keep_logging(**about: Any) -> None:
    """Being connected keeps Celery from setting up logging of its own: Django has done it."""
