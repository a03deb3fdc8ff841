"""What a person does in a session, step by step: the only writer of sessions and of what people write in turns.

Every step is committed before a model is called, and is refused where the rules (`sessions.workflow`) do not have
it due. The same step sent again changes nothing; what another page was quicker to do is kept aside and said.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.auditing import record
from annotation.assigning import fill, give_own, hold, release
from annotation.drafting import clear_draft, keep_aside
from annotation.models import Annotation, Assignment, Rater, Slot, Study
from annotation.planning import ensure_tasks, task_key
from annotation.protocols import TaskPlan
from annotation.submitting import KeyReusedError, StaleRevisionError, StudyClosedError, Submission, submit
from annotation.text import check_text
from config.background.claiming import ask_to_stop
from config.background.waking import enqueue, enqueue_again
from llm.models import Call
from sessions.background.writing import WORK, work_of
from sessions.history import ToldTurn, state, turns_of
from sessions.models import RevisionSession, Turn
from sessions.options import options_of
from sessions.variants import turn_variant
from sessions.workflow import GOOD, KINDS, MAX_TURNS, Due, State

LONGEST_INSTRUCTION = 20_000
LONGEST_ANSWER = 200_000
MINUTE = timedelta(minutes=1)
CALLS_A_MINUTE = 6
"""Calls for one turn after which trying again has to wait: each may have to be paid."""
TOO_OFTEN = "This was tried several times within a minute. Wait a minute, then try again: nothing is lost."
ENDED = "This session is over."
TAKEN = "The time for this session ran out, and somebody else has its question now. What you wrote is kept."


class StepRefusedError(Exception):
    """A step that is not due, or text that cannot be taken; the message is a sentence for whoever sent it."""


class TurnConflictError(Exception):
    """Another page was quicker: the session has moved on. What was sent is kept aside with the session's drafts."""

    def __init__(self) -> None:
        super().__init__("This session was gone on with in another window. What you sent here is kept, not used.")


@dataclass(frozen=True)
class Instruction:
    """What a page sends to begin a turn: `number` is that of the turn that it was made for."""

    kind: str
    text: str
    number: int
    client_key: UUID | None = None


def begin(assignment: Assignment, model: str, now: datetime) -> RevisionSession:
    """Begin the session of a task that was just given, and have its first answer written.

    Inside the transaction that gives the task.
    """
    session = RevisionSession.objects.create(
        study=assignment.rater.study, item=assignment.task.item, task=assignment.task, rater=assignment.rater,
        model=model, started_at=now,
    )  # fmt: skip
    enqueue(WORK, Turn.objects.create(session=session, number=0, kind=Turn.Kind.FIRST))
    return session


def assignment_of(session: RevisionSession) -> Assignment:
    """The session's own assignment, with which drafts are kept."""
    return Assignment.objects.select_related("rater__study", "rater__person").get(
        rater=session.rater_id, task=session.task_id
    )


