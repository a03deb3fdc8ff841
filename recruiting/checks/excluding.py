"""What researchers decide about a rater: exclude, take that back, answer a notice; and what the rater says about it."""

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater, Study
from annotation.studies.corrections import check_correction
from annotation.studies.locking import lock_rater, lock_study
from config.database_clock import database_now
from recruiting.checks.awaited_decisions import give_back_time
from recruiting.checks.check_tables import ExclusionReply, RaterExclusion, RaterNotice
from recruiting.crowds.crowd_tables import CrowdStay
from recruiting.rater_messages.message_tables import RaterPause


class DecidedMeanwhileError(Exception):
    """Somebody else has decided it since the page was opened."""

    def __init__(self) -> None:
        super().__init__("This was decided after the page was opened. Read it again below.")


def exclude(rater: Rater, reason: str, person: Person) -> RaterExclusion:
    """Exclude a rater: reports can leave their answers out, and they get no new work.

    Nothing is deleted. Raises DecidedMeanwhileError, StudyRefusedError and StudyArchivedError.
    """
    with transaction.atomic():
        study, rater = _locked(rater)
        check_correction(study, reason)
        try:
            with transaction.atomic():
                made = RaterExclusion.objects.create(rater=rater, reason=reason, by=person)
        except IntegrityError:
            raise DecidedMeanwhileError from None
        _pause(rater)
        record("rater excluded", rater.name, actor=person, about=rater.person, study=study.slug, new={"reason": reason})
    return made


def end_exclusion(exclusion: RaterExclusion, reason: str, person: Person) -> None:
    """Take an exclusion back; the rater gets work again, unless they are paused by hand, too. Raises as `exclude`."""
    with transaction.atomic():
        study, rater = _locked(exclusion.rater)
        check_correction(study, reason)
        ended = RaterExclusion.objects.filter(pk=exclusion.pk, ended_at=None)
        if not ended.update(ended_at=database_now(), ended_by=person, ended_reason=reason):
            raise DecidedMeanwhileError
        if not _paused_by_hand(rater):
            _resume(rater)
        record("rater included", rater.name, actor=person, about=rater.person, study=study.slug, new={"reason": reason})


def answer_notice(notice: RaterNotice, outcome: str, person: Person, *, resume: bool) -> None:
    """Keep what a researcher did about a notice; `resume` gives the rater work again, unless a researcher stopped them.

    Raises DecidedMeanwhileError and StudyArchivedError.
    """
    with transaction.atomic():
        study, rater = _locked(notice.rater)
        open_now = RaterNotice.objects.filter(pk=notice.pk, answered_at=None)
        if not open_now.update(answered_at=database_now(), answered_by=person, outcome=outcome):
            raise DecidedMeanwhileError
        resumed = resume and not excluded(study).filter(rater=rater).exists() and not _paused_by_hand(rater)
        if resumed:
            _resume(rater)
        new = {"outcome": outcome, "resumed": resumed}
        record("rater notice answered", rater.name, actor=person, about=rater.person, study=study.slug, new=new)


def reply(exclusion: RaterExclusion, text: str, person: Person) -> ExclusionReply:
    """Keep what the rater says about their exclusion. Raises DecidedMeanwhileError and StudyArchivedError."""
    with transaction.atomic():
        study, rater = _locked(exclusion.rater)
        if not excluded(study).filter(pk=exclusion.pk).exists():
            raise DecidedMeanwhileError
        made = ExclusionReply.objects.create(exclusion=exclusion, text=text)
        record("exclusion answered", rater.name, actor=person, study=study.slug, new={"reply": made.pk})
    return made


def excluded(study: Study | OuterRef) -> QuerySet[RaterExclusion]:
    """The exclusions of a study that hold now, the newest first."""
    return (
        RaterExclusion.objects.filter(rater__study=study, ended_at=None).select_related("rater", "by").order_by("-pk")
    )


def replied_exclusions(study: Study | OuterRef) -> QuerySet[RaterExclusion]:
    """The exclusions that hold now to which the rater has replied."""
    return excluded(study).filter(Exists(ExclusionReply.objects.filter(exclusion=OuterRef("pk"))))


def open_notices(study: Study | OuterRef) -> QuerySet[RaterNotice]:
    """The notices that no researcher has answered, the newest first."""
    return RaterNotice.objects.filter(rater__study=study, answered_at=None).select_related("rater").order_by("-pk")


def _locked(rater: Rater) -> tuple[Study, Rater]:
    study = lock_study(rater.study_id)
    return study, lock_rater(rater.pk)


def _resume(rater: Rater) -> None:
    """Give the rater work again, unless their stay has ended."""
    if not CrowdStay.objects.filter(rater=rater, ended_at__isnull=False).exists():
        give_back_time(rater, database_now())
        Rater.objects.filter(pk=rater.pk).update(paused_at=None)


def _pause(rater: Rater) -> None:
    if rater.paused_at is None:
        Rater.objects.filter(pk=rater.pk).update(paused_at=database_now())


def _paused_by_hand(rater: Rater) -> bool:
    """Whether a researcher has paused the rater; only *Resume* on the pages of people ends that."""
    return RaterPause.objects.filter(rater=rater, ended_at=None).exists()
