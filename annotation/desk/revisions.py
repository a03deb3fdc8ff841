"""Writing one revision of an answer, in the transaction that has locked its rater."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from accounts.auditing import entry, identity_of
from accounts.models import AuditEntry
from annotation.desk.assigning import lease_end, take_open
from annotation.desk.hot_queries import LockedWork, lock_work, reset_statement
from annotation.desk.slot_statements import fill_slot
from annotation.desk.submissions import KeyReusedError, StaleRevisionError, StudyClosedError, Submission
from annotation.desk.task_search import lock_counts
from annotation.erasing import all_erasing
from annotation.models import Annotation, Assignment, Rating, Slot, Study, Task
from annotation.protocols import Answer, Form, Protocol
from config.database_clock import database_now
from config.prepared_sql import Statement, insert, insert_all
from config.process_counts import count

TIMING = ("opened_at", "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use", "display")
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
        annotation = insert(
            Annotation(
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
        )
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
            "display": effort.display,
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

    def reset_statement(self, draft: Form | None = None, *, at_work: bool = False) -> Statement:
        """The statement that prepares the assignment for the next revision: clocks at zero, and `draft` or no draft.

        Work on it begins when its page is opened, or now if the rater is `at_work` on it.
        """
        return reset_statement(self.assignment, self.now if at_work else None, draft)


def added_use(old: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """The uses of the reading aids, added up."""
    return {key: old.get(key, 0) + more.get(key, 0) for key in sorted({*old, *more})}


def write_ratings(
    annotation: Annotation, study: Study, task: Task, outputs: Mapping[str, int], answers: Sequence[Answer],
    shown: list[str],
) -> None:  # fmt: skip
    """Write the flat ratings of an annotation; `outputs` gives the primary keys of the task's outputs by key."""
    insert_all([_rating(annotation, study, task, outputs, answer, shown) for answer in answers])


def _rating(
    annotation: Annotation, study: Study, task: Task, outputs: Mapping[str, int], answer: Answer, shown: list[str]
) -> Rating:
    unit = answer.unit
    return Rating(
        study_id=study.pk,
        question_id=answer.question.pk,
        rater_id=annotation.rater_id,
        item_id=task.item_id,
        output_id=outputs[unit.output] if unit.output is not None else None,
        other_output_id=outputs[unit.other] if unit.other is not None else None,
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
