"""Run a metric over the outputs of a study to its end; also stop and resume runs of metrics."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import Study
from files.management.study_lookup import find_study
from judges.configuration import ConfigurationRefusedError
from judges.management.run_command import add_result_arguments, existing_run, named_values, work_off
from judges.metric_configuration import checked_metric
from judges.metrics import metrics
from judges.run_states import start_run


class Command(BaseCommand):
    help = "Compute a metric for every output of a study. The scores become ratings of a rater named like the metric."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--metric", help=f"one of {', '.join(metrics())}")
        parser.add_argument("--question", nargs="+", default=[], metavar="KEY", dest="questions")
        parser.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE", help="options of the metric")
        parser.add_argument("--reference", nargs="+", default=[], metavar="WRITER", help="whose references to use")
        parser.add_argument("--part", type=int, metavar="N", help="only N outputs, drawn by the seed")
        parser.add_argument("--seed", type=int, default=0)
        add_result_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        try:
            run = existing_run(study, options) or self._started(study, options)
        except ConfigurationRefusedError as problem:
            raise CommandError(problem.reason) from None
        if run is not None:
            work_off(self, run, as_json=options["json"])

    def _started(self, study: Study, options: dict[str, Any]) -> Any:
        if options["stop"] or options["replace"]:
            return None
        if not options["metric"]:
            raise CommandError("--metric is missing.")
        given = {
            "metric": options["metric"], "questions": options["questions"], "references": options["reference"],
            "options": option_values(options["metric"], named_values("option", options["option"])),
            "subset": options["part"], "seed": options["seed"],
        }  # fmt: skip
        return start_run(study, checked_metric(study, given, paths=True), None)


def option_values(metric: str, given: dict[str, str]) -> dict[str, Any]:
    """Return the options of a metric with the types that they have; what cannot be read stays text and is refused."""
    found: dict[str, Any] = {}
    kinds = {name: option.kind for name, option in metrics()[metric].options.items()} if metric in metrics() else {}
    for name, value in given.items():
        kind = kinds.get(name)
        if kind == "whole" and value.lstrip("-").isascii() and value.lstrip("-").isdigit():
            found[name] = int(value)
        elif kind == "flag" and value.lower() in ("yes", "true", "no", "false"):
            found[name] = value.lower() in ("yes", "true")
        else:
            found[name] = value
    return found