@dataclass
class _Desk:
    """A session that is locked for one step, with its turns and where it stands."""

    session: RevisionSession
    turns: list[ToldTurn]
    state: State
    now: datetime

    @classmethod
    def of(cls, session: RevisionSession) -> "_Desk":
        """Lock a session in the order in which everything locks: the rater, the slot, the session."""
        Rater.objects.select_for_update().get(pk=session.rater_id)
        list(Slot.objects.select_for_update().filter(task=session.task_id, holder=session.rater_id))
        fresh = RevisionSession.objects.select_related("study", "rater__person", "item", "task")
        locked = fresh.select_for_update(of=("self",)).get(pk=session.pk)
        turns = turns_of(locked)
        return cls(locked, turns, state(locked, turns), timezone.now())

    @property
    def last(self) -> ToldTurn:
        return self.turns[-1]

    def turn(self, number: int) -> Turn:
        """The turn of this number; raises StepRefusedError."""
        found = next((told.turn for told in self.turns if told.turn.number == number), None)
        if found is None:
            raise StepRefusedError("There is no such turn in this session.")
        return found

    def take_up(self) -> None:
        """Renew the lease, or take the session up again that lost it. Raises StepRefusedError, StudyClosedError."""
        session = self.session
        if Study.objects.filter(pk=session.study_id, status=Study.Status.CLOSED).exists():
            raise StudyClosedError
        if session.status == RevisionSession.Status.ABANDONED:
            if not hold(session.study, session.rater, session.task_id, self.now):
                raise StepRefusedError(TAKEN)
            session.status, session.ended_at = RevisionSession.Status.ACTIVE, None
            session.save(update_fields=["status", "ended_at"])
            self._record("session taken up again")
            self.state = state(session, self.turns)
        else:
            hold(session.study, session.rater, session.task_id, self.now)

    def end(self, status: str) -> None:
        """End the session; its slot is filled."""
        session = self.session
        session.status, session.ended_at = status, session.ended_at or self.now
        session.save(update_fields=["status", "ended_at"])
        fill(session.rater, session.task_id)
        self._record("session ended", status=status)

    def _record(self, action: str, **new: str) -> None:
        session = self.session
        record(action, session.key, actor=session.rater.person, study=session.study.slug, new=new or None)


def instruct(session: RevisionSession, instruction: Instruction) -> Turn:
    """Begin the next turn and have its answer written.

    Raises StepRefusedError, TurnConflictError, KeyReusedError, StudyClosedError and TextRefusedError.
    """
    text = check_text(instruction.text.replace("\r\n", "\n"), "the instruction")
    if not text.strip():
        raise StepRefusedError("Write what the answer should become.")
    if len(text) > LONGEST_INSTRUCTION:
        raise StepRefusedError(f"An instruction may have at most {LONGEST_INSTRUCTION} characters.")
    if instruction.kind not in KINDS:
        raise StepRefusedError("Say whether the instruction asks for more information.")
    with transaction.atomic():
        desk = _Desk.of(session)
        repeated = _repeated(desk.session, instruction, text)
        if repeated is not None:
            return repeated
        if desk.session.status == RevisionSession.Status.ABANDONED:
            desk.take_up()
        fits = desk.state.due == Due.INSTRUCT and desk.state.number == instruction.number
        if fits:
            desk.take_up()
            turn = Turn.objects.create(
                session=desk.session, number=instruction.number, kind=instruction.kind, instruction=text,
                client_key=instruction.client_key, previous_answer=desk.state.current or "",
            )  # fmt: skip
            enqueue(WORK, turn)
            clear_draft(assignment_of(desk.session))
        else:
            keep_aside(assignment_of(desk.session), {"instruction": [text], "kind": [instruction.kind]})
    if not fits:
        raise TurnConflictError
    return turn


def _repeated(session: RevisionSession, instruction: Instruction, text: str) -> Turn | None:
    """The turn that this very request made before; raises KeyReusedError for other content."""
    if instruction.client_key is None:
        return None
    made = session.turns.filter(client_key=instruction.client_key).first()
    if made is not None and (made.kind, made.instruction) != (instruction.kind, text):
        raise KeyReusedError
    return made


def rate(session: RevisionSession, number: int, submission: Submission) -> Annotation:
    """Keep the user's own rating of a turn, with its reason and the study's further questions.

    It can be changed until the next turn begins. After the last turn the session ends by itself. Raises
    StepRefusedError, TurnConflictError, and all that `annotation.submitting.submit` raises.
    """
    try:
        with transaction.atomic():
            desk = _Desk.of(session)
            if desk.state.ratable != number:
                raise _not_due(desk, number, "rated")
            turn = desk.turn(number)
            assignment = _own_assignment(desk.session, turn)
            annotation = submit(assignment, submission)
            _rated(desk, turn, annotation)
            return annotation
    except (StaleRevisionError, TurnConflictError):
        keep_aside(assignment_of(session), submission.form)
        raise


