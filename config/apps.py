from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register

from config.error_reports import report_errors
from config.triggers import check_triggers


class InterraterConfig(AppConfig):
    name = "config"
    verbose_name = "installation"

    def ready(self) -> None:
        register(check_triggers, Tags.database)
        if settings.SENTRY_DSN:
            report_errors(settings.SENTRY_DSN)
