from django.apps import AppConfig


class PreregistrationConfig(AppConfig):
    name = "parts.preregistration"
