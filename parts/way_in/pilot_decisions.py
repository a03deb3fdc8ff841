"""A researcher's decision on an attempt that waits for it, such as a paid pilot."""

from datetime import datetime

from django.db import transaction

from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_rater, lock_study
from parts.way_in.admission import admit
from parts.way_in.entry_step import steps_of
from parts.way_in.models import StepPassage
from parts.way_in.passing import FAILED, PASSED, end

DECISIONS = {"continue": PASSED, "stop": FAILED}
DECIDED = "This person does not wait for a decision any more."
UNKNOWN = "Choose whether the person continues."


class DecidedError(Exception):
    """The attempt does not wait for a decision, or the decision is none."""


def decide(passage: StepPassage, decision: str, actor: Person, now: datetime) -> None:
    """Let the person continue, or not. Raises DecidedError."""
    if decision not in DECISIONS:
        raise DecidedError(UNKNOWN)
    with transaction.atomic():
        study = lock_study(passage.rater.study_id)
        rater = lock_rater(passage.rater_id, "person")
        rater.study = study
        fresh = StepPassage.objects.get(pk=passage.pk)
        if fresh.outcome != StepPassage.Outcome.WAITING:
            raise DecidedError(DECIDED)
        fresh.rater = rater
        end(fresh, DECISIONS[decision], now, actor=actor)
        admit(study, rater)


def was_chosen(study: Study, person: Person, done: int) -> bool:
    """Whether a researcher let the person continue after a pilot, and they have answered nothing since."""
    pilots = [step.key for step in steps_of(study) if step.kind.key == "pilot" and done <= step.option("tasks", 0)]
    if not pilots:
        return False
    passed = StepPassage.objects.filter(step__in=pilots, outcome=PASSED)
    return passed.filter(rater__study=study, rater__person=person).exists()
