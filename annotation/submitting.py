"""The only writer of annotations and of the ratings that they give.

A submission becomes a new revision and its flat ratings in one transaction, or nothing. Sent again with the
same client key it returns what it made the first time. Work is never thrown away: what comes after the
lease went to somebody else takes an open slot, or is kept and marked as surplus.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.auditing import record
from annotation.assigning import lease_end, take_open
from annotation.models import Annotation, Assignment, DraftConflict, Rater, Rating, Slot, Study, Task
from annotation.protocols import Answer, Form, Protocol, Sheet, protocols
from annotation.text import check_json
from config.fields import canonical_json

ANSWERED = ("submitted", "skipped")


class StaleRevisionError(Exception):
    """The answer was changed elsewhere since the page was made; `current` is what stands now."""

    def __init__(self, current: Annotation | None) -> None:
        super().__init__("The answer was changed elsewhere since this page was made.")
        self.current = current


class KeyReusedError(Exception):
    """The client key was used before for another content."""


class StudyClosedError(Exception):
    """The study is closed: an answer that it has stays as it is."""

    def __init__(self) -> None:
        super().__init__("This study is closed: an answer that was given can no longer be changed.")


TIMING = ("opened_at", "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use")
"""What a revision says of when and how long it was worked on."""


@dataclass(frozen=True)
class Effort:
    """What the page counted since it last reported: seconds, and uses of each reading aid. Untrusted."""

    visible_seconds: float = 0.0
    active_seconds: float = 0.0
    tool_use: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """What a page sends: `revision` and `guidelines_version` are those that it was made from."""

    form: Form
    revision: int
    guidelines_version: int | None = None
    client_key: UUID | None = None
    effort: Effort = field(default_factory=Effort)


def sheet_of(assignment: Assignment) -> Sheet:
    """What this rater is shown: the document, and the task's outputs in the assignment's order."""
    return sheet_in(assignment.task, assignment.order)


def sheet_in(task: Task, order: Sequence[int]) -> Sheet:
    """The document, and the task's outputs in this order of their positions."""
    rows = list(task.task_outputs.order_by("position").values_list("output__key", "output__text"))
    shown = [rows[position] for position in order]
    keys, texts = [key for key, _ in shown], [text for _, text in shown]
    return Sheet.of(keys, texts, task.item.document)


def current_annotation(assignment: Assignment) -> Annotation | None:
    """The latest revision of the rater's answer to the task."""
    return Annotation.objects.filter(task=assignment.task_id, rater=assignment.rater_id, is_current=True).first()


def submit(assignment: Assignment, submission: Submission) -> Annotation:
    """Keep an answer as the next revision.

    Raises AnswersInvalidError, StaleRevisionError, KeyReusedError and StudyClosedError.
    """
    study = assignment.rater.study
    protocol, questions = protocols()[study.protocol], list(study.questions.order_by("position"))
    sheet = sheet_of(assignment)
    digest = hashlib.sha256(canonical_json(submission.form).encode("utf-8", "surrogatepass")).hexdigest()
    repeated = _repeated(assignment, submission.client_key, digest)
    if repeated is not None:
        return repeated
    answers = protocol.read_form(submission.form, questions, sheet)
    check_json(answers)
    try:
        with transaction.atomic():
            work = _Revision.begin(assignment, submission, digest)
            if isinstance(work, Annotation):
                return work
            annotation = work.add(protocol, "submitted", answers=answers, surplus=not work.fill_slot())
            _write_ratings(annotation, study, protocol.ratings(answers, questions, sheet), sheet.keys)
            work.finish()
            return annotation
    except StaleRevisionError:
        # Both versions are kept: the one that stands, and this one aside. Outside the transaction that failed.
        DraftConflict.objects.create(assignment=assignment, base_version=assignment.draft_version, body=submission.form)
        raise


def skip(assignment: Assignment, submission: Submission, reason: str) -> Annotation:
    """Keep that the rater passes the task on, and open its slot to others; raises as `submit` does."""
    return _leave(assignment, submission, "skipped", reason)


def undo(assignment: Assignment, submission: Submission) -> Annotation:
    """Withdraw the rater's last answer to the task and have it open on their desk again, as it was typed."""
    return _leave(assignment, submission, "withdrawn", "")


