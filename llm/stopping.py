"""Stopping the calls of a study or of one run, and letting them go on."""

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from llm.asking import Charge
from llm.models import Stop


def stop(study: Study, actor: Person | None, *, run: str = "") -> None:
    """Begin no call of the study (or of its one run) any more; those under way end within seconds."""
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if not _standing(locked, run).exists():
            Stop.objects.create(study=locked, run=run, stopped_by=actor)
            record("calls stopped", run or study.slug, actor=actor, study=study.slug)


def resume(study: Study, actor: Person | None, *, run: str = "") -> None:
    """Let calls be begun again. What was stopped stays stopped until it is asked for again."""
    with transaction.atomic():
        if _standing(study, run).update(lifted_at=timezone.now()):
            record("calls resumed", run or study.slug, actor=actor, study=study.slug)


def is_stopped(study: Study, run: str = "") -> bool:
    """Whether calls of the run (empty: of no run) are stopped now, with the whole study or alone."""
    return Stop.objects.filter(Q(run="") | Q(run=run), study=study, lifted_at=None).exists()


def stopped_for(charge: Charge) -> bool:
    """Whether a call with this charge may not be begun or go on."""
    return charge.study is not None and is_stopped(charge.study, charge.run)


def _standing(study: Study, run: str) -> QuerySet[Stop]:
    return Stop.objects.filter(study=study, run=run, lifted_at=None)
