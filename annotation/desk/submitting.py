"""Saves answers: checks a submission, writes a revision with its ratings, fills the slot, and claims the next task.

*Submit and next* is one transaction. The same client key again returns what it made the first time; a page made from
an older revision gets a conflict, and both versions are kept.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import Error as DatabaseFailure
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from accounts.auditing import entry, identity_of, record
from accounts.models import AuditEntry
from annotation.desk.assigning import Claimed, claim, lease_end, take_open
from annotation.desk.conflicting_drafts import check_size, keep_aside
from annotation.desk.part_tasks import lock_counts
from annotation.desk.statements import LockedWork, TaskRow, desk_row_of, fill_slot, lock_work, reset_statement
from annotation.erasing import all_erasing
from annotation.models import Annotation, Assignment, Rating, Slot, Study, Task
from annotation.protocols import Answer, AnswersInvalidError, Form, Protocol, Sheet, protocols
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.parts import parts_of
from config.prepared_sql import Statement, insert, insertion, joined, run_as_one
from config.process_counts import count
from config.text_validation import TextRefusedError, check_json


class StaleRevisionError(Exception):
    """The answer was changed elsewhere after the page was opened; `current` is the latest revision."""

    def __init__(self, current: Annotation | None) -> None:
        super().__init__("The answer was changed elsewhere after this page was opened.")
        self.current = current


class KeyReusedError(Exception):
    """The client key was already used for a different content."""


class StudyClosedError(Exception):
    """The study is closed: its answers can no longer be changed."""

    def __init__(self) -> None:
        super().__init__(gettext("This study is closed: submitted answers can no longer be changed."))


@dataclass(frozen=True)
class Effort:
    """The seconds and the uses of reading aids that a page has counted since it last reported. Untrusted.

    `device` is how the page shows the task, in the words of `static/js/desk/device.js`; empty without scripts.
    """

    visible_seconds: float = 0.0
    active_seconds: float = 0.0
    tool_use: Mapping[str, int] = field(default_factory=dict)
    device: str = ""


@dataclass(frozen=True)
class Submission:
    """An answer that a page sends, with the revision and the guidelines version that the page was made from."""

    form: Form
    revision: int
    guidelines_version: int | None = None
    client_key: UUID | None = None
    effort: Effort = field(default_factory=Effort)


TIMING = ("opened_at", "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use", "device")
"""The fields of a revision with its times and efforts."""


def repeated_annotation(assignment: Assignment, client_key: UUID | None, digest: str) -> Annotation | None:
    """The annotation that the same request made before, or None; raises KeyReusedError for other content."""
    if client_key is None:
        return None
    made = Annotation.objects.filter(rater=assignment.rater_id, client_key=client_key).first()
    if made is not None:
        _check_same(made, assignment, digest)
    return made


def _check_same(made: Annotation, assignment: Assignment, digest: str) -> None:
    if made.payload_digest != digest or made.task_id != assignment.task_id:
        raise KeyReusedError


SUBMITTED = Annotation.Status.SUBMITTED.value


class Revision:
    """A revision being written, in the transaction in which `begin` locked the rater. Its caller records `steps`."""

    def __init__(self, work: LockedWork, study: Study, submission: Submission, digest: str, now: datetime) -> None:
        self.work, self.assignment, self.current, self.slot = work, work.assignment, work.current, work.slot
        self.study, self.submission, self.digest, self.now = study, submission, digest, now
        self.closed = work.state.status == Study.Status.CLOSED
        place = work.slot if work.slot is not None else work.current
        self.third_rater = place is not None and place.third_rater
        self.steps: list[AuditEntry] = []

    @classmethod
    def begin(
        cls, assignment: Assignment, study: Study, submission: Submission, digest: str
    ) -> "tuple[Revision, Annotation | None]":
        """Lock the rater's work; with the annotation that the same request has made before, if it has."""
        now = database_now()
        work = lock_work(assignment, study, submission.client_key, now)
        revision = cls(work, study, submission, digest, now)
        if work.repeated is not None:
            _check_same(work.repeated, assignment, digest)
            return revision, work.repeated
        if submission.revision != (work.current.revision if work.current else 0):
            raise StaleRevisionError(work.current)
        revision.refuse_if_closed()
        return revision, None

    def refuse_if_closed(self) -> None:
        """Raise StudyClosedError if the study is closed and has the rater's answer to this task."""
        if self.closed and self.current is not None and self.current.status in Annotation.ANSWERED:
            raise StudyClosedError

    def add(
        self,
        protocol: Protocol,
        status: str,
        answers: Any = None,
        surplus: bool = False,
        reason: str = "",
        timing: Mapping[str, Any] | None = None,
    ) -> Annotation:
        """Write the revision, with the present times unless `timing` is given; the one before is no longer current."""
        assignment, current = self.assignment, self.current
        if current is not None:
            Annotation.objects.filter(pk=current.pk).update(is_current=False)
            Rating.objects.filter(annotation=current).update(is_current=False)
            if current.status == SUBMITTED != status:  # an undo, a skip or a flag: the answer counts no longer
                for part in all_erasing():
                    part.answer_withdrawn(self.study, current.submitted_at)
        annotation = Annotation(
            task_id=assignment.task_id,
            rater_id=assignment.rater_id,
            revision=current.revision + 1 if current else 1,
            status=status,
            surplus=surplus,
            third_rater=self.third_rater,
            answers=answers or {},
            reason=reason,
            flag=assignment.flag,
            shown=assignment.order,
            guidelines_version=self.submission.guidelines_version,
            protocol_version=protocol.version,
            client_key=self.submission.client_key,
            payload_digest=self.digest,
            **(self._timed() if timing is None else timing),
        )
        insert(annotation)
        count("submits", status=status)
        if timing is None:  # otherwise the caller has recorded its step
            self._step(annotation)
        return annotation

    def _step(self, annotation: Annotation) -> None:
        assignment, current, study = self.assignment, self.current, self.study.slug
        subject = f"task {assignment.task_id} of {assignment.rater.name}"
        actor = self.work.state.identity or identity_of(assignment.rater.person, study)
        old = {"revision": current.revision} if current else None
        new = {"revision": annotation.revision, "surplus": annotation.surplus}
        self.steps.append(entry(f"task {annotation.status}", subject, actor=actor, study=study, old=old, new=new))

    def _timed(self) -> dict[str, Any]:
        """The times of a revision made now; its seconds are unknown if its beginning is."""
        assignment, effort = self.assignment, self.submission.effort
        began = assignment.opened_at
        return {
            "opened_at": began,
            "submitted_at": self.now,
            "seconds": None if began is None else max(0.0, (self.now - began).total_seconds()),
            "visible_seconds": assignment.visible_seconds + effort.visible_seconds,
            "active_seconds": assignment.active_seconds + effort.active_seconds,
            "tool_use": added_use(assignment.tool_use, effort.tool_use),
            "device": effort.device,
        }

    def fill_slot(self) -> bool:
        """Fill the rater's slot, or an open one; False if the quota is full or the study closed."""
        if self.closed:
            self.give_up_slot()
            return False
        slot, task, rater = self.slot, self.assignment.task_id, self.assignment.rater
        if slot is not None and (slot.state == Slot.State.FILLED or fill_slot(slot.pk, rater.pk)):
            return True
        counted = self.current is not None and self.current.status == "submitted" and not self.current.surplus
        if counted:  # a task without a slot from the beginning, such as one's own turn: open slots are for others
            return True
        # A task that never had slots has no quota.
        taken = take_open(rater, task, Slot.State.FILLED, None)
        self.third_rater = taken is not None and taken.third_rater
        return taken is not None or not Slot.objects.filter(task=task).exists()

    def _own_slot(self) -> "QuerySet[Slot]":
        """The rater's slot, if nobody has released it since it was read."""
        return Slot.objects.filter(task=self.assignment.task_id, holder=self.assignment.rater_id)

    def give_up_slot(self) -> None:
        """Open the rater's slot, if they have one, to others."""
        lock_counts(self.study)
        self._own_slot().update(state=Slot.State.OPEN, holder=None, lease_until=None)

    def take_back_slot(self) -> None:
        """Hold the rater's slot again, or an open one; if there is none, a later answer is surplus."""
        until = lease_end(self.study, self.now)
        if not self._own_slot().update(state=Slot.State.HELD, lease_until=until):
            take_open(self.assignment.rater, self.assignment.task_id, Slot.State.HELD, until)


