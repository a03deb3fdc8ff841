"""Print the report on a study's revision sessions, described in docs/formats.md."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.loader import render_to_string

from files.management.study_lookup import find_study
from reports.figures.protocol_figures import protocol_figures
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import compute_here
from reports.pages.display.session_tables import session_section
from reports.pages.display.tables import Table


class Command(BaseCommand):
    help = "Print the report on a study's revision sessions."
    requires_system_checks: list[str] = []  # no page is served

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--labeller", metavar="NAME", help="count only this rater's labels of turns")
        parser.add_argument("--json", action="store_true", help="print all figures as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        figures = protocol_figures(study)
        if figures is None:
            raise CommandError(f"{study.slug} uses the protocol {study.protocol}, which has no sessions.")
        try:
            report = compute_here(study, figures.report_kind, {"labeller": options["labeller"]})
        except ChoiceInvalidError as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_lines(report)))


def _lines(report: dict[str, Any]) -> list[str]:
    """Return the tables of the report page as text."""
    lines = [f"{report['study']} ({report['protocol']}), models: {', '.join(report['models']) or 'none yet'}"]
    for table in session_section(report).tables:
        lines += ["", table.title, *_rows(table)]
        note = render_to_string(table.note_template, {"note": table.note}).strip() if table.note_template else ""
        lines += [f"  {note}"] if note else []
    return lines


def _rows(table: Table) -> list[str]:
    """Return the table's rows with aligned columns."""
    rows = [[table.row_head, *(head.title for head in table.heads)]]
    for name, cells in table.rows:
        shown = (f"{cell.value} ({cell.counts})" if cell.counts else cell.value or "undefined" for cell in cells)
        rows.append([name, *shown])
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return ["  " + "  ".join(map(str.rjust, row, widths)) for row in rows]
