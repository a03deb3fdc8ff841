"""Lines of sessions and labels in files, with keys in the order of docs/formats.md.

Exports write them; imports compare existing rows with them.
"""

from collections.abc import Iterator
from typing import Any

from annotation.models import Rater, Study
from config.text_validation import given, time_text
from sessions.models import LabelSample, RevisionSession, TurnLabel
from sessions.transcript import TurnRecord, session_state, turns_of
from sessions.workflow import ACTIVE, DONE

HUMAN = Rater.Kind.HUMAN.value
IN_SESSION_LINES = (TurnLabel.Kind.INSTRUCTION_TYPE.value, TurnLabel.Kind.ERROR_CATEGORY.value)
Line = dict[str, Any]


def session_lines(study: Study) -> Iterator[Line]:
    """Yield a line per session that has its first answer, by item in the order of import, then by key."""
    rows = RevisionSession.objects.filter(study=study).select_related("study", "item", "rater")
    for session in sorted(rows, key=lambda one: (one.item_id, one.key)):
        line = session_line(session)
        if line is not None:
            yield line


def session_line(session: RevisionSession) -> Line | None:
    """Return the session's line, or None if it has no first answer.

    Turns without an answer are left out: they are still being written, or failed.
    """
    turns = [record for record in turns_of(session) if record.turn.status == DONE]
    if not turns:
        return None
    first, labels = turns[0].turn, _labels(session)
    return given(
        {
            "id": session.key,
            "item": session.item.key,
            "rater": session.rater.name,
            "model": session.model,
            "status": None if session.status == ACTIVE else session.status,
            "started_at": time_text(session.started_at),
            "ended_at": time_text(session.ended_at),
            "initial_answer": first.answer,
            "initial_passages": first.passages,
            "turns": [_turn(record, labels.get(record.turn.pk, {})) for record in turns[1:]],
            "final_answer": session_state(session, turns).current,
        }
    )


def _turn(record: TurnRecord, labels: dict[str, Line]) -> Line:
    turn = record.turn
    return given(
        {
            "number": turn.number,
            "instruction": turn.instruction,
            "kind": turn.kind,
            "passages": turn.passages,
            "searcher": turn.searcher or None,
            "index": turn.index or None,
            "summary": turn.summary,
            "previous_answer": turn.previous_answer,
            "answer": turn.answer,
            "rating": record.rating,
            "comment": record.comment,
            "edited_answer": turn.edited_answer,
            "submitted_at": time_text(record.submitted_at),
            "seconds": record.seconds,
            **labels,
        }
    )


def _labels(session: RevisionSession) -> dict[int, dict[str, Line]]:
    """Return the label that each turn's line shows: the latest by a person, else by a machine without a run.

    Labels from runs are in `labels.jsonl` alone.
    """
    rows = TurnLabel.objects.filter(turn__session=session, is_current=True, kind__in=IN_SESSION_LINES, run="")
    found: dict[int, dict[str, Line]] = {}
    for kind in IN_SESSION_LINES:
        for one in sorted(rows.select_related("rater"), key=label_rank):
            if one.kind == kind:
                found.setdefault(one.turn_id, {})[kind] = {"value": one.value, "rater": one.rater.name}
    return found


def label_rank(one: TurnLabel) -> tuple[Any, ...]:
    """Return the sort key of a turn's labels: machines before people, then by time. The last label counts."""
    return one.rater.kind == HUMAN, time_text(one.at) or "", one.rater.name


def label_lines(study: Study) -> Iterator[Line]:
    """Yield a line per revision of each label."""
    rows = TurnLabel.objects.filter(turn__session__study=study).select_related("turn__session", "rater")
    for one in sorted(rows, key=_label_order):
        yield label_line(one)


def _label_order(one: TurnLabel) -> tuple[Any, ...]:
    turn = one.turn
    return (
        turn.session.item_id,
        turn.session.key,
        turn.number,
        one.kind,
        one.rater.name,
        one.run,
        one.replicate,
        one.revision,
    )


def label_line(one: TurnLabel) -> Line:
    """Return a label's line."""
    return given(
        {
            "session": one.turn.session.key,
            "turn": one.turn.number,
            "kind": one.kind,
            "value": one.value,
            "rater": one.rater.name,
            "rater_kind": None if one.rater.kind == HUMAN else one.rater.kind,
            "revision": one.revision,
            "at": time_text(one.at),
            "run": one.run or None,
            "replicate": one.replicate if one.run else None,
            "prompt_digest": one.prompt_digest or None,
            "reply": one.reply or None,
        }
    )


def label_sample_lines(study: Study) -> Iterator[Line]:
    """Yield a line per sample of turns that people label, in the order in which the samples were drawn."""
    for one in LabelSample.objects.filter(study=study).order_by("made_at", "pk"):
        yield {
            "kind": one.kind,
            "source": one.source,
            "size": one.size,
            "per_model": one.per_model,
            "seed": one.seed,
            "turns": [{"session": session, "turn": number} for session, number in one.turns],
            "made_at": time_text(one.made_at),
        }
