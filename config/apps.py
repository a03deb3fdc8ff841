from django.apps import AppConfig

import config.celery  # noqa: F401  every process wakes workers by this application


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "installation"
