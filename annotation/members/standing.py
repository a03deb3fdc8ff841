"""What researchers decide about a rater: exclude or pause them, and take that back; and what the rater says about it.

`Rater.paused_at` says since when a rater gets no new work. Its reasons are exclusions and pauses here, and what parts
keep: a rule that waits for an answer, or a stay that has ended. All parts are asked, also if the study does not declare
them any more: what they keep holds until somebody decides.
"""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.models import ExclusionReply, Rater, RaterExclusion, RaterPause, Study
from annotation.studies.corrections import check_correction
from annotation.studies.locking import lock_rater, lock_study
from config.database_clock import database_now
from config.parts import parts


class DecidedMeanwhileError(Exception):
    """Somebody else has decided it since the page was opened."""

    def __init__(self) -> None:
        super().__init__("This was decided after the page was opened. Read it again below.")


class PauseRefusedError(Exception):
    """The rater cannot be paused or resumed now; the message says why."""


ALREADY = "This rater is paused already. Read the page again."
NOT_PAUSED = "This rater is not paused any more."
ENDED = "This rater's stay has ended, so they get no more tasks."
EXCLUDED = "This rater is excluded. Take the exclusion back on the page Rater checks."


def exclude(rater: Rater, reason: str, person: Person) -> RaterExclusion:
    """Exclude a rater: reports can leave their answers out, and they get no new work.

    Nothing is deleted. Raises DecidedMeanwhileError, StudyRefusedError and StudyArchivedError.
    """
    with transaction.atomic():
        study, rater = locked_rater(rater)
        check_correction(study, reason)
        try:
            with transaction.atomic():
                made = RaterExclusion.objects.create(rater=rater, reason=reason, by=person)
        except IntegrityError:
            raise DecidedMeanwhileError from None
        stop(rater)
        record("rater excluded", rater.name, actor=person, about=rater.person, study=study.slug, new={"reason": reason})
    return made


def end_exclusion(exclusion: RaterExclusion, reason: str, person: Person) -> None:
    """Take an exclusion back; the rater gets work again, unless they are paused by hand, too. Raises as `exclude`."""
    with transaction.atomic():
        study, rater = locked_rater(exclusion.rater)
        check_correction(study, reason)
        ended = RaterExclusion.objects.filter(pk=exclusion.pk, ended_at=None)
        if not ended.update(ended_at=database_now(), ended_by=person, ended_reason=reason):
            raise DecidedMeanwhileError
        if pause_of(rater) is None:
            go_on(rater)
        record("rater included", rater.name, actor=person, about=rater.person, study=study.slug, new={"reason": reason})


def reply(exclusion: RaterExclusion, text: str, person: Person) -> ExclusionReply:
    """Keep what the rater says about their exclusion. Raises DecidedMeanwhileError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = locked_rater(exclusion.rater)
        if not excluded(study).filter(pk=exclusion.pk).exists():
            raise DecidedMeanwhileError
        made = ExclusionReply.objects.create(exclusion=exclusion, text=text)
        record("exclusion answered", rater.name, actor=person, study=study.slug, new={"reply": made.pk})
    return made


def pause_rater(rater: Rater, reason: str, person: Person) -> RaterPause:
    """Give a rater no new work; they may finish what they hold. Raises PauseRefusedError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = lock_study(rater.study_id), lock_rater(rater.pk, "person")
        try:
            with transaction.atomic():
                made = RaterPause.objects.create(rater=rater, reason=reason, by=person)
        except IntegrityError:
            raise PauseRefusedError(ALREADY) from None
        stop(rater, made.at)
        record("rater paused", rater.name, actor=person, about=rater.person, study=study.slug, new={"reason": reason})
    return made


def resume_rater(rater: Rater, person: Person) -> None:
    """Give a rater work again, also after the pause of a rule. Raises PauseRefusedError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = lock_study(rater.study_id), lock_rater(rater.pk, "person")
        if RaterExclusion.objects.filter(rater=rater, ended_at=None).exists():
            raise PauseRefusedError(EXCLUDED)
        if _has_ended(rater):
            raise PauseRefusedError(ENDED)
        if rater.paused_at is None:
            raise PauseRefusedError(NOT_PAUSED)
        go_on(rater)
        RaterPause.objects.filter(rater=rater, ended_at=None).update(ended_at=database_now(), ended_by=person)
        record("rater resumed", rater.name, actor=person, about=rater.person, study=study.slug)


def pause_of(rater: Rater) -> RaterPause | None:
    """The pause by a researcher that holds now."""
    return RaterPause.objects.filter(rater=rater, ended_at=None).first()


def excluded(study: Study | OuterRef) -> QuerySet[RaterExclusion]:
    """The exclusions of a study that hold now, the newest first."""
    return (
        RaterExclusion.objects.filter(rater__study=study, ended_at=None).select_related("rater", "by").order_by("-pk")
    )


def replied_exclusions(study: Study | OuterRef) -> QuerySet[RaterExclusion]:
    """The exclusions that hold now to which the rater has replied."""
    return excluded(study).filter(Exists(ExclusionReply.objects.filter(exclusion=OuterRef("pk"))))


def awaits_decision(rater: OuterRef | Rater) -> Q:
    """Whether a rater's pause waits for a researcher: a researcher's own, or a rule's until it is answered.

    An exclusion is a decision. So is an answer to a rule that gives the rater no tasks again.
    """
    waits = Q(Exists(RaterPause.objects.filter(rater=rater, ended_at=None)))
    for part in parts():
        asked = part.awaits_decision(rater)
        waits = waits if asked is None else waits | asked
    return waits & ~Q(Exists(RaterExclusion.objects.filter(rater=rater, ended_at=None)))


def is_awaited(rater: Rater) -> bool:
    """Whether this rater is paused and waits for a researcher."""
    waiting = Rater.objects.filter(awaits_decision(OuterRef("pk")), pk=rater.pk, paused_at__isnull=False)
    return waiting.exists()


def locked_rater(rater: Rater) -> tuple[Study, Rater]:
    """Lock a rater and their study. Raises StudyArchivedError."""
    return lock_study(rater.study_id), lock_rater(rater.pk, "person")


def stop(rater: Rater, since: datetime | None = None) -> None:
    """Give a locked rater no new work from now on, or from `since`."""
    if rater.paused_at is None:
        rater.paused_at = since or database_now()
        Rater.objects.filter(pk=rater.pk).update(paused_at=rater.paused_at)


def go_on(rater: Rater) -> None:
    """Give a locked rater work again, unless their part in the study has ended."""
    if _has_ended(rater):
        return
    for part in parts():
        part.before_resuming(rater, database_now())
    Rater.objects.filter(pk=rater.pk).update(paused_at=None)


def _has_ended(rater: Rater) -> bool:
    return any(part.has_ended(rater) for part in parts())
