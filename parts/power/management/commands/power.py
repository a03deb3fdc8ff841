"""Say how many items and raters a study needs for a width or a power, and what they cost."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.management.study_lookup import find_study
from parts.power.forms import DEFAULTS, choices_of_options, defaults_of
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import compute_here


class Command(BaseCommand):
    help = "Print items, raters, minutes and pay for the width of an interval or a power, by seeded simulation."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")
        for name, default in DEFAULTS.items():
            parser.add_argument(f"--{name.replace('_', '-')}", dest=name, help=f"default: {default}")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        try:
            given = {name: options[name] for name in DEFAULTS}
            report = compute_here(study, "power", choices_of_options(given, defaults_of(study)))
        except ChoiceInvalidError as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
            return
        self.stdout.write(f"{'raters':>6} {'items':>7} {'answers':>8} {'reached':>8} {'hours':>7} {'total':>10}")
        for row in report["sizes"]:
            if row["items"] is None:
                self.stdout.write(f"{row['raters']:6} more than {report['most_items']} ({row['reached']:.3f})")
                continue
            self.stdout.write(
                f"{row['raters']:6} {row['items']:7} {row['answers']:8} {row['reached']:8.3f} "
                f"{row['minutes'] / 60:7.1f} {row['total']:10.2f} {report['currency']}".rstrip()
            )
