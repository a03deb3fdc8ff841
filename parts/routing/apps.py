from django.apps import AppConfig


class RoutingConfig(AppConfig):
    name = "parts.routing"
