"""Stops the calls of a study or of one run, and resumes them."""

from django.db import transaction
from django.db.models import QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.locking import lock_study
from config.database_clock import database_now
from config.prepared_sql import fetch_one
from llm.models import Stop
from llm.requests import Charge

FIND = "SELECT EXISTS (SELECT 1 FROM llm_stop WHERE study_id = %s AND run IN ('', %s) AND lifted_at IS NULL)"


def stop(study: Study, actor: Person | None, *, run: str = "") -> None:
    """Start no more calls of the study, or of one run of it; running ones end within seconds."""
    with transaction.atomic():
        locked = lock_study(study.pk, archived=True)
        if not _active(locked, run).exists():
            Stop.objects.create(study=locked, run=run, stopped_by=actor)
            record("calls stopped", run or study.slug, actor=actor, study=study.slug)


def resume(study: Study, actor: Person | None, *, run: str = "") -> None:
    """Allow calls again. Calls that were stopped stay stopped until somebody retries them."""
    with transaction.atomic():
        if _active(study, run).update(lifted_at=database_now()):
            record("calls resumed", run or study.slug, actor=actor, study=study.slug)


def is_stopped(study: Study, run: str = "") -> bool:
    """Return whether calls of the run are stopped, alone or with the whole study; an empty `run` means no run."""
    return bool(fetch_one(FIND, [study.pk, run])[0])


def stopped_for(charge: Charge) -> bool:
    """Return whether calls with this charge are stopped."""
    return charge.study is not None and is_stopped(charge.study, charge.run)


def _active(study: Study, run: str) -> QuerySet[Stop]:
    return Stop.objects.filter(study=study, run=run, lifted_at=None)
