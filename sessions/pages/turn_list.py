"""The turns of a session as its page lists them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Question
from sessions.models import Turn
from sessions.pages.answer_versions import AnswerVersion, latest_version, version_before
from sessions.transcript import TurnRecord
from sessions.workflow import BAD, COMMENT, RATING


@dataclass(frozen=True)
class GivenAnswer:
    """The answer to a question about a turn; `values` are several if several could be chosen."""

    question: Question
    values: Sequence[Any]

    @property
    def is_comment(self) -> bool:
        return self.question.key == COMMENT


@dataclass(frozen=True)
class TurnEntry:
    """A turn with its rating; `before` and `after` are the keys of the versions that it changed from and to."""

    turn: Turn
    rating: str | None
    answers: Sequence[GivenAnswer]
    before: str
    after: str

    @property
    def is_dropped(self) -> bool:
        """Return whether its answer was rated bad and not edited, so that the answer before it stayed."""
        return self.rating == BAD and self.turn.edited_answer is None

    @property
    def status(self) -> str:
        """Return what is missing: `writing`, `failed` or `unrated`; empty if the turn is complete."""
        if self.turn.is_waiting:
            return "writing"
        if self.turn.answer is None:
            return "failed"
        return "unrated" if self.turn.number and self.rating is None else ""


def turn_entries(turns: Sequence[TurnRecord], questions: Sequence[Question]) -> list[TurnEntry]:
    """Return the turns in order, with the answers to the study's questions except the rating."""
    return [_entry(one, turns, questions) for one in turns]


def _entry(one: TurnRecord, turns: Sequence[TurnRecord], questions: Sequence[Question]) -> TurnEntry:
    after = latest_version(turns, one.turn.number)
    written = AnswerVersion(one.turn.number, False, one.turn.answer or "")
    before = version_before(turns, written) if after else None
    answers = [
        GivenAnswer(question, value if isinstance(value, list) else [value])
        for question in questions
        if question.key != RATING and (value := one.answers.get(question.key)) not in (None, "")
    ]
    return TurnEntry(one.turn, one.rating, answers, before.key if before else "", after.key if after else "")
