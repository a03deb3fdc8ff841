from django.apps import AppConfig


class OtherToolsConfig(AppConfig):
    name = "parts.other_tools"
