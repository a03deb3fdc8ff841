"""Print what a report says beyond agreement; docs/formats.md describes it."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.management.study_lookup import find_study
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import compute_here
from reports.pages.forms import ALL_VERSIONS, KINDS, DetailsForm, choices_in
from reports.report_kinds.details import details_choices

PARTS = ("text", "latex", "bibtex")


class Command(BaseCommand):
    help = "Print the methods paragraph of a study, or with --json all details of its report."
    requires_system_checks: list[str] = []  # no page is served, and the checks take as long as the figures

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")
        parser.add_argument("--methods", choices=PARTS, default=PARTS[0], help="the form of the methods paragraph")
        parser.add_argument("--kinds", help=f"kinds of raters, separated by commas: {','.join(KINDS)} (default: human)")
        parser.add_argument("--raters", nargs="+", metavar="NAME", help="raters by name, alone or beside --kinds")
        parser.add_argument(
            "--guidelines", metavar=f"N|{ALL_VERSIONS}",
            help="count ratings given under this version (default: the latest)",
        )  # fmt: skip

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = choices_in(DetailsForm(options))
        except ChoiceInvalidError as problem:
            raise CommandError(f"--{problem}") from None
        study = find_study(options["slug"])
        try:
            choices = details_choices(chosen["kinds"], chosen["raters"], chosen["guidelines"])
            report = compute_here(study, "details", choices)
        except ChoiceInvalidError as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write(report["methods"][options["methods"]])
