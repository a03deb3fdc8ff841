"""The only writer of attempts at steps: begin, end, and what the audit says of it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Max

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Guideline, Rater
from parts.way_in.models import StepPassage

PASSED, FAILED, WAITING = StepPassage.Outcome.PASSED, StepPassage.Outcome.FAILED, StepPassage.Outcome.WAITING


def begin(
    rater: Rater, step: str, now: datetime, tasks: Sequence[Any] = (), *, result: Mapping[str, Any] | None = None
) -> StepPassage:
    """Begin a locked rater's next attempt at a step. Constraints refuse a second one that is under way."""
    last = StepPassage.objects.filter(rater=rater, step=step).aggregate(last=Max("attempt"))["last"] or 0
    version = Guideline.objects.filter(study=rater.study_id).aggregate(newest=Max("number"))["newest"]
    return StepPassage.objects.create(
        rater=rater, step=step, attempt=last + 1, opened_at=now, guidelines_version=version, tasks=list(tasks),
        result=None if result is None else dict(result),
    )  # fmt: skip


def end(
    passage: StepPassage,
    outcome: StepPassage.Outcome,
    now: datetime,
    *,
    actor: Person | None,
    result: Mapping[str, Any] | None = None,
) -> None:
    """End an attempt of a locked rater, or leave it to a researcher with the outcome `waiting`."""
    passage.outcome, passage.result = outcome, passage.result if result is None else dict(result)
    passage.ended_at = None if outcome == WAITING else now
    passage.save(update_fields=["outcome", "ended_at", "result"])
    rater = passage.rater
    record(
        "step ended", f"{passage.step} of {rater.name}", actor=actor, about=rater.person, study=rater.study.slug,
        new={"attempt": passage.attempt, "outcome": str(outcome)},
    )  # fmt: skip
