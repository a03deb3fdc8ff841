from django.apps import AppConfig


class DryRunsConfig(AppConfig):
    name = "parts.dry_runs"
