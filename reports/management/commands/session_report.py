"""Print the report on a study's revision sessions: see docs/formats.md."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Study
from reports.own_figures import own_figures
from reports.session_presenting import shown_sessions


class Command(BaseCommand):
    help = "Print what was asked of the models in a study's sessions, and what became of it."
    requires_system_checks: list[str] = []  # nothing is served

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true", help="as JSON, with every figure")

    def handle(self, *args: Any, **options: Any) -> None:
        study = Study.objects.filter(slug=options["slug"]).first()
        if study is None:
            raise CommandError(f"There is no study called {options['slug']!r}.")
        figures = own_figures(study)
        if figures is None:
            raise CommandError(f"{study.slug} has protocol {study.protocol}, which has no sessions.")
        report = figures.report(study)
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_lines(report)))


def _lines(report: dict[str, Any]) -> list[str]:
    """The tables of the page, as text."""
    lines = [f"{report['study']} ({report['protocol']}), by {', '.join(report['models']) or 'no model yet'}"]
    for table in shown_sessions(report).tables:
        lines += ["", table.title or table.figure.title]
        rows = [[table.corner, *(head for head, _ in table.heads)]]
        for name, cells in table.rows:
            shown = (f"{cell.value} ({cell.counts})" if cell.counts else cell.value or "undefined" for cell in cells)
            rows.append([name, *shown])
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines += ["  " + "  ".join(map(str.rjust, row, widths)) for row in rows]
        lines += [f"  {table.note}"] if table.note else []
    return lines
