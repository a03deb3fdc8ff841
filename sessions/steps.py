"""The steps of a session: the only writer of sessions and of what people write in turns.

Each step is committed before a model is called, and refused if the rules (`sessions.workflow`) do not allow it now.
Sending a step twice changes nothing. If another page was faster, the text is kept aside and the page says so.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext

from accounts.auditing import record
from annotation.desk.assigning import give_own, hold
from annotation.desk.conflicting_drafts import keep_aside
from annotation.desk.drafting import clear_draft
from annotation.desk.submitting import KeyReusedError, StaleRevisionError, Submission, submit
from annotation.models import Annotation, Assignment
from annotation.protocols import TaskPlan
from annotation.studies.planning import ensure_tasks, task_key
from config.background.claiming import ask_to_stop
from config.background.waking import enqueue, enqueue_again
from config.text_validation import check_text
from sessions.background.answer_writing import WORK
from sessions.locked_session import (
    ENDED,
    NO_SUCH_TURN,
    LockedSession,
    StepRefusedError,
    TurnConflictError,
    assignment_of,
)
from sessions.models import RevisionSession, Turn
from sessions.study_options import options_of
from sessions.turn_variants import turn_variant
from sessions.workflow import GOOD, KINDS, MAX_TURNS, RATING, Due

LONGEST_INSTRUCTION = 20_000
LONGEST_ANSWER = 200_000


@dataclass(frozen=True)
class Instruction:
    """The fields that start a turn; `number` is the turn that the page was made for."""

    kind: str
    text: str
    number: int
    client_key: UUID | None = None


def start_session(assignment: Assignment, model: str, now: datetime) -> RevisionSession:
    """Start the session of a task that was just assigned, and have its first answer written.

    Called inside the transaction that assigns the task.
    """
    session = RevisionSession.objects.create(
        study=assignment.rater.study, item=assignment.task.item, task=assignment.task, rater=assignment.rater,
        model=model, started_at=now,
    )  # fmt: skip
    enqueue(WORK, Turn.objects.create(session=session, number=0, kind=Turn.Kind.FIRST))
    return session


def instruct(session: RevisionSession, instruction: Instruction) -> Turn:
    """Start the next turn and have its answer written.

    Raises StepRefusedError, TurnConflictError, KeyReusedError, StudyClosedError and TextRefusedError.
    """
    text = check_text(instruction.text.replace("\r\n", "\n"), gettext("the instruction"))
    if not text.strip():
        raise StepRefusedError(gettext("Write an instruction first."))
    if len(text) > LONGEST_INSTRUCTION:
        reason = gettext("An instruction may have at most %(most)s characters.")
        raise StepRefusedError(reason % {"most": LONGEST_INSTRUCTION})
    if instruction.kind not in KINDS:
        raise StepRefusedError(gettext("Say whether the papers should be searched."))
    with transaction.atomic():
        locked = LockedSession.of(session)
        repeated = _repeated(locked.session, instruction, text)
        if repeated is not None:
            return repeated
        if locked.session.status == RevisionSession.Status.ABANDONED:
            locked.renew()
        fits = locked.state.due == Due.INSTRUCT and locked.state.number == instruction.number
        if fits:
            locked.renew()
            locked.check_calls()
            turn = Turn.objects.create(
                session=locked.session, number=instruction.number, kind=instruction.kind, instruction=text,
                client_key=instruction.client_key, previous_answer=locked.state.current or "",
            )  # fmt: skip
            enqueue(WORK, turn)
            clear_draft(locked.assignment)
        else:
            keep_aside(locked.assignment, {"instruction": [text], "kind": [instruction.kind]})
    if not fits:
        raise TurnConflictError
    return turn


def _repeated(session: RevisionSession, instruction: Instruction, text: str) -> Turn | None:
    """Return the turn that the same request made before, or None. Raises KeyReusedError if its content differs."""
    if instruction.client_key is None:
        return None
    made = session.turns.filter(client_key=instruction.client_key).first()
    if made is not None and (made.kind, made.instruction) != (instruction.kind, text):
        raise KeyReusedError
    return made


def rate(session: RevisionSession, number: int, submission: Submission) -> Annotation:
    """Save the user's own rating of a turn, with the comment and the answers to the study's other questions.

    The rating can be changed until the next turn starts. Rating the last turn ends the session. Raises
    StepRefusedError, TurnConflictError, and what `annotation.desk.submitting.submit` raises.
    """
    try:
        with transaction.atomic():
            locked = LockedSession.of(session)
            if locked.state.ratable != number:
                raise locked.why_not(number, "rated")
            turn = locked.turn(number)
            assignment = _own_assignment(locked.session, turn)
            annotation = submit(assignment, submission)
            _link_rating(locked, turn, annotation)
            return annotation
    except (StaleRevisionError, TurnConflictError):
        keep_aside(assignment_of(session), submission.form)
        raise


def _own_assignment(session: RevisionSession, turn: Turn) -> Assignment:
    """Return the user's assignment on the turn's task, made on first use. Its time counts from the answer."""
    if turn.task_id is None:
        turn.task_id = turn_task(session, turn)
        turn.save(update_fields=["task"])
    assignment = give_own(session.rater, turn.task_id, turn.ended_at)
    return Assignment.objects.select_related("rater__study", "task__item").get(pk=assignment.pk)


def turn_task(session: RevisionSession, turn: Turn) -> int:
    """Return the primary key of the task on which a turn is rated. The task is made if it is missing."""
    plan = TaskPlan((), turn_variant(session.key, turn.number))
    item = session.item_id
    return ensure_tasks(session.study, [item], {item: []}, {item: [plan]})[item, task_key(plan)]


def _link_rating(locked: LockedSession, turn: Turn, annotation: Annotation) -> None:
    if turn.annotation_id == annotation.pk:
        return
    turn.annotation = annotation
    if annotation.answers[RATING] == GOOD and turn.edited_answer is not None:
        # An answer rated good has no edit, so the text is kept aside.
        keep_aside(locked.assignment, {"edit": [turn.edited_answer]})
        turn.edited_answer, turn.edits = None, turn.edits + 1
    turn.save(update_fields=["annotation", "edited_answer", "edits"])
    clear_draft(locked.assignment)
    if locked.session.is_active:
        hold(locked.session.study, locked.session.rater, locked.session.task_id, locked.now)
        if turn.number >= options_of(locked.session.study).max_turns:
            locked.end(MAX_TURNS)


def edit(session: RevisionSession, number: int, text: str, edits: int) -> Turn:
    """Save the user's edit of an answer rated neutral or bad; it can be changed until the next turn starts.

    `edits` is how often the answer had been edited when the page was made. Sending the model's own text is not an edit.
    Raises StepRefusedError, TurnConflictError, StudyClosedError and TextRefusedError.
    """
    text = check_text(text.replace("\r\n", "\n"), gettext("the answer"))
    if not text.strip():
        raise StepRefusedError(gettext("The edited answer is empty. To keep the answer as it is, do not edit it."))
    if len(text) > LONGEST_ANSWER:
        reason = gettext("An answer may have at most %(most)s characters.")
        raise StepRefusedError(reason % {"most": LONGEST_ANSWER})
    with transaction.atomic():
        locked = LockedSession.of(session)
        fits = locked.state.editable == number
        if not fits and number >= locked.last.turn.number:
            raise locked.why_not(number, "edited")
        turn = locked.turn(number)
        wanted = None if text == turn.answer else text
        if fits and turn.edited_answer == wanted:
            return turn
        fits = fits and turn.edits == edits
        if fits:
            locked.renew()
            _write_edit(locked, turn, wanted)
            clear_draft(locked.assignment)
        else:
            keep_aside(locked.assignment, {"edit": [text]})
    if not fits:
        raise TurnConflictError
    return turn


def _write_edit(locked: LockedSession, turn: Turn, wanted: str | None) -> None:
    old, turn.edited_answer, turn.edits = turn.edited_answer, wanted, turn.edits + 1
    turn.save(update_fields=["edited_answer", "edits"])
    session = locked.session
    record(
        "turn edited", f"{session.key} turn {turn.number}", actor=session.rater.person, study=session.study.slug,
        old={"edited_answer": old}, new={"edited_answer": wanted},
    )  # fmt: skip


def finish(session: RevisionSession) -> RevisionSession:
    """End the session with its current answer; a failed last turn is discarded. Raises StepRefusedError."""
    with transaction.atomic():
        locked = LockedSession.of(session)
        if locked.session.status == RevisionSession.Status.SATISFIED:
            return locked.session
        if locked.state.due == Due.OVER:
            raise StepRefusedError(gettext(ENDED))
        if not locked.state.may_end:
            reason = (
                gettext("Rate at least one turn first.")
                if not locked.state.rated
                else gettext("Finish the open turn first.")
            )
            raise StepRefusedError(reason)
        locked.renew()
        if locked.state.due == Due.RETRY:
            _discard(locked.last.turn)
        locked.end(RevisionSession.Status.SATISFIED)
        clear_draft(locked.assignment)
        return locked.session


def mark_abandoned(rater: int, task: int, now: datetime) -> None:
    """Mark a rater's active session on a task as abandoned, in the transaction that opens its slot."""
    active = RevisionSession.objects.filter(rater=rater, task=task, status=RevisionSession.Status.ACTIVE)
    active.update(status=RevisionSession.Status.ABANDONED, ended_at=now)


