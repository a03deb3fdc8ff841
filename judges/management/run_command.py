"""What the commands for runs of judges and of metrics have in common."""

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.models import JudgeRun, Study
from judges.models import RunWork
from judges.probing import probe_result
from judges.run_context import charge_name
from judges.run_here import run_here
from judges.run_states import replace_run, resume_run, stop_run
from llm.budgets import amount_text, set_cap

ENDED = {"finished": "finished", "stopped": "stopped", "out_of_budget": "out of budget"}


def add_result_arguments(parser: ArgumentParser) -> Any:
    """Add the arguments for existing runs; return their group, of which one can be given."""
    existing = parser.add_mutually_exclusive_group()
    existing.add_argument("--stop", metavar="RUN", help="a run is named RATER/NUMBER")
    existing.add_argument("--resume", metavar="RUN", help="go on, with --budget under another limit")
    existing.add_argument("--replace", nargs=2, metavar="RUN", help="let the second run stand for the first")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    return existing


def existing_run(study: Study, options: dict[str, Any]) -> JudgeRun | None:
    """Do what the arguments for existing runs say; return the run that goes on, or None.

    Raises CommandError and ConfigurationRefusedError.
    """
    if options["stop"]:
        if not stop_run(named_run(study, options["stop"]), None):
            raise CommandError("The run is not running.")
    elif options["replace"]:
        replaced, by = (named_run(study, name) for name in options["replace"])
        replace_run(replaced, by, None)
    elif options["resume"]:
        run = named_run(study, options["resume"])
        if options.get("budget") is not None:
            set_cap(study, options["budget"], None, run=charge_name(run))
        # A run that is running is worked off here, too: its command may have been killed.
        if not resume_run(run, None) and run.status != JudgeRun.Status.RUNNING:
            raise CommandError(f"The run is {run.get_status_display().lower()} and cannot be resumed.")
        return run
    return None


def work_off(command: BaseCommand, run: JudgeRun, *, as_json: bool) -> None:
    """Work a run off in this process and print what came of it."""

    def tell(run: JudgeRun, over: int) -> None:
        command.stderr.write(f"{charge_name(run)}: {over:,} done", ending="\r")

    run = run_here(run, tell)
    counts, probe = run.counts or {}, probe_result(run) if run.configuration.get("probe") else None
    if as_json:
        result = {"run": charge_name(run), "status": run.status, "counts": counts, "price": run.price}
        if probe is not None:
            result["probe"] = asdict(probe) | {"share": probe.share, "interval": probe.interval}
        command.stdout.write(json.dumps(result))
        return
    parts = ", ".join(f"{count:,} {outcome}" for outcome, count in counts.items()) or "nothing done"
    price = f"; cost {amount_text(run.price)}" if run.price else ""
    command.stdout.write(f"{charge_name(run)}: {ENDED[run.status]}: {parts}{price}")
    if probe is not None and probe.interval is not None:
        low, high = probe.interval
        command.stdout.write(
            f"{probe.flipped:,} of {probe.judged:,} judgments became better by an injected text: "
            f"{probe.share:.1%} [{low:.1%}, {high:.1%}]; {probe.unusable:,} pairs could not be compared"
        )
    message = RunWork.objects.values_list("message", flat=True).get(run=run)
    if message:
        command.stdout.write(message)


def named_values(name: str, given: list[str]) -> dict[str, str]:
    """Return the values of an argument that takes NAME=VALUE. Raises CommandError."""
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