def _leave(assignment: Assignment, submission: Submission, status: str, reason: str) -> Annotation:
    protocol = protocols()[assignment.rater.study.protocol]
    digest = hashlib.sha256(canonical_json([status, reason]).encode("utf-8", "surrogatepass")).hexdigest()
    with transaction.atomic():
        work = _Revision.begin(assignment, submission, digest)
        if isinstance(work, Annotation):
            return work
        if status == "withdrawn" and work.current is None:
            raise StaleRevisionError(None)
        annotation = work.add(protocol, status, reason=reason)
        if status == "skipped":
            work.give_up_slot()
        else:
            work.take_back_slot()
        work.finish(draft=work.typed(protocol) if status == "withdrawn" else None)
        return annotation


def flag(assignment: Assignment, reason: str) -> None:
    """Keep what the rater says is wrong with the task; an empty reason takes it back.

    Each is a revision: of the answer, whose times it keeps, or, before there is one, of none. Raises
    StudyClosedError.
    """
    study = assignment.rater.study
    protocol, questions = protocols()[study.protocol], list(study.questions.order_by("position"))
    with transaction.atomic():
        Rater.objects.select_for_update().get(pk=assignment.rater_id)
        fresh = Assignment.objects.select_related("rater__study", "rater__person").get(pk=assignment.pk)
        old, fresh.flag = fresh.flag, reason
        if old == reason:
            return
        Assignment.objects.filter(pk=assignment.pk).update(flag=reason)
        actor, subject = fresh.rater.person, f"task {fresh.task_id} of {fresh.rater.name}"
        record("task flagged", subject, actor=actor, study=study.slug, old={"flag": old}, new={"flag": reason})
        current = current_annotation(fresh)
        again = Submission({}, current.revision if current else 0, current.guidelines_version if current else None)
        work = _Revision(fresh, again, "", current, timezone.now())
        work.refuse_if_closed()
        if current is None or current.status not in ANSWERED:
            untimed = {"submitted_at": work.now, "opened_at": fresh.opened_at}
            work.add(protocol, "flagged" if reason else "withdrawn", timing=untimed)
            return
        timing = {name: getattr(current, name) for name in TIMING}
        annotation = work.add(protocol, current.status, current.answers, current.surplus, current.reason, timing)
        sheet = sheet_of(fresh)
        if current.status == "submitted":
            _write_ratings(annotation, study, protocol.ratings(current.answers, questions, sheet), sheet.keys)


def _repeated(assignment: Assignment, client_key: UUID | None, digest: str) -> Annotation | None:
    """What this request made before, where it is a repeated one; raises KeyReusedError for other content."""
    if client_key is None:
        return None
    made = Annotation.objects.filter(rater=assignment.rater_id, client_key=client_key).first()
    if made is not None and (made.payload_digest != digest or made.task_id != assignment.task_id):
        raise KeyReusedError
    return made


