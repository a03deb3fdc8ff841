"""Estimate a run of a judge, or run it to its end; also stop, resume, replace and read again runs that exist."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.management.study_lookup import find_study
from annotation.models import JudgeRun, Study
from judges.configuration import ConfigurationRefusedError, RunConfiguration, checked_configuration
from judges.estimates import RunEstimate, estimate, rendered_prompts
from judges.injections import injections_digest
from judges.probing import probe_result
from judges.protocol import judge_protocols
from judges.rereading import reread_run
from judges.run_here import run_here
from judges.run_states import charge_name, replace_run, resume_run, start_run, stop_run
from llm.budgets import MILLION, amount_text

ENDED = {"finished": "finished", "stopped": "stopped", "out_of_budget": "out of budget"}


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
        parser.add_argument("--part", type=int, metavar="N", help="only N units, drawn by the seed")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--reruns", type=int, default=1, metavar="N", help="how often everything is judged")
        parser.add_argument("--budget", type=_amount, metavar="X", help="the most that the run may cost")
        parser.add_argument("--partly", action="store_true", help="judge as far as the budget goes")
        parser.add_argument("--pilot", type=int, default=0, metavar="N", help="stop after N units, to look at them")
        parser.add_argument("--estimate", action="store_true", help="print what the run will take, and end")
        parser.add_argument("--show", type=int, default=0, metavar="N", help="print the first N prompts, and end")
        parser.add_argument(
            "--probe", action="store_true", help="judge with and without injected texts, and print what they change"
        )
        existing = parser.add_mutually_exclusive_group()
        existing.add_argument("--stop", metavar="RUN", help="a run is named RATER/NUMBER")
        existing.add_argument("--resume", metavar="RUN")
        existing.add_argument("--reread", metavar="RUN", help="read its kept replies again, without calls")
        existing.add_argument("--replace", nargs=2, metavar="RUN", help="let the second run stand for the first")
        parser.add_argument("--json", action="store_true", help="print the estimate or the result as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        study = find_study(options["slug"])
        try:
            self._act(study, options)
        except ConfigurationRefusedError as problem:
            raise CommandError(problem.reason) from None

    def _act(self, study: Study, options: dict[str, Any]) -> None:
        if options["stop"]:
            stop_run(named_run(study, options["stop"]), None)
        elif options["replace"]:
            replaced, by = (named_run(study, name) for name in options["replace"])
            replace_run(replaced, by, None)
        elif options["reread"]:
            self._work_off(reread_run(named_run(study, options["reread"]), None), options)
        elif options["resume"]:
            run = named_run(study, options["resume"])
            if not resume_run(run, None):
                raise CommandError(f"The run is {run.get_status_display().lower()} and cannot be resumed.")
            self._work_off(run, options)
        else:
            self._judge(study, options)

    def _judge(self, study: Study, options: dict[str, Any]) -> None:
        configuration = _configuration(study, options)
        if options["show"]:
            for one in rendered_prompts(study, configuration, options["show"]):
                self.stdout.write(f"--- {one.item}\n{one.request.text()}\n")
        elif options["estimate"]:
            self._print_estimate(estimate(study, configuration), options["json"])
        else:
            run = start_run(
                study, configuration, None, budget=options["budget"], partly=options["partly"], pilot=options["pilot"]
            )
            self._work_off(run, options)

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

    def _work_off(self, run: JudgeRun, options: dict[str, Any]) -> None:
        def tell(run: JudgeRun, over: int) -> None:
            self.stderr.write(f"{charge_name(run)}: {over:,} judged", ending="\r")

        run = run_here(run, tell)
        counts, probe = run.counts or {}, probe_result(run) if run.configuration["probe"] else None
        if options["json"]:
            result = {"run": charge_name(run), "status": run.status, "counts": counts, "price": run.price}
            if probe is not None:
                result["probe"] = asdict(probe) | {"share": probe.share, "interval": probe.interval}
            self.stdout.write(json.dumps(result))
            return
        parts = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items()) or "nothing judged"
        self.stdout.write(f"{charge_name(run)}: {ENDED[run.status]}: {parts}; cost {amount_text(run.price or 0)}")
        if probe is not None and probe.interval is not None:
            low, high = probe.interval
            self.stdout.write(
                f"{probe.flipped:,} of {probe.judged:,} judgments became better by an injected text: "
                f"{probe.share:.1%} [{low:.1%}, {high:.1%}]; {probe.unusable:,} pairs could not be compared"
            )
        message = run.work.message
        if message:
            self.stdout.write(message)


def _configuration(study: Study, options: dict[str, Any]) -> RunConfiguration:
    for name in ("protocol", "model"):
        if not options[name]:
            raise CommandError(f"--{name} is missing.")
    given = _pairs("option", options["option"])
    if options["examples"] is not None:
        given["examples"] = options["examples"]
    return checked_configuration(study, {
        "protocol": options["protocol"], "model": options["model"], "questions": options["questions"],
        "options": given, "texts": _pairs("text", options["text"]), "references": options["reference"],
        "pairs": "baseline" if options["baseline"] else "all", "baseline": options["baseline"],
        "probe": injections_digest() if options["probe"] else "", "subset": options["part"],
        "seed": options["seed"], "replicates": options["reruns"],
    })  # fmt: skip


def _pairs(name: str, given: list[str]) -> dict[str, str]:
    pairs = [one.partition("=") for one in given]
    if not all(sign for _, sign, _ in pairs):
        raise CommandError(f"--{name} takes NAME=VALUE.")
    return {key: value for key, _, value in pairs}


def named_run(study: Study, name: str) -> JudgeRun:
    """Return a run of a study by RATER/NUMBER. Raises CommandError."""
    rater, _, number = name.rpartition("/")
    run = JudgeRun.objects.select_related("rater__study").filter(rater__study=study, rater__name=rater, name=number)
    found = run.first()
    if found is None:
        known = [charge_name(one) for one in JudgeRun.objects.filter(rater__study=study).select_related("rater")[:20]]
        raise CommandError(f"The study has no run {name!r}. It has: {', '.join(known) or 'none'}.")
    return found


def _amount(given: str) -> int:
    try:
        amount = Decimal(given)
    except InvalidOperation:
        raise ValueError(given) from None
    if not amount.is_finite() or amount < 0:
        raise ValueError(given)
    return int(amount * MILLION)
