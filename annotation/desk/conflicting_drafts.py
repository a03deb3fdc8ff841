"""Drafts and answers that a page sent too late to be used: kept with the assignment, in bounded number and size."""

from collections.abc import Sequence

from django.db import transaction
from django.utils.translation import gettext

from annotation.answers import Form, Sheet
from annotation.models import Assignment, DraftConflict, Question, Study
from annotation.protocols import protocols
from annotation.studies.locking import lock_rater
from config.database_clock import database_now
from config.text_validation import TextRefusedError

MOST_KEPT = 20
"""How many of an assignment's conflicts are kept: the newest ones."""


class FormTooLargeError(TextRefusedError):
    """A form with more text than its questions can take."""

    def __init__(self, longest: int) -> None:
        reason = gettext("must have at most %(longest)s characters in all answers together")
        super().__init__(gettext("the form"), reason % {"longest": f"{longest:,}"})


def check_size(assignment: Assignment, form: Form) -> None:
    """Raise FormTooLargeError if the form is larger than any answer to the task's questions can be."""
    study, task = assignment.rater.study, assignment.task
    texts = list(task.outputs.order_by().values_list("text", flat=True))
    check_form_size(study, list(study.questions.all()), Sheet.of([""] * len(texts), texts, task.item.document), form)


def check_form_size(study: Study, questions: Sequence[Question], sheet: Sheet, form: Form) -> None:
    """As `check_size`, for a task that no assignment is for."""
    longest = protocols()[study.protocol].longest_form(questions, sheet)
    if sum(len(name) + sum(map(len, values)) for name, values in form.items()) > longest:
        raise FormTooLargeError(longest)


def keep_aside(assignment: Assignment, form: Form, base_version: int | None = None) -> None:
    """Keep a form that was sent too late: equal forms once, and only the newest `MOST_KEPT`.

    `base_version` is the draft's version that the page knew, if it said so. Raises FormTooLargeError.
    """
    check_size(assignment, form)
    kept = DraftConflict.objects.filter(assignment=assignment)
    with transaction.atomic():
        lock_rater(assignment.rater_id)
        if kept.filter(body=form).update(saved_at=database_now()):
            return
        base_version = assignment.draft_version if base_version is None else base_version
        DraftConflict.objects.create(assignment=assignment, base_version=base_version, body=form)
        newest = kept.order_by("-saved_at", "-pk").values_list("pk", flat=True)
        kept.exclude(pk__in=list(newest[:MOST_KEPT])).delete()
