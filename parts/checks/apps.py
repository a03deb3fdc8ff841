from django.apps import AppConfig


class ChecksConfig(AppConfig):
    name = "parts.checks"
