from django.apps import AppConfig


class PreparingConfig(AppConfig):
    name = "parts.preparing"
