from django.apps import AppConfig


class StoppingConfig(AppConfig):
    name = "parts.stopping"
