from django.apps import AppConfig


class SecondStageConfig(AppConfig):
    name = "parts.second_stage"
