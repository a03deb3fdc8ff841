from django.apps import AppConfig


class WayInConfig(AppConfig):
    name = "parts.way_in"
