"""Annotators' flags on tasks: which are open, the answers that researchers give, and reading those answers.

An answer belongs to the flag as it was worded then. If the annotator changes the words, the flag is open again.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Assignment, FlagAnswer, Study
from annotation.review.verdicts import ReviewedMeanwhileError, reviewer_for
from annotation.studies.corrections import check_correction
from annotation.studies.locking import lock_study
from config.database_clock import database_now


def open_flags(study: Study | OuterRef) -> QuerySet[Assignment]:
    """Flagged tasks without an answer to the flag as it is worded now, latest first."""
    answered = FlagAnswer.objects.filter(
        rater=OuterRef("rater"), task=OuterRef("task"), flag=OuterRef("flag"), is_current=True
    )
    return _flagged(study).filter(~Exists(answered))


def _flagged(study: Study | OuterRef) -> QuerySet[Assignment]:
    flagged = Assignment.objects.filter(rater__study=study).exclude(flag="")
    return flagged.select_related("rater", "task__item").order_by("-pk")


def answered_flags(study: Study) -> QuerySet[FlagAnswer]:
    """The current answers to flags, latest first."""
    answers = FlagAnswer.objects.filter(rater__study=study, is_current=True)
    return answers.select_related("rater", "task__item", "by__person").order_by("-pk")


def answer_flag(flagged: Assignment, outcome: str, note: str, person: Person, *, flag: str) -> FlagAnswer:
    """Add an answer to the flag; `flag` is the annotator's text that the person saw.

    The note is the reason that a locked study needs. Raises ReviewedMeanwhileError if the text has changed since, or
    somebody else has answered it, StudyRefusedError and StudyArchivedError.
    """
    study = flagged.rater.study
    with transaction.atomic():
        why = check_correction(lock_study(study.pk), note)
        reviewer = reviewer_for(study, person)
        fresh = Assignment.objects.select_for_update(of=("self",), no_key=True).get(pk=flagged.pk)
        last = FlagAnswer.objects.filter(rater=fresh.rater_id, task=fresh.task_id, is_current=True).first()
        if not flag or fresh.flag != flag or (last is not None and last.flag == flag):
            raise ReviewedMeanwhileError
        if last is not None:
            FlagAnswer.objects.filter(pk=last.pk).update(is_current=False)
        added = FlagAnswer.objects.create(
            rater_id=fresh.rater_id, task_id=fresh.task_id, number=last.number + 1 if last else 1, flag=flag,
            outcome=outcome, note=note, by=reviewer, at=database_now(),
        )  # fmt: skip
        record(
            "flag answered",
            f"task {fresh.task_id} of {flagged.rater.name}",
            actor=person,
            about=flagged.rater.person,
            study=study.slug,
            old={"outcome": last.outcome, "number": last.number} if last else None,
            new={"outcome": outcome, "number": added.number, **why},
        )
    return added


def unread_flag_answers(person: Person) -> QuerySet[FlagAnswer]:
    """Answers to this person's flags that they have not marked as read, oldest first."""
    return FlagAnswer.objects.filter(rater__person=person, seen_at=None).order_by("pk")


def acknowledge_answers(person: Person, study: Study, pks: Sequence[int]) -> int:
    """Mark these answers to the person's flags as read; return how many were unread."""
    with transaction.atomic():
        unread = unread_flag_answers(person).filter(rater__study=study, pk__in=pks)
        found = list(unread.values_list("pk", flat=True))
        count = FlagAnswer.objects.filter(pk__in=found, seen_at=None).update(seen_at=database_now())
        if count:
            record("flag answers read", study.slug, actor=person, study=study.slug, new={"answers": found})
    return count
