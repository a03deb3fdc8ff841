from django.apps import AppConfig


class SessionsConfig(AppConfig):
    name = "sessions"
    label = "revision_sessions"  # Django's own application already has the label "sessions"
    verbose_name = "Revision sessions"
