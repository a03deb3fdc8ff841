"""Notices of rules about raters, and researchers' answers to them."""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.members.standing import DecidedMeanwhileError, excluded, go_on, locked_rater, pause_of
from annotation.models import Rater, Study
from config.database_clock import database_now
from recruiting.checks.check_tables import RaterNotice


def answer_notice(notice: RaterNotice, outcome: str, person: Person, *, resume: bool) -> None:
    """Keep what a researcher did about a notice; `resume` gives the rater work again, unless a researcher stopped them.

    Raises DecidedMeanwhileError and StudyArchivedError.
    """
    with transaction.atomic():
        study, rater = locked_rater(notice.rater)
        open_now = RaterNotice.objects.filter(pk=notice.pk, answered_at=None)
        if not open_now.update(answered_at=database_now(), answered_by=person, outcome=outcome):
            raise DecidedMeanwhileError
        resumed = resume and not excluded(study).filter(rater=rater).exists() and pause_of(rater) is None
        if resumed:
            go_on(rater)
        new = {"outcome": outcome, "resumed": resumed}
        record("rater notice answered", rater.name, actor=person, about=rater.person, study=study.slug, new=new)


def open_notices(study: Study | OuterRef) -> QuerySet[RaterNotice]:
    """The notices that no researcher has answered, the newest first."""
    return RaterNotice.objects.filter(rater__study=study, answered_at=None).select_related("rater").order_by("-pk")


def asks_about(rater: OuterRef | Rater) -> Q:
    """Whether a rule has paused a rater, and no researcher has answered it."""
    return Q(Exists(RaterNotice.objects.filter(rater=rater, paused=True, answered_at=None)))
