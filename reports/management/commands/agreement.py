"""Print the agreement report of a study, described in docs/formats.md."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agreement.catalogue.report_catalogue import FIGURES
from files.management.study_lookup import find_study
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import compute_here
from reports.pages.forms import ALL_VERSIONS, KINDS, AgreementForm, choices_in
from reports.report_kinds.agreement import EXCHANGEABLE, SORTED, WITH, WITHOUT, agreement_choices

PAIRS_BY_NAME = "Figures corrected for chance tell the outputs of a pair apart by the order of their names"
LEFT_OUT = {"other_shapes": "Left out, in another shape", "other_reruns": "Left out, of other reruns"}


class Command(BaseCommand):
    help = "Print the agreement report of a study."
    requires_system_checks: list[str] = []  # no page is served, and the checks take as long as the figures

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true", help="print all figures as JSON")
        parser.add_argument("--kinds", help=f"kinds of raters, separated by commas: {','.join(KINDS)} (default: human)")
        parser.add_argument("--raters", nargs="+", metavar="NAME", help="raters by name, alone or beside --kinds")
        parser.add_argument(
            "--guidelines",
            metavar=f"N|{ALL_VERSIONS}",
            help="count ratings given under this version (default: the latest)",
        )
        parser.add_argument(
            "--excluded", metavar=f"{WITH}|{WITHOUT}", help="whether answers of excluded raters count (default: with)"
        )
        parser.add_argument(
            "--pair-coding",
            metavar=f"{EXCHANGEABLE}|{SORTED}",
            help="sorted: tell the outputs of a pair apart by name, as older printed tables do (default: exchangeable)",
        )
        parser.add_argument("--by-category", action="store_true", help="add the figures of each category (JSON only)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = choices_in(AgreementForm(options))
        except ChoiceInvalidError as problem:
            raise CommandError(f"--{problem}") from None
        study = find_study(options["slug"])
        try:
            choices = agreement_choices(
                chosen["kinds"], chosen["raters"], chosen["guidelines"], options["by_category"], chosen["excluded"],
                chosen["pair_coding"],
            )  # fmt: skip
            report = compute_here(study, "agreement", choices)
        except ChoiceInvalidError as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_table(report)))


def _table(report: dict[str, Any]) -> list[str]:
    """Return a line per figure that is one number, with its interval or reason, and a line per system for others."""
    by = ", ".join([*report["kinds"], *report["raters"]])
    lines = [f"{report['study']} ({report['protocol']}), {report['items']} items, by {by}"]
    if "excluded" in report:
        lines.append(f"Without the answers of {report['excluded']['raters']} excluded raters")
    if "pair_coding" in report:
        lines.append(PAIRS_BY_NAME)
    lines += guidelines_lines(report["guidelines"])
    for key, question in report["questions"].items():
        lines += ["", key]
        lines += [f"  {text}: {question[name]}" for name, text in LEFT_OUT.items() if question.get(name)]
        lines += [f"  {notice}"] if (notice := question.get("alpha_notice")) else []
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


def guidelines_lines(guidelines: Mapping[str, Any]) -> list[str]:
    """A line per kind of raters of whom ratings under other versions of the guidelines are left out."""
    left_out = guidelines.get("left_out", {})
    of_people = f"ratings by people under other guidelines than version {guidelines['version']}"
    of_machines = f"ratings by machines that were shown other guidelines than version {guidelines.get('shown')}"
    texts = {"people": of_people, "machines": of_machines}
    return [f"Left out: {left_out[kind]} {text}" for kind, text in texts.items() if kind in left_out]


def _number(value: Any) -> str:
    if value is None:
        return "undefined"
    return f"{value:z.4f}" if isinstance(value, float) else str(value)
