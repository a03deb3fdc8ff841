from django.apps import AppConfig
from django.core.checks import Tags, register

import config.celery  # noqa: F401  every process wakes workers through this application
from config.triggers import check_triggers


class InterraterConfig(AppConfig):
    name = "config"
    verbose_name = "installation"

    def ready(self) -> None:
        register(check_triggers, Tags.database)