def _not_due(desk: _Desk, number: int, step: str) -> Exception:
    """Why a turn cannot be rated or edited now: others went on with the session, or it was never due."""
    if number < desk.last.turn.number:
        return TurnConflictError()
    if desk.state.due == Due.OVER:
        return StepRefusedError(ENDED)
    return StepRefusedError(f"This answer cannot be {step} now.")


def _own_assignment(session: RevisionSession, turn: Turn) -> Assignment:
    """The user's assignment on the turn's task, made when it is first needed; work on it began with the answer."""
    if turn.task_id is None:
        turn.task_id = turn_task(session, turn)
        turn.save(update_fields=["task"])
    assignment = give_own(session.rater, turn.task_id, turn.ended_at)
    return Assignment.objects.select_related("rater__study", "task__item").get(pk=assignment.pk)


def turn_task(session: RevisionSession, turn: Turn) -> int:
    """The primary key of the task on which a turn is rated, made where it is missing."""
    plan = TaskPlan((), turn_variant(session.key, turn.number))
    item = session.item
    tasks, _ = ensure_tasks(session.study, [(item.pk, item.key)], {item.pk: []}, {item.pk: [plan]})
    return tasks[item.pk, task_key(plan)]


def _rated(desk: _Desk, turn: Turn, annotation: Annotation) -> None:
    if turn.annotation_id == annotation.pk:
        return
    turn.annotation = annotation
    if annotation.answers["rating"] == GOOD and turn.edited_answer is not None:
        # Nobody edits what is good: the text is kept aside, not lost.
        keep_aside(assignment_of(desk.session), {"edit": [turn.edited_answer]})
        turn.edited_answer, turn.edits = None, turn.edits + 1
    turn.save(update_fields=["annotation", "edited_answer", "edits"])
    clear_draft(assignment_of(desk.session))
    if desk.session.is_active:
        hold(desk.session.study, desk.session.rater, desk.session.task_id, desk.now)
        if turn.number >= options_of(desk.session.study).max_turns:
            desk.end(MAX_TURNS)


def edit(session: RevisionSession, number: int, text: str, edits: int) -> Turn:
    """Keep the answer of a turn rated neutral or bad as its user has corrected it, until the next turn begins.

    `edits` is how often it was edited when the page was made. The answer as the model wrote it is no edit. Raises
    StepRefusedError, TurnConflictError, StudyClosedError and TextRefusedError.
    """
    text = check_text(text.replace("\r\n", "\n"), "the answer")
    if not text.strip():
        raise StepRefusedError("The edited answer is empty: to leave the answer as it was, do not edit it.")
    if len(text) > LONGEST_ANSWER:
        raise StepRefusedError(f"An answer may have at most {LONGEST_ANSWER} characters.")
    with transaction.atomic():
        desk = _Desk.of(session)
        fits = desk.state.editable == number
        if not fits and number >= desk.last.turn.number:
            raise _not_due(desk, number, "edited")
        turn = desk.turn(number)
        wanted = None if text == turn.answer else text
        if fits and turn.edited_answer == wanted:
            return turn
        fits = fits and turn.edits == edits
        if fits:
            desk.take_up()
            _write_edit(desk, turn, wanted)
            clear_draft(assignment_of(desk.session))
        else:
            keep_aside(assignment_of(desk.session), {"edit": [text]})
    if not fits:
        raise TurnConflictError
    return turn


def _write_edit(desk: _Desk, turn: Turn, wanted: str | None) -> None:
    old, turn.edited_answer, turn.edits = turn.edited_answer, wanted, turn.edits + 1
    turn.save(update_fields=["edited_answer", "edits"])
    session = desk.session
    record(
        "turn edited", f"{session.key} turn {turn.number}", actor=session.rater.person, study=session.study.slug,
        old={"edited_answer": old}, new={"edited_answer": wanted},
    )  # fmt: skip


