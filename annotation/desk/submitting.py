"""The only writer of annotations and their ratings.

A submission becomes a new revision and its flat ratings in one transaction, or nothing. Sent again with the same
client key, it returns the annotation that it made the first time. No work is thrown away: an answer that comes after
its lease ended takes an open slot, or is kept and marked as surplus.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import AuditEntry
from annotation.desk.conflicting_drafts import check_size, keep_aside
from annotation.desk.hot_queries import LockedWork, lock_work
from annotation.desk.revisions import TIMING, Revision, added_use, repeated_annotation, write_ratings
from annotation.desk.submissions import (
    Effort,
    KeyReusedError,
    StaleRevisionError,
    StudyClosedError,
    Submission,
)
from annotation.desk.task_rows import TaskRow, desk_row_of
from annotation.models import Annotation, Assignment, Task
from annotation.protocols import Answer, AnswersInvalidError, Form, Sheet, protocols
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.parts import parts_of
from config.prepared_sql import Statement, insertion, joined, run_as_one
from config.text_validation import TextRefusedError, check_json

__all__ = [
    "Effort", "Form", "KeyReusedError", "StaleRevisionError", "StudyClosedError", "Submission", "added_use",
    "current_annotation", "flag", "sheet_in", "sheet_of", "skip", "submit", "undo",
]  # fmt: skip


def sheet_of(assignment: Assignment) -> Sheet:
    """The rater's view of the task: the document, and the outputs in the assignment's order."""
    return sheet_in(assignment.task, assignment.order)


def sheet_in(task: Task, order: Sequence[int]) -> Sheet:
    """The document, and the task's outputs in the given order of their positions."""
    rows = list(task.task_outputs.order_by("position").values_list("output__key", "output__text"))
    shown = [rows[position] for position in order]
    keys, texts = [key for key, _ in shown], [text for _, text in shown]
    return Sheet.of(keys, texts, task.item.document)


def current_annotation(assignment: Assignment) -> Annotation | None:
    """The latest revision of the rater's answer to the task."""
    return Annotation.objects.filter(task=assignment.task_id, rater=assignment.rater_id, is_current=True).first()


def submit(assignment: Assignment, submission: Submission) -> Annotation:
    """Save an answer as the next revision.

    Raises AnswersInvalidError, StaleRevisionError, KeyReusedError, StudyClosedError and FormTooLargeError.
    """
    answer = CheckedAnswer.of(desk_row_of(assignment.pk), submission)
    with keeping_aside(assignment, submission), transaction.atomic(), joined():
        saved = save_answer(answer)
        saved.write_rest()
        return saved.annotation


@dataclass(frozen=True)
class CheckedAnswer:
    """An answer that fits its questions, with everything computed that its transaction need not wait for."""

    row: TaskRow
    submission: Submission
    answers: Mapping[str, Any]
    ratings: Sequence[Answer]
    digest: str

    @classmethod
    def of(cls, row: TaskRow, submission: Submission) -> "CheckedAnswer":
        """Read the posted form; raises AnswersInvalidError, TextRefusedError and KeyReusedError.

        What was sent before is accepted again, even if the questions have changed since: it gives the same annotation.
        """
        protocol, sheet = protocols()[row.study.protocol], row.sheet
        digest = _digest(submission.form)
        try:
            answers = protocol.read_form(submission.form, row.questions, sheet)
            check_json(answers)
        except (AnswersInvalidError, TextRefusedError):
            if repeated_annotation(row.assignment, submission.client_key, digest) is None:
                raise
            return cls(row, submission, {}, (), digest)
        return cls(row, submission, answers, tuple(protocol.ratings(answers, row.questions, sheet)), digest)


@dataclass(frozen=True)
class SavedAnswer:
    """An annotation in its transaction; `work` is what was read when it began. Nothing was written if it `repeated`."""

    annotation: Annotation
    work: LockedWork
    now: datetime
    steps: Sequence[AuditEntry]
    repeated: bool
    reset: Sequence[Statement] = ()
    """What still resets the assignment's clocks and draft. Nothing else in the transaction reads them."""

    def write_rest(self, *more: AuditEntry) -> None:
        """Reset the assignment and write the audit of this answer, and `more` with it."""
        run_as_one([*self.reset, *insertion([*self.steps, *more])])