class _Revision:
    """One revision in the making, inside the transaction that `begin` has locked the rater in."""

    def __init__(
        self, assignment: Assignment, submission: Submission, digest: str, current: Annotation | None, now: datetime
    ) -> None:
        self.assignment, self.submission, self.digest = assignment, submission, digest
        self.current, self.now = current, now
        self.study = assignment.rater.study
        self.closed = Study.objects.filter(pk=self.study.pk, status=Study.Status.CLOSED).exists()

    @classmethod
    def begin(cls, assignment: Assignment, submission: Submission, digest: str) -> "_Revision | Annotation":
        """Lock the rater's work; returns the annotation instead where the request is a repeated one."""
        Rater.objects.select_for_update().get(pk=assignment.rater_id)
        repeated = _repeated(assignment, submission.client_key, digest)
        if repeated is not None:
            return repeated
        current = current_annotation(assignment)
        if submission.revision != (current.revision if current else 0):
            raise StaleRevisionError(current)
        fresh = Assignment.objects.select_related("rater__study", "rater__person").get(pk=assignment.pk)
        work = cls(fresh, submission, digest, current, timezone.now())
        work.refuse_if_closed()
        return work

    def refuse_if_closed(self) -> None:
        """Raise StudyClosedError where the study is closed and has an answer of the rater's to this task."""
        if self.closed and self.current is not None and self.current.status in ANSWERED:
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
        """Write the revision, timed now unless `timing` is given; the one before it is no longer current."""
        assignment, current = self.assignment, self.current
        if current is not None:
            Annotation.objects.filter(pk=current.pk).update(is_current=False)
            Rating.objects.filter(annotation=current).update(is_current=False)
        annotation = Annotation.objects.create(
            task_id=assignment.task_id,
            rater=assignment.rater,
            revision=current.revision + 1 if current else 1,
            status=status,
            surplus=surplus,
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
        if timing is None:  # otherwise the caller has recorded what it does
            record(
                f"task {status}",
                f"task {assignment.task_id} of {assignment.rater.name}",
                actor=assignment.rater.person,
                study=self.study.slug,
                old={"revision": current.revision, "answers": current.answers} if current else None,
                new={"revision": annotation.revision, "answers": annotation.answers, "surplus": surplus},
            )
        return annotation

    def _timed(self) -> dict[str, Any]:
        """The times of a revision made now; where nobody saw it begin, its seconds are unknown."""
        assignment, effort = self.assignment, self.submission.effort
        began = assignment.opened_at
        return {
            "opened_at": began,
            "submitted_at": self.now,
            "seconds": None if began is None else max(0.0, (self.now - began).total_seconds()),
            "visible_seconds": assignment.visible_seconds + effort.visible_seconds,
            "active_seconds": assignment.active_seconds + effort.active_seconds,
            "tool_use": added_use(assignment.tool_use, effort.tool_use),
        }

    def typed(self, protocol: Protocol) -> Form:
        """The form that the current answer came from, for going on with it."""
        answers = self.current.answers if self.current else {}
        questions = list(self.study.questions.order_by("position"))
        return protocol.form_of(answers, questions, sheet_of(self.assignment))

    def _slot(self) -> Slot | None:
        return (
            Slot.objects.select_for_update().filter(task=self.assignment.task_id, holder=self.assignment.rater).first()
        )

    def fill_slot(self) -> bool:
        """Put the answer on the rater's slot, or on an open one; False where the quota is full or the study closed."""
        if self.closed:
            self.give_up_slot()
            return False
        slot, task = self._slot(), self.assignment.task_id
        if slot is None:
            stood = self.current is not None and self.current.status == "submitted" and not self.current.surplus
            if stood:  # without a slot from the first, as one's own turn does: open ones are for others
                return True
            # A task that never had slots has no quota that could be full.
            taken = take_open(self.assignment.rater, task, Slot.State.FILLED, None)
            return taken or not Slot.objects.filter(task=task).exists()
        Slot.objects.filter(pk=slot.pk).update(state=Slot.State.FILLED, lease_until=None)
        return True

    def give_up_slot(self) -> None:
        """Open the rater's slot, if they have one, to others."""
        slot = self._slot()
        if slot is not None:
            Slot.objects.filter(pk=slot.pk).update(state=Slot.State.OPEN, holder=None, lease_until=None)

    def take_back_slot(self) -> None:
        """Hold the rater's slot again, or an open one; without any, a later answer is surplus."""
        until = lease_end(self.study, self.now)
        slot = self._slot()
        if slot is None:
            take_open(self.assignment.rater, self.assignment.task_id, Slot.State.HELD, until)
        else:
            Slot.objects.filter(pk=slot.pk).update(state=Slot.State.HELD, lease_until=until)

    def finish(self, draft: Form | None = None) -> None:
        """Be ready for the revision after this one: clocks at zero, and nothing typed, or what is taken up again.

        Its work begins when its page is opened: at once where something is taken up again.
        """
        Assignment.objects.filter(pk=self.assignment.pk).update(
            opened_at=None if draft is None else self.now,
            draft=draft,
            draft_version=self.assignment.draft_version + 1,
            visible_seconds=0,
            active_seconds=0,
            tool_use={},
        )


def added_use(old: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    """Counts of uses of the reading aids, added up."""
    return {key: old.get(key, 0) + more.get(key, 0) for key in sorted({*old, *more})}


def _write_ratings(annotation: Annotation, study: Study, answers: Any, shown: list[str]) -> None:
    """The flat ratings of an annotation, each naming its unit's outputs by row."""
    outputs = dict(annotation.task.outputs.order_by().values_list("key", "pk"))
    item = annotation.task.item_id
    Rating.objects.bulk_create(_rating(annotation, study, item, outputs, answer, shown) for answer in answers)


def _rating(
    annotation: Annotation, study: Study, item: int, outputs: Mapping[str, int], answer: Answer, shown: list[str]
) -> Rating:
    unit = answer.unit
    return Rating(
        study=study,
        question=answer.question,
        rater=annotation.rater,
        item_id=item,
        output_id=outputs[unit.output] if unit.output is not None else None,
        other_output_id=outputs[unit.other] if unit.other is not None else None,
        variant=annotation.task.variant,
        annotation=annotation,
        revision=annotation.revision,
        level=answer.level,
        number=answer.number,
        value=answer.value,
        off_scale=answer.off_scale,
        guidelines_version=annotation.guidelines_version,
        protocol_version=annotation.protocol_version,
        shown=shown,
        seconds=annotation.seconds,
        submitted_at=annotation.submitted_at,
    )