def ready(session: RevisionSession) -> RevisionSession:
    """End the session with its current answer; a last turn that failed is discarded. Raises StepRefusedError."""
    with transaction.atomic():
        desk = _Desk.of(session)
        if desk.session.status == RevisionSession.Status.SATISFIED:
            return desk.session
        if desk.state.due == Due.OVER:
            raise StepRefusedError(ENDED)
        if not desk.state.may_end:
            reason = "Rate at least one turn first." if not desk.state.rated else "Finish the turn that is open first."
            raise StepRefusedError(reason)
        desk.take_up()
        if desk.state.due == Due.RETRY:
            _discard(desk.last.turn)
        desk.end(RevisionSession.Status.SATISFIED)
        clear_draft(assignment_of(desk.session))
        return desk.session


def give_up(session: RevisionSession, reason: str) -> RevisionSession:
    """Abandon an active session: its question is free for somebody else. Raises StepRefusedError."""
    with transaction.atomic():
        desk = _Desk.of(session)
        if desk.session.status == RevisionSession.Status.ABANDONED:
            return desk.session
        if not desk.session.is_active:
            raise StepRefusedError(ENDED)
        if desk.last.turn.is_waiting:
            ask_to_stop(WORK, desk.last.turn)
        # Opening the slot abandons the session: see the protocol.
        if not release(desk.session.study, desk.session.rater, desk.session.task_id, reason or "given up"):
            abandon_of(desk.session.rater_id or 0, desk.session.task_id, desk.now)
        desk.session.refresh_from_db()
        return desk.session


def abandon_of(rater: int, task: int, now: datetime) -> None:
    """Mark a rater's active session on a task as abandoned; inside the transaction that opens its slot."""
    active = RevisionSession.objects.filter(rater=rater, task=task, status=RevisionSession.Status.ACTIVE)
    active.update(status=RevisionSession.Status.ABANDONED, ended_at=now)


def resume(session: RevisionSession) -> RevisionSession:
    """Take up a session again that was given up, or whose time ran out. Raises StepRefusedError, StudyClosedError."""
    with transaction.atomic():
        desk = _Desk.of(session)
        if desk.session.status == RevisionSession.Status.SATISFIED:
            raise StepRefusedError(ENDED)
        desk.take_up()
        return desk.session


def retry(session: RevisionSession, number: int) -> Turn:
    """Have the answer of a turn that failed or was stopped written again. Raises StepRefusedError."""
    with transaction.atomic():
        desk = _Desk.of(session)
        desk.take_up()
        turn = desk.turn(number)
        if desk.state.due == Due.RETRY and desk.last.turn.number == number:
            lately = Call.objects.filter(work=work_of(turn), started_at__gt=timezone.now() - MINUTE)
            if lately.count() >= CALLS_A_MINUTE:
                raise StepRefusedError(TOO_OFTEN)
            enqueue_again(WORK, turn)
        elif not (desk.state.due == Due.WAIT and desk.last.turn.number == number):
            raise StepRefusedError("This turn did not fail: there is nothing to try again.")
        return turn


def discard(session: RevisionSession, number: int) -> None:
    """Take back a turn that failed: its number is free, its instruction is the draft of the next one.

    Raises StepRefusedError.
    """
    with transaction.atomic():
        desk = _Desk.of(session)
        if number == 0 or desk.state.due != Due.RETRY or desk.last.turn.number != number:
            if session.turns.filter(number=number, discarded=True).exists():
                return
            raise StepRefusedError("Only a turn without an answer can be taken back.")
        desk.take_up()
        turn = desk.last.turn
        _discard(turn)
        clear_draft(assignment_of(desk.session), {"instruction": [turn.instruction], "kind": [turn.kind]})


def _discard(turn: Turn) -> None:
    turn.discarded = True
    turn.save(update_fields=["discarded"])


def stop(session: RevisionSession, number: int) -> None:
    """End the writing of a turn's answer; what there is of it is kept and marked. A turn that is over stays so."""
    turn = session.turns.filter(number=number, discarded=False).first()
    if turn is None:
        raise StepRefusedError("There is no such turn in this session.")
    ask_to_stop(WORK, turn)