def added_use(old: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """The uses of the reading aids, added up."""
    return {key: old.get(key, 0) + more.get(key, 0) for key in sorted({*old, *more})}


def write_ratings(
    annotation: Annotation, study: Study, task: Task, outputs: Mapping[str, int], answers: Sequence[Answer],
    shown: list[str],
) -> None:  # fmt: skip
    """Write the flat ratings of an annotation; `outputs` gives the primary keys of the task's outputs by key."""
    ratings = [
        Rating(
            study_id=study.pk,
            question_id=answer.question.pk,
            rater_id=annotation.rater_id,
            item_id=task.item_id,
            output_id=outputs[answer.unit.output] if answer.unit.output is not None else None,
            other_output_id=outputs[answer.unit.other] if answer.unit.other is not None else None,
            variant=task.variant,
            annotation_id=annotation.pk,
            revision=annotation.revision,
            level=answer.level,
            number=answer.number,
            value=answer.value,
            off_scale=answer.off_scale,
            third_rater=annotation.third_rater,
            guidelines_version=annotation.guidelines_version,
            protocol_version=annotation.protocol_version,
            shown=shown,
            seconds=annotation.seconds,
            submitted_at=annotation.submitted_at,
        )
        for answer in answers
    ]
    run_as_one(insertion(ratings))


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
    for part in parts_of(study).following:
        part.after_answer(study, annotation)
    reset = reset_statement(revision.assignment, None, None)
    return SavedAnswer(annotation, revision.work, revision.now, revision.steps, False, [reset])


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
            reset = reset_statement(revision.assignment, None, _unsent(revision.assignment, submission.form))
        else:
            revision.take_back_slot()
            reset = reset_statement(revision.assignment, revision.now, _typed(revision))
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


logger = logging.getLogger(__name__)
FAILURES = (DatabaseFailure, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What must not cost the answer if it happens in the claim: failures of the database, and of the program."""


class ClaimFailedError(Exception):
    """The claim failed; the answer's transaction is lost with it."""


def submit_and_claim(row: TaskRow, submission: Submission) -> Assignment | None:
    """Save an answer and claim the next task; None if the task is to be claimed in the ordinary way.

    Raises what `annotation.desk.submitting.submit` raises.
    """
    answer = CheckedAnswer.of(row, submission)
    with keeping_aside(row.assignment, submission):
        try:
            return _save_and_claim(answer)
        except ClaimFailedError:
            return _save_and_claim(answer, claiming=False)


def _save_and_claim(answer: CheckedAnswer, *, claiming: bool = True) -> Assignment | None:
    with transaction.atomic(), joined():
        saved = save_answer(answer)
        claimed = _claimed(answer.row.study, saved) if claiming else None
        saved.write_rest(*(claimed.steps if claimed else ()))
    return claimed.assignment if claimed else None


def _claimed(study: Study, saved: SavedAnswer) -> Claimed | None:
    """The next task, unless the rater has something to read first, or the study gives out work in its own way.

    None too for an answer that had been saved before: the rater may be at another task by now.
    """
    state, flow = saved.work.state, protocols()[study.protocol].flow
    if (
        saved.repeated
        or state.unread
        or not state.rater.admitted
        or state.status != Study.Status.LIVE
        or not flow.offers_every_task
        or flow.has_own_pages
    ):
        return None
    try:
        return claim(study, state, saved.now)
    except FAILURES as problem:
        logger.exception("The next task could not be claimed with the answer.")
        raise ClaimFailedError from problem
