"""`python manage.py download_model NAME`: download a model for dense search from the Hugging Face hub."""

import os
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from retrieval.embedding import download
from retrieval.model_files import check_name, find_model
from retrieval.search_errors import SearchError


class Command(BaseCommand):
    help = "Download a model for dense search from the Hugging Face hub into VAR/models."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="for example facebook/contriever-msmarco")
        parser.add_argument("--revision", default="main", help="a branch, tag or commit")

    def handle(self, *args: Any, **options: Any) -> None:
        os.environ["HF_HUB_OFFLINE"] = "0"
        try:
            name = check_name(options["name"])
            download(name, options["revision"])
            self.stdout.write(f"Downloaded {name} to {find_model(name)}.")
        except SearchError as problem:
            raise CommandError(str(problem)) from None
