"""Estimate a run of a judge, or run it to its end; also stop, resume, replace and read again runs that exist."""

import json
from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import JudgeRun, Study
from files.management.study_lookup import find_study
from judges.asking_again import ask_again
from judges.configuration import ConfigurationRefusedError, RunConfiguration, checked_configuration
from judges.estimates import RunEstimate, estimate, rendered_prompts
from judges.injections import injections_digest
from judges.management.run_command import add_result_arguments, existing_run, named_run, named_values, work_off
from judges.protocol import judge_protocols
from judges.rereading import reread_run
from judges.run_states import start_run
from llm.budgets import MILLION, amount_text


class Command(BaseCommand):
    help = "Estimate a run of a language model as judge, or run it to its end. Runs continue here or in workers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--protocol", help=f"one of {', '.join(judge_protocols())}")
        parser.add_argument("--model", metavar="ENDPOINT/MODEL")
        parser.add_argument("--question", nargs="+", default=[], metavar="KEY", dest="questions")
        parser.add_argument("--option", nargs="+", default=[], metavar="NAME=VALUE", help="options of the protocol")
        parser.add_argument("--text", nargs="+", default=[], metavar="KEY=TEXT", help="a question's text for the judge")
        parser.add_argument("--reference", nargs="+", default=[], metavar="WRITER", help="whose references it gets")
        parser.add_argument("--examples", help="written, random or none, for protocols that show examples")
        parser.add_argument("--baseline", default="", metavar="SYSTEM", help="only pairs with this system")
        parser.add_argument("--part", type=_count, metavar="N", help="only N units, drawn by the seed")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--reruns", type=_count, default=1, metavar="N", help="how often everything is judged")
        parser.add_argument("--budget", type=_amount, metavar="X", help="the most that the run may cost")
        parser.add_argument("--partly", action="store_true", help="judge as far as the budget goes")
        parser.add_argument("--pilot", type=_count, default=0, metavar="N", help="stop after N units, to look at them")
        parser.add_argument("--estimate", action="store_true", help="print what the run will take, and end")
        parser.add_argument("--show", type=_count, default=0, metavar="N", help="print the first N prompts, and end")
        parser.add_argument(
            "--probe", action="store_true", help="judge with and without injected texts, and print what they change"
        )
        existing = add_result_arguments(parser)
        existing.add_argument("--reread", metavar="RUN", help="read its kept replies again, without calls")

        existing.add_argument("--again", metavar="RUN", help="ask again for what it has no valid reading of")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        try:
            self._act(study, options)
        except ConfigurationRefusedError as problem:
            raise CommandError(problem.reason) from None

    def _act(self, study: Study, options: dict[str, Any]) -> None:
        run = existing_run(study, options)
        if options["reread"]:
            run = reread_run(named_run(study, options["reread"]), None)
        elif options["again"]:
            run = ask_again(named_run(study, options["again"]), None)
        elif run is None and not options["stop"] and not options["replace"]:
            run = self._started(study, options)
        if run is not None:
            work_off(self, run, as_json=options["json"])

    def _started(self, study: Study, options: dict[str, Any]) -> JudgeRun | None:
        """Start a run, or only show what it would take or ask."""
        configuration = _configuration(study, options)
        if options["show"]:
            for one in rendered_prompts(study, configuration, options["show"]):
                self.stdout.write(f"--- {one.item}\n{one.request.text()}\n")
        elif options["estimate"]:
            self._print_estimate(estimate(study, configuration), options["json"])
        else:
            return start_run(
                study, configuration, None, budget=options["budget"], partly=options["partly"], pilot=options["pilot"]
            )
        return None

    def _print_estimate(self, found: RunEstimate, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(found.as_json()))
            return
        unknown = ", by the highest price, because the model has none" if found.price_unknown else ""
        time = "unknown" if found.seconds is None else f"{found.seconds / 60:,.1f} minutes"
        self.stdout.write(
            f"{found.units:,} units, {found.judgments:,} judgments, {found.calls:,} calls at most\n"
            f"{found.tokens_in:,} tokens in, {found.tokens_out:,} out at most\n"
            f"price at most {amount_text(found.price)}{unknown}\ntime {time}"
        )


def _configuration(study: Study, options: dict[str, Any]) -> RunConfiguration:
    for name in ("protocol", "model"):
        if not options[name]:
            raise CommandError(f"--{name} is missing.")
    given = named_values("option", options["option"])
    if options["examples"] is not None:
        given["examples"] = options["examples"]
    return checked_configuration(study, {
        "protocol": options["protocol"], "model": options["model"], "questions": options["questions"],
        "options": given, "texts": named_values("text", options["text"]), "references": options["reference"],
        "pairs": "baseline" if options["baseline"] else "all", "baseline": options["baseline"],
        "probe": injections_digest() if options["probe"] else "", "subset": options["part"],
        "seed": options["seed"], "replicates": options["reruns"],
    })  # fmt: skip


def _count(given: str) -> int:
    number = int(given)
    if not 0 <= number <= 1_000_000:
        raise ValueError(given)
    return number


def _amount(given: str) -> int:
    try:
        amount = Decimal(given)
    except InvalidOperation:
        raise ValueError(given) from None
    if not amount.is_finite() or amount < 0:
        raise ValueError(given)
    return int(amount * MILLION)
