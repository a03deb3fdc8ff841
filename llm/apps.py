from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, register
from django.utils.module_loading import import_string

CHECK = "llm.system_checks.check_endpoints"
"""By name: what reads the file of endpoints is loaded by `manage.py check`, and not by every command."""


def check_endpoints(**options: Any) -> list[CheckMessage]:
    """Return what is wrong with the file of endpoints."""
    found: list[CheckMessage] = import_string(CHECK)(**options)
    return found


class LlmConfig(AppConfig):
    name = "llm"
    verbose_name = "Language models"

    def ready(self) -> None:
        register(check_endpoints)
