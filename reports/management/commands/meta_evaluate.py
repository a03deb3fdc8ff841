"""Print the meta-evaluation report of a study, described in docs/formats.md."""

import json
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.management.study_lookup import find_study
from reports.comparison_tables import comparison_questions
from reports.figures.rows import ChoiceInvalidError
from reports.kept.kept_reports import compute_here
from reports.management.commands.agreement import PAIRS_BY_NAME, guidelines_lines
from reports.pages.forms import ALL_VERSIONS, KINDS, MetaEvaluationForm, choices_in
from reports.report_kinds.agreement import EXCHANGEABLE, SORTED
from reports.report_kinds.meta_evaluation import EPSILON, comparison_choices

COLUMNS = (
    ("item tau", "item_kendall_tau_b"), ("system tau", "system_kendall_tau_b"), ("Pearson", "pearson"),
    ("AUC", "auc_roc"), ("accuracy", "accuracy"), ("leave-one-out", "leave_one_out"), ("alpha", "alpha_nominal"),
)  # fmt: skip


class Command(BaseCommand):
    help = "Compare judges, or any other raters, with a group of people."
    requires_system_checks: list[str] = []  # no page is served, and the checks take as long as the figures

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--json", action="store_true", help="print all figures as JSON")
        parser.add_argument("--kinds", help=f"kinds of judges, separated by commas: {','.join(KINDS)}")
        parser.add_argument("--raters", nargs="+", metavar="NAME", help="judges by name, alone or beside --kinds")
        parser.add_argument("--people", nargs="+", metavar="NAME", help="the group by name (default: everybody else)")
        parser.add_argument(
            "--across", nargs="+", metavar="JUDGED:PEOPLE",
            help="also compare judges' answers to one question with people's to another",
        )  # fmt: skip
        parser.add_argument(
            "--guidelines", metavar=f"N|{ALL_VERSIONS}",
            help="count ratings given under this version (default: the latest)",
        )  # fmt: skip
        for one in comparison_questions():
            parser.add_argument(f"--{one.name.replace('_', '-')}", metavar="QUESTION", help=one.help_text)
        parser.add_argument("--positive", metavar="LABEL", help="the label of precision, recall and F1")
        parser.add_argument("--panel", nargs="+", metavar="NAME", help="also compare these judges as one")
        parser.add_argument(
            "--epsilon", metavar="0..1",
            help=f"how much better a person may be if a judge is to replace one (default: {EPSILON}, for crowds)",
        )  # fmt: skip
        parser.add_argument(
            "--pair-coding",
            metavar=f"{EXCHANGEABLE}|{SORTED}",
            help="sorted: tell the outputs of a pair apart by name, as older printed tables do (default: exchangeable)",
        )
        parser.add_argument("--by-category", action="store_true", help="add the figures of each category (JSON only)")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chosen = choices_in(MetaEvaluationForm(options))
        except ChoiceInvalidError as problem:
            raise CommandError(f"--{problem}") from None
        study = find_study(options["slug"])
        try:
            choices = comparison_choices(**chosen, categories=options["by_category"])
            report = compute_here(study, "meta_evaluation", choices)
        except ChoiceInvalidError as problem:
            raise CommandError(str(problem)) from None
        if options["json"]:
            self.stdout.write(json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False))
        else:
            self.stdout.write("\n".join(_table(report)))


def _table(report: dict[str, Any]) -> list[str]:
    """Return, for each question, a line of headings and one for each judge, then each judge beside a person."""
    lines = [f"{report['study']} ({report['protocol']}), {report['items']} items"]
    if "pair_coding" in report:
        lines.append(PAIRS_BY_NAME)
    lines += guidelines_lines(report["guidelines"])
    crossed = {f"{one['judged']}, against people's {one['against']}": one for one in report["across"]}
    for key, question in (report["questions"] | crossed).items():
        lines += ["", key]
        if not question["judges"]:
            lines.append(f"  {question.get('undefined', {}).get('judges', 'no judge answered this question')}")
            continue
        lines.append(f"  {'':32}" + "".join(f"{title:>14}" for title, _ in COLUMNS))
        lines += [_line(name, figures) for name, figures in question["judges"].items()]
        lines += [
            f"  {name}: without {figures['unfinished_left_out']} answers of runs that are not finished"
            for name, figures in question["judges"].items()
            if "unfinished_left_out" in figures
        ]
        lines.append("  against the other people, on the answers that both gave:")
        for name, figures in question["judges"].items():
            beside = figures["one_more_person"]
            lines += [_line(name, beside["judge"]), _line("  one more person", beside["person"])]
    return lines


def _line(name: str, figures: Mapping[str, Any]) -> str:
    values = [figures.get(figure) for _, figure in COLUMNS]
    return f"  {name:32.32}" + "".join(f"{'-' if one is None else f'{one:z.4f}':>14}" for one in values)