def save_answer(answer: CheckedAnswer) -> SavedAnswer:
    """Write an answer in the caller's transaction. The caller writes the rest of it in the same transaction.

    Raises StaleRevisionError, KeyReusedError and StudyClosedError.
    """
    row, study = answer.row, answer.row.study
    revision, repeated = Revision.begin(row.assignment, study, answer.submission, answer.digest)
    if repeated is not None:
        return SavedAnswer(repeated, revision.work, revision.now, (), True)
    protocol = protocols()[study.protocol]
    annotation = revision.add(protocol, "submitted", answers=answer.answers, surplus=not revision.fill_slot())
    outputs = {output.key: output.pk for output in row.outputs}
    shown = [row.outputs[position].key for position in row.assignment.order]
    write_ratings(annotation, study, row.assignment.task, outputs, answer.ratings, shown)
    for part in parts_of(study):
        part.after_answer(study, annotation)
    return SavedAnswer(annotation, revision.work, revision.now, revision.steps, False, [revision.reset_statement()])


@contextmanager
def keeping_aside(assignment: Assignment, submission: Submission) -> Iterator[None]:
    """Around the transaction of an answer: one from a stale page is kept aside, outside the transaction that failed."""
    try:
        yield
    except StaleRevisionError:
        keep_aside(assignment, submission.form)
        raise


def _digest(content: Any) -> str:
    return hashlib.sha256(canonical_json(content).encode("utf-8", "surrogatepass")).hexdigest()


def skip(assignment: Assignment, submission: Submission, reason: str) -> Annotation:
    """Save that the rater skips the task, and open its slot to others; raises as `submit` does."""
    return _leave(assignment, submission, "skipped", reason)


def undo(assignment: Assignment, submission: Submission) -> Annotation:
    """Withdraw the rater's answer to the task and put it back on their desk as a draft; raises as `submit` does."""
    return _leave(assignment, submission, "withdrawn", "")


def _leave(assignment: Assignment, submission: Submission, status: str, reason: str) -> Annotation:
    study = assignment.rater.study
    protocol, digest = protocols()[study.protocol], _digest([status, reason])
    with transaction.atomic():
        revision, repeated = Revision.begin(assignment, study, submission, digest)
        if repeated is not None:
            return repeated
        if status == "withdrawn" and revision.current is None:
            raise StaleRevisionError(None)
        annotation = revision.add(protocol, status, reason=reason)
        if status == "skipped":
            revision.give_up_slot()
            reset = revision.reset_statement(draft=_unsent(revision.assignment, submission.form))
        else:
            revision.take_back_slot()
            reset = revision.reset_statement(draft=_typed(revision), at_work=True)
        run_as_one([reset, *insertion(revision.steps)])
        return annotation


def _unsent(assignment: Assignment, form: Form) -> Form | None:
    """What was typed on a task that is skipped, for an undo: the posted form, unless it is empty or refused."""
    try:
        check_json(form)
        check_size(assignment, form)
    except TextRefusedError:
        return assignment.draft
    return form if any(any(values) for values in form.values()) else assignment.draft


def _typed(revision: Revision) -> Form:
    """What to continue with after an undo: a draft that was never sent, or else the form of the current answer."""
    if revision.assignment.draft is not None:
        return revision.assignment.draft
    answers = revision.current.answers if revision.current else {}
    questions = list(revision.study.questions.order_by("position"))
    sheet = sheet_of(revision.assignment)
    return protocols()[revision.study.protocol].form_of(answers, questions, sheet)


def flag(assignment: Assignment, reason: str) -> None:
    """Save the rater's comment on what is wrong with the task; an empty one removes the flag.

    Each change is a revision: it keeps the answer and its times, or has none if there is no answer yet. Raises
    StudyClosedError.
    """
    study, now = assignment.rater.study, database_now()
    protocol = protocols()[study.protocol]
    with transaction.atomic():
        work = lock_work(assignment, study, None, now)
        fresh, current = work.assignment, work.current
        old, fresh.flag = fresh.flag, reason
        if old == reason:
            return
        Assignment.objects.filter(pk=assignment.pk).update(flag=reason)
        actor, subject = fresh.rater.person, f"task {fresh.task_id} of {fresh.rater.name}"
        record("task flagged", subject, actor=actor, study=study.slug, old={"flag": old}, new={"flag": reason})
        again = Submission({}, current.revision if current else 0, current.guidelines_version if current else None)
        revision = Revision(work, study, again, "", now)
        revision.refuse_if_closed()
        if current is None or current.status not in Annotation.ANSWERED:
            untimed = {"submitted_at": now, "opened_at": fresh.opened_at}
            revision.add(protocol, "flagged" if reason else "withdrawn", timing=untimed)
            return
        timing = {name: getattr(current, name) for name in TIMING}
        annotation = revision.add(protocol, current.status, current.answers, current.surplus, current.reason, timing)
        if current.status == "submitted":
            sheet, questions = sheet_of(fresh), list(study.questions.order_by("position"))
            ratings = tuple(protocol.ratings(current.answers, questions, sheet))
            outputs = dict(fresh.task.outputs.order_by().values_list("key", "pk"))
            write_ratings(annotation, study, fresh.task, outputs, ratings, sheet.keys)
