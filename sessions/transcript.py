"""The turns of a session with their user's ratings: the only reader of sessions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from annotation.models import Annotation, Rating
from sessions.models import RevisionSession, Turn
from sessions.study_options import options_of
from sessions.turn_variants import turn_variant
from sessions.workflow import COMMENT, RATING, SessionState, TurnFacts, state_of


@dataclass(frozen=True)
class TurnRecord:
    """A turn that was not discarded, with its user's current answers {question key: value}."""

    turn: Turn
    answers: Mapping[str, Any]
    submitted_at: datetime | None = None
    seconds: float | None = None
    revision: int = 0
    """How often the user has rated the turn on this site; the page that rates it sends this number back."""

    @property
    def rating(self) -> str | None:
        return self.answers.get(RATING)

    @property
    def comment(self) -> str | None:
        return self.answers.get(COMMENT)

    @property
    def facts(self) -> TurnFacts:
        turn = self.turn
        return TurnFacts(turn.number, turn.status, turn.answer, self.rating, turn.edited_answer)


def turns_of(session: RevisionSession) -> list[TurnRecord]:
    """Return the session's turns in order."""
    return with_ratings(session, session.turns.filter(discarded=False).select_related("annotation").order_by("number"))


def with_ratings(session: RevisionSession, turns: Iterable[Turn]) -> list[TurnRecord]:
    """Return these turns of one session with their user's answers; one query finds those of imported turns."""
    return with_ratings_of_all([(session, list(turns))])[0]


def with_ratings_of_all(sessions: Sequence[tuple[RevisionSession, Sequence[Turn]]]) -> list[list[TurnRecord]]:
    """Return each session's turns with its user's answers; one query finds those of all imported turns."""
    imported = {
        turn_variant(session.key, turn.number): (turn.pk, session)
        for session, turns in sessions for turn in turns
        if session.imported and turn.annotation is None and turn.number
    }  # fmt: skip
    given = _imported_answers(imported) if imported else {}
    return [[_record(turn, turn.annotation, given.get(turn.pk)) for turn in turns] for _, turns in sessions]


def _record(turn: Turn, annotation: Annotation | None, imported: "dict[str, Any] | None") -> TurnRecord:
    if annotation is not None:
        return TurnRecord(
            turn, annotation.answers, annotation.submitted_at, annotation.seconds, annotation.revision
        )  # fmt: skip
    if imported is not None:
        return TurnRecord(turn, imported["answers"], imported["submitted_at"], imported["seconds"])
    return TurnRecord(turn, {})


def _imported_answers(turns: Mapping[str, tuple[int, RevisionSession]]) -> dict[int, dict[str, Any]]:
    """Return users' answers about turns of one study's sessions, by primary key, from imported ratings.

    `turns` gives the primary key and the session of each turn, by the variant of its ratings.
    """
    sessions = [session for _, session in turns.values()]
    study = sessions[0].study_id
    rows = Rating.objects.filter(
        study=study, question__study=study, rater__in={session.rater_id for session in sessions},
        item__in={session.item_id for session in sessions}, variant__in=list(turns), is_current=True,
    ).order_by(F("submitted_at").asc(nulls_first=True), "ordinal", "pk")  # fmt: skip
    found: dict[int, dict[str, Any]] = {}
    for variant, rater, item, key, value, at, seconds in rows.values_list(
        "variant", "rater", "item", "question__key", "value", "submitted_at", "seconds"
    ):
        turn, session = turns[variant]
        if (rater, item) == (session.rater_id, session.item_id):
            mine = found.setdefault(turn, {"answers": {}, "submitted_at": None, "seconds": None})
            mine["answers"][key] = value
            mine.update(submitted_at=at, seconds=seconds)
    return found


def session_state(session: RevisionSession, turns: list[TurnRecord]) -> SessionState:
    """Return the state of a session with these turns."""
    return state_of(session.status, [one.facts for one in turns], options_of(session.study).max_turns)
