from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions"
    label = "revision_sessions"  # the plain label is that of Django's own application
    verbose_name = "Revision sessions"
