"""A session and the labels of its turns as files hold them, with keys in the order of docs/formats.md.

Written by exports; an import compares with it what is there already.
"""

from collections.abc import Iterator
from typing import Any

from annotation.models import Rater, Study
from annotation.text import given, time_text
from sessions.history import ToldTurn, state, turns_of
from sessions.models import RevisionSession, Turn, TurnLabel
from sessions.workflow import ACTIVE, DONE

HUMAN = Rater.Kind.HUMAN.value
IN_SESSION_LINES = (TurnLabel.Kind.INSTRUCTION_TYPE.value, TurnLabel.Kind.ERROR_CATEGORY.value)
Line = dict[str, Any]


def session_lines(study: Study) -> Iterator[Line]:
    """Every session that has got its first answer, by item in the order of import, then by key."""
    rows = RevisionSession.objects.filter(study=study).select_related("study", "item", "rater")
    for session in sorted(rows, key=lambda one: (one.item_id, one.key)):
        line = session_line(session)
        if line is not None:
            yield line


def session_line(session: RevisionSession) -> Line | None:
    """The session's line; None where its first answer is still to come, or never came.

    Turns without an answer are under way or failed, and are no data.
    """
    turns = [told for told in turns_of(session) if told.turn.status == DONE]
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
            "turns": [_turn(told, labels.get(told.turn.pk, {})) for told in turns[1:]],
            "final_answer": state(session, turns).current,
        }
    )


def _turn(told: ToldTurn, labels: dict[str, Line]) -> Line:
    turn = told.turn
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
            "rating": told.rating,
            "comment": told.comment,
            "edited_answer": turn.edited_answer,
            "submitted_at": time_text(told.submitted_at),
            "seconds": told.seconds,
            **labels,
        }
    )


def _labels(session: RevisionSession) -> dict[int, dict[str, Line]]:
    """Of each turn the label that its line shows: of several raters' a person's before a machine's, the latest."""
    rows = TurnLabel.objects.filter(turn__session=session, is_current=True, kind__in=IN_SESSION_LINES)
    found: dict[int, dict[str, Line]] = {}
    for kind in IN_SESSION_LINES:
        for one in sorted(rows.select_related("rater"), key=label_rank):
            if one.kind == kind:
                found.setdefault(one.turn_id, {})[kind] = {"value": one.value, "rater": one.rater.name}
    return found


def label_rank(one: TurnLabel) -> tuple[Any, ...]:
    """Of several raters' labels of a turn the one that counts sorts last: a person's, the latest."""
    return one.rater.kind == HUMAN, time_text(one.at) or "", one.rater.name


def label_lines(study: Study) -> Iterator[Line]:
    """Every label with all its revisions."""
    rows = TurnLabel.objects.filter(turn__session__study=study).select_related("turn__session", "rater")
    for one in sorted(rows, key=_label_order):
        yield label_line(one)


def _label_order(one: TurnLabel) -> tuple[Any, ...]:
    turn = one.turn
    return turn.session.item_id, turn.session.key, turn.number, one.kind, one.rater.name, one.revision


def label_line(one: TurnLabel) -> Line:
    """A label's line."""
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
        }
    )


def has_sessions(study: Study) -> bool:
    """Whether the study has sessions to export."""
    return Turn.objects.filter(session__study=study, number=0, status=DONE).exists()


def has_labels(study: Study) -> bool:
    """Whether anybody has labelled a turn."""
    return TurnLabel.objects.filter(turn__session__study=study).exists()


def session_counts(study: Study) -> Line:
    """How many sessions there are of each status, and how many turns, edited or not: what a manifest says.

    Sessions that wait for their first answer are in no file, and so not in the counts.
    """
    turns = Turn.objects.filter(session__study=study, number__gte=1, status=DONE)
    sessions = RevisionSession.objects.filter(study=study, turns__number=0, turns__status=DONE)
    by_status = {name: sessions.filter(status=name).count() for name in RevisionSession.Status.values}
    return {
        "sessions": by_status | {"all": sessions.count()},
        "turns": {"all": turns.count(), "edited": turns.exclude(edited_answer=None).count()},
        "labels": TurnLabel.objects.filter(turn__session__study=study).count(),
    }
