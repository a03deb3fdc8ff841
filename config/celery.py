"""The Celery application, which only wakes workers. The queue is in the database (`config.background`)."""

import os
import sys
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["files"] = "config.file_broker:Transport"

app = Celery("interrater", include=["config.background.messages"])
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize  # or each row of work would begin and end with a new connection
app.steps["worker"].add("config.background.worker_upkeep:WorkerUpkeep")


@setup_logging.connect
def keep_logging(**about: Any) -> None:
    """Keep Celery from setting up logging: Django has done so, and Celery leaves it alone if this is connected."""
