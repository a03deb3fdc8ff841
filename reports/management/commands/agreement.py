"""Print the agreement report of a study: see docs/formats.md."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agreement.catalogue import FIGURES
from annotation.models import Rater, Study
from reports.agreement_report import ChoiceInvalidError, agreement_report, read_choice

KINDS = Rater.Kind.values


class Command(BaseCommand):
    help = "Print how far the raters of a study agree."
    requires_system_checks: list[str] = []  # nothing is served, and reading all that is takes as long as the figures

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true", help="as JSON, with every figure")
        parser.add_argument("--kinds", default=Rater.Kind.HUMAN.value, help=f"any of {','.join(KINDS)}; people only")
        parser.add_argument("--guidelines", default=None, metavar="N|all", help="ratings under this version only")
        parser.add_argument("--by-category", action="store_true", help="also for the items of each category (JSON)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            kinds, guidelines = read_choice(options["kinds"], options["guidelines"])
        except ChoiceInvalidError as problem:
            raise CommandError(f"--{problem}") from None
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study called {options['slug']!r}.")
        try:
            report = agreement_report(study, kinds, guidelines=guidelines, categories=options["by_category"])
        except ChoiceInvalidError as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_table(report)))


def _table(report: dict[str, Any]) -> list[str]:
    """The figures that are single numbers, a line each, with interval or reason."""
    lines = [f"{report['study']} ({report['protocol']}), {report['items']} items, by {', '.join(report['kinds'])}"]
    for key, question in report["questions"].items():
        lines += ["", key]
        undefined = question.get("undefined", {})
        for name, figure in FIGURES.items():
            *path, last = name.split(".")
            place: Any = question
            for part in path:
                place = place.get(part) if isinstance(place, dict) else None
            if not isinstance(place, dict) or last not in place:
                continue
            value, interval = place[last], place.get(f"{last}_ci")
            if figure.unit == "bins":
                continue
            if isinstance(value, dict):
                lines.append(f"  {figure.title}")
                lines += [f"    {system:36} {_number(mean)}" for system, mean in value.items()]
            elif not isinstance(value, list):
                between = f"  [{_number(interval[0])}, {_number(interval[1])}]" if isinstance(interval, list) else ""
                reason = f"  ({undefined[name]})" if name in undefined else ""
                lines.append(f"  {figure.title:38} {_number(value)}{between}{reason}")
    return lines


def _number(value: Any) -> str:
    if value is None:
        return "undefined"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
