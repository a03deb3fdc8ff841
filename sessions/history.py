"""A session's turns with what its user said of them: the one reader of sessions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F

from annotation.models import Annotation, Rating
from sessions.models import RevisionSession, Turn
from sessions.options import options_of
from sessions.variants import turn_variant
from sessions.workflow import State, Step, state_of

RATING, COMMENT = "rating", "comment"


@dataclass(frozen=True)
class ToldTurn:
    """A turn that was not discarded, with its user's current answers {question key: value}, if there are any."""

    turn: Turn
    answers: Mapping[str, Any]
    submitted_at: datetime | None = None
    seconds: float | None = None
    revision: int = 0
    """How many times the user has rated the turn on this site: what a page that rates it sends along."""

    @property
    def rating(self) -> str | None:
        return self.answers.get(RATING)

    @property
    def comment(self) -> str | None:
        return self.answers.get(COMMENT)

    @property
    def step(self) -> Step:
        turn = self.turn
        return Step(turn.number, turn.status, turn.answer, self.rating, turn.edited_answer)


def turns_of(session: RevisionSession) -> list[ToldTurn]:
    """The session's turns in order."""
    return told(session, session.turns.filter(discarded=False).select_related("annotation").order_by("number"))


def told(session: RevisionSession, turns: Iterable[Turn]) -> list[ToldTurn]:
    """These turns of one session with their user's answers; those of imported turns are looked up together."""
    turns = list(turns)
    imported = [turn.number for turn in turns if turn.annotation is None and turn.number]
    given = imported_answers(session, imported) if imported and session.imported else {}
    return [_told(turn, turn.annotation, given.get(turn.number)) for turn in turns]


def _told(turn: Turn, annotation: Annotation | None, imported: "dict[str, Any] | None") -> ToldTurn:
    if annotation is not None:
        said = annotation.submitted_at, annotation.seconds, annotation.revision
        return ToldTurn(turn, annotation.answers, *said)
    if imported is not None:
        return ToldTurn(turn, imported["answers"], imported["submitted_at"], imported["seconds"])
    return ToldTurn(turn, {})


def imported_answers(session: RevisionSession, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
    """What the session's user said of turns, by number, from ratings that came in files."""
    variants = {turn_variant(session.key, number): number for number in numbers}
    rows = Rating.objects.filter(
        study=session.study_id, question__study=session.study_id, rater=session.rater_id, item=session.item_id,
        variant__in=list(variants), is_current=True,
    ).order_by(F("submitted_at").asc(nulls_first=True), "ordinal", "pk")  # fmt: skip
    found: dict[int, dict[str, Any]] = {}
    for variant, key, value, at, seconds in rows.values_list(
        "variant", "question__key", "value", "submitted_at", "seconds"
    ):
        mine = found.setdefault(variants[variant], {"answers": {}, "submitted_at": None, "seconds": None})
        mine["answers"][key] = value
        mine.update(submitted_at=at, seconds=seconds)
    return found


def state(session: RevisionSession, turns: list[ToldTurn]) -> State:
    """Where the session stands."""
    return state_of(session.status, [one.step for one in turns], options_of(session.study).max_turns)
