"""Asks again for what a run has no valid reading of, by a new run that keeps the readings there are.

A finished run is evidence and stays as it is. The new run reads the kept replies of its valid judgments and asks the
model about all others, which alone are paid. When it is finished, it stands for the earlier run in reports.
"""

from dataclasses import replace

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import JudgeRun
from annotation.studies.locking import lock_study
from config.background.kinds import works
from config.background.waking import enqueue
from config.database_clock import database_now
from judges.configuration import ConfigurationRefusedError, RunConfiguration, rater_for, run_name
from judges.models import Judgment, RunWork
from judges.rereading import NOT_HERE
from judges.run_context import charge_name
from judges.run_kind import kind_of
from judges.run_states import WORK_KEY
from llm import budgets
from llm.models import Budget

ALL_VALID = "Every judgment of this run has a valid reading."
STILL_RUNNING = "The run is still going on. Stop it, or wait for its end."


def left_to_ask(run: JudgeRun) -> int:
    """Return how many judgments of a run have no valid reading."""
    return Judgment.objects.filter(run=run).exclude(outcome=Judgment.Outcome.VALID).count()


def ask_again(run: JudgeRun, actor: Person | None) -> JudgeRun:
    """Make a run that asks again for what `run` has no valid reading of, and queue its work.

    What the earlier run's own limit leaves is the limit of the new one. Raises ConfigurationRefusedError if the run is
    still going on, has no judgments here or only valid ones, or if its model is not there any more.
    """
    if not Judgment.objects.filter(run=run).exists():  # such as runs that ask no model
        raise ConfigurationRefusedError(NOT_HERE)
    if run.status == JudgeRun.Status.RUNNING:
        raise ConfigurationRefusedError(STILL_RUNNING)
    earlier = RunConfiguration.of(run.configuration)
    configuration = replace(
        earlier, parser=earlier.judge_protocol.parser, reread_of="", asks_again=f"{run.rater.name}/{run.name}"
    )
    stored = configuration.as_json()
    kind = kind_of(stored)
    kind.check_resumable(run)
    with transaction.atomic():
        study = lock_study(run.rater.study_id)
        left = left_to_ask(run)
        if not left:
            raise ConfigurationRefusedError(ALL_VALID)
        rater = rater_for(study, kind.rater_name(stored), kind.rater_kind, configuration.identity())
        made = JudgeRun.objects.create(
            rater=rater,
            name=run_name(list(rater.runs.values_list("name", flat=True))),
            configuration=stored,
            status=JudgeRun.Status.RUNNING,
            started_at=database_now(),
        )
        work = RunWork.objects.create(run=made, study=study, started_by=actor, is_planned=True)
        about = {"asks_again": charge_name(run), "judgments": left}
        record("run started", charge_name(made), actor=actor, study=study.slug, new=about)
        _limit(made, Budget.objects.filter(study=study, run=charge_name(run)).exclude(cap=None).first(), actor)
        enqueue(works()[WORK_KEY], work)
    return made


def _limit(made: JudgeRun, earlier: Budget | None, actor: Person | None) -> None:
    """Give a new run what the limit of the earlier one leaves."""
    if earlier is not None and earlier.cap is not None:
        left = max(earlier.cap - earlier.spent, 0)
        budgets.set_cap(made.rater.study, left, actor, run=charge_name(made))