def resume(session: RevisionSession) -> RevisionSession:
    """Continue an abandoned session. Raises StepRefusedError and StudyClosedError."""
    with transaction.atomic():
        locked = LockedSession.of(session)
        if locked.session.status == RevisionSession.Status.SATISFIED:
            raise StepRefusedError(gettext(ENDED))
        locked.renew()
        return locked.session


def retry(session: RevisionSession, number: int) -> Turn:
    """Retry the answer of a failed or stopped turn. Raises StepRefusedError."""
    with transaction.atomic():
        locked = LockedSession.of(session)
        locked.renew()
        turn = locked.turn(number)
        if locked.state.due == Due.RETRY and locked.last.turn.number == number:
            locked.check_calls()
            enqueue_again(WORK, turn)
        elif not (locked.state.due == Due.WAIT and locked.last.turn.number == number):
            raise StepRefusedError(gettext("This turn did not fail. There is nothing to retry."))
        return turn


def discard(session: RevisionSession, number: int) -> None:
    """Discard a failed turn. Its instruction becomes the draft of the next turn, which gets its number.

    Raises StepRefusedError.
    """
    with transaction.atomic():
        locked = LockedSession.of(session)
        if number == 0 or locked.state.due != Due.RETRY or locked.last.turn.number != number:
            if session.turns.filter(number=number, discarded=True).exists():
                return
            raise StepRefusedError(gettext("This turn has an answer, so its instruction cannot be changed."))
        locked.renew()
        turn = locked.last.turn
        _discard(turn)
        clear_draft(locked.assignment, {"instruction": [turn.instruction], "kind": [turn.kind]})


def _discard(turn: Turn) -> None:
    turn.discarded = True
    turn.save(update_fields=["discarded"])


def stop(session: RevisionSession, number: int) -> None:
    """Stop writing a turn's answer and keep the partial answer. A turn that has ended is not changed."""
    turn = session.turns.filter(number=number, discarded=False).first()
    if turn is None:
        raise StepRefusedError(gettext(NO_SUCH_TURN))
    ask_to_stop(WORK, turn)
