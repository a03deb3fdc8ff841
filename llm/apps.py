from django.apps import AppConfig
from django.core.checks import register

from llm.system_checks import check_endpoints


class LlmConfig(AppConfig):
    name = "llm"
    verbose_name = "Language models"

    def ready(self) -> None:
        register(check_endpoints)
