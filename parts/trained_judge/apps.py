from django.apps import AppConfig


class TrainedJudgeConfig(AppConfig):
    name = "parts.trained_judge"
