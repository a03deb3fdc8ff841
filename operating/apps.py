from typing import Any

from django.apps import AppConfig
from django.core.checks import CheckMessage, Tags, register
from django.utils.module_loading import import_string

CHECK = "operating.surroundings.check_surroundings"
"""By name: only `check --deploy`, the admin's first page and the start of the web server load it."""


def check_surroundings(**options: Any) -> list[CheckMessage]:
    """Return what operators should change around the program."""
    found: list[CheckMessage] = import_string(CHECK)(**options)
    return found


class OperatingConfig(AppConfig):
    name = "operating"
    verbose_name = "Operating"

    def ready(self) -> None:
        register(check_surroundings, Tags.compatibility, deploy=True)
