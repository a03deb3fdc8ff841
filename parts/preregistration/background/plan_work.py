"""Completes a preregistration: reads all items, then dates and hashes the plan."""

from datetime import timedelta

from django.utils.module_loading import import_string

from annotation.studies.corrections import StudyRefusedError
from annotation.studies.locking import ImportPendingError
from annotation.studies.snapshots import study_snapshot
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from parts.preregistration.models import Preregistration
from parts.preregistration.registering import WORK_KEY, complete_plan

FACTS = "parts.preregistration.plan_facts.plan_facts"
IMPORTING = "An import into this study is being completed."
WAIT = 3.0


def complete(claim: Claim) -> None:
    """Register the plan of a claimed row."""
    row: Preregistration = claim.row
    try:
        with claim.kept_alive(), study_snapshot(row.study) as study:
            facts = import_string(FACTS)(study)
        complete_plan(claim, facts)
    except StudyRefusedError as problem:
        raise GiveUpError(str(problem)) from None
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None


WORK = Work(WORK_KEY, Preregistration, complete, "jobs", lease=timedelta(minutes=2))
