from django.apps import AppConfig
from django.core.checks import Tags, register

from config.triggers import check_triggers


class InterraterConfig(AppConfig):
    name = "config"
    verbose_name = "installation"

    def ready(self) -> None:
        register(check_triggers, Tags.database)
