from django.apps import AppConfig


class RaterMessagesConfig(AppConfig):
    name = "parts.rater_messages"
