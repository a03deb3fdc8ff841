"""Pause a rater by a press, with a reason that the rater reads, and let them work again."""

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater
from annotation.studies.locking import lock_rater, lock_study
from config.database_clock import database_now
from recruiting.checks.awaited_decisions import give_back_time
from recruiting.checks.check_tables import RaterExclusion
from recruiting.crowds.crowd_tables import CrowdStay
from recruiting.rater_messages.message_tables import RaterPause


class PauseRefusedError(Exception):
    """The rater cannot be paused or resumed now; the message says why."""


ALREADY = "This rater is paused already. Read the page again."
NOT_PAUSED = "This rater is not paused any more."
ENDED = "This rater's stay has ended, so they get no more tasks."
EXCLUDED = "This rater is excluded. Take the exclusion back on the page Rater checks."


def pause_rater(rater: Rater, reason: str, person: Person) -> RaterPause:
    """Give a rater no new work; they may finish what they hold. Raises PauseRefusedError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = lock_study(rater.study_id), lock_rater(rater.pk, "person")
        try:
            with transaction.atomic():
                made = RaterPause.objects.create(rater=rater, reason=reason, by=person)
        except IntegrityError:
            raise PauseRefusedError(ALREADY) from None
        Rater.objects.filter(pk=rater.pk, paused_at=None).update(paused_at=made.at)
        record("rater paused", rater.name, actor=person, about=rater.person, study=study.slug, new={"reason": reason})
    return made


def resume_rater(rater: Rater, person: Person) -> None:
    """Give a rater work again, also after the pause of a rule. Raises PauseRefusedError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = lock_study(rater.study_id), lock_rater(rater.pk, "person")
        if RaterExclusion.objects.filter(rater=rater, ended_at=None).exists():
            raise PauseRefusedError(EXCLUDED)
        if CrowdStay.objects.filter(rater=rater, ended_at__isnull=False).exists():
            raise PauseRefusedError(ENDED)
        give_back_time(rater, database_now())
        if not Rater.objects.filter(pk=rater.pk, paused_at__isnull=False).update(paused_at=None):
            raise PauseRefusedError(NOT_PAUSED)
        RaterPause.objects.filter(rater=rater, ended_at=None).update(ended_at=database_now(), ended_by=person)
        record("rater resumed", rater.name, actor=person, about=rater.person, study=study.slug)


def pause_of(rater: Rater) -> RaterPause | None:
    """The pause by a researcher that holds now."""
    return RaterPause.objects.filter(rater=rater, ended_at=None).first()
