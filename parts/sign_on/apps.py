from django.apps import AppConfig


class SignOnConfig(AppConfig):
    name = "parts.sign_on"
