"""A session that is locked for one step: its lease and its end."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext, gettext_noop

from accounts.auditing import record
from annotation.desk.assigning import fill, hold
from annotation.desk.submitting import StudyClosedError
from annotation.models import Assignment, Slot, Study
from annotation.studies.locking import lock_rater
from config.database_clock import database_now
from llm.models import Call
from sessions.background.answer_writing import work_of
from sessions.models import RevisionSession, Turn
from sessions.transcript import TurnRecord, session_state, turns_of
from sessions.workflow import DONE, Due, SessionState

MINUTE = timedelta(minutes=1)
MOST_FRUITLESS_CALLS = 6
"""After so many calls without an answer within a minute a session has to wait, since each may cost money."""
TOO_OFTEN = gettext_noop("There were several attempts within a minute. Wait a minute, then try again. Nothing is lost.")
ENDED = gettext_noop("This session is over.")
TAKEN = gettext_noop(
    "The time for this session ran out, and another annotator has its question now. Your text is saved."
)
NO_SUCH_TURN = gettext_noop("This session has no such turn.")


class StepRefusedError(Exception):
    """A step that is not due, or text that cannot be accepted; the message is a sentence for the person."""


class TurnConflictError(Exception):
    """Another page was faster and the session has moved on. What was sent is kept with the session's drafts."""

    def __init__(self) -> None:
        super().__init__(
            gettext("You continued this session in another window. What you sent here is saved, but not used.")
        )


@dataclass
class LockedSession:
    """A session that is locked for one step, with its turns and its state."""

    session: RevisionSession
    turns: list[TurnRecord]
    state: SessionState
    now: datetime

    @classmethod
    def of(cls, session: RevisionSession) -> "LockedSession":
        """Lock a session in the order in which everything locks: the rater, the slot, the session."""
        lock_rater(session.rater_id)
        list(Slot.objects.select_for_update(no_key=True).filter(task=session.task_id, holder=session.rater_id))
        fresh = RevisionSession.objects.select_related("study", "rater__person", "item", "task")
        locked = fresh.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
        turns = turns_of(locked)
        return cls(locked, turns, session_state(locked, turns), database_now())

    @property
    def last(self) -> TurnRecord:
        return self.turns[-1]

    @property
    def assignment(self) -> Assignment:
        """Return the session's own assignment, which keeps its drafts."""
        return assignment_of(self.session)

    def turn(self, number: int) -> Turn:
        """Return the turn with this number. Raises StepRefusedError."""
        found = next((one.turn for one in self.turns if one.turn.number == number), None)
        if found is None:
            raise StepRefusedError(gettext(NO_SUCH_TURN))
        return found

    def renew(self) -> None:
        """Renew the session's lease, or resume the session if it was abandoned.

        Raises StepRefusedError and StudyClosedError.
        """
        session = self.session
        if Study.objects.filter(pk=session.study_id, status=Study.Status.CLOSED).exists():
            raise StudyClosedError
        is_held = hold(session.study, session.rater, session.task_id, self.now)
        if session.status == RevisionSession.Status.ABANDONED:
            if not is_held:
                raise StepRefusedError(gettext(TAKEN))
            session.status, session.ended_at = RevisionSession.Status.ACTIVE, None
            session.save(update_fields=["status", "ended_at"])
            self._record("session resumed")
            self.state = session_state(session, self.turns)

    def check_calls(self) -> None:
        """Raise StepRefusedError if the session had too many calls without an answer within a minute.

        Calls of discarded turns count too.
        """
        fruitless = self.session.turns.exclude(status=DONE).values_list("pk", flat=True)
        calls = Call.objects.filter(work__in=[work_of(pk) for pk in fruitless], started_at__gt=self.now - MINUTE)
        if calls.count() >= MOST_FRUITLESS_CALLS:
            raise StepRefusedError(gettext(TOO_OFTEN))

    def why_not(self, number: int, step: str) -> Exception:
        """Return the error that says why a turn cannot be rated or edited now."""
        if number < self.last.turn.number:
            return TurnConflictError()
        if self.state.due == Due.OVER:
            return StepRefusedError(gettext(ENDED))
        if step == "rated":
            return StepRefusedError(gettext("This answer cannot be rated now."))
        return StepRefusedError(gettext("This answer cannot be edited now."))

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


def assignment_of(session: RevisionSession) -> Assignment:
    """Return the session's own assignment, which keeps its drafts."""
    return Assignment.objects.select_related("rater__study", "rater__person").get(
        rater=session.rater_id, task=session.task_id
    )
