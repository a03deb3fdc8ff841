"""The progress of an answer that is being written, or why there is none."""

from dataclasses import dataclass

from django.utils.translation import gettext

from config.background.workers import WorkerStatus, worker_status
from config.database_clock import database_now
from sessions.models import RevisionSession, Turn


@dataclass(frozen=True)
class WritingProgress:
    """The progress that the page requests every second while an answer is being written."""

    is_over: bool
    stage: str
    """`queued`, `searching`, `reading`, `starting` or `writing`."""
    reason: str
    """Why the work waits, if it does."""
    seconds: int
    elapsed: str
    text: str
    workers: WorkerStatus


def writing_progress(session: RevisionSession, turn: Turn) -> WritingProgress:
    """Return the progress of a turn's answer."""
    seconds = max(0, int((database_now() - (turn.started_at or turn.created_at)).total_seconds()))
    return WritingProgress(
        is_over=not turn.is_waiting,
        stage=_stage(turn),
        reason=without_model(session, turn.reason),
        seconds=seconds,
        elapsed=f"{seconds // 60}:{seconds % 60:02d}",
        text=turn.partial,
        workers=worker_status(),
    )


def _stage(turn: Turn) -> str:
    if turn.status == "queued":
        return "queued"
    if turn.partial:
        return "writing"
    if turn.kind != Turn.Kind.STYLE and turn.passages is None:
        return "searching"
    if turn.kind == Turn.Kind.INFORMATION and turn.summary is None:
        return "reading"
    return "starting"


def without_model(session: RevisionSession, reason: str) -> str:
    """Return `reason` without the name of the session's model, which annotators must not see."""
    endpoint, _, model = session.model.partition("/")
    for name in (session.model, model, endpoint):
        reason = reason.replace(name, gettext("the model"))
    return reason
