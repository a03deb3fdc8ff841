"""The answers of a session that can be read and compared: as the model wrote them, and as the user edited them."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.transcript import TurnRecord

EDITED = "e"
"""The end of an edited answer's key."""


@dataclass(frozen=True)
class AnswerVersion:
    """An answer of a turn, as the model wrote it or as the user `edited` it."""

    turn: int
    edited: bool
    text: str

    @property
    def key(self) -> str:
        return f"{self.turn}{EDITED if self.edited else ''}"


def versions_of(turns: Sequence[TurnRecord]) -> list[AnswerVersion]:
    """Return all answers in the order in which they were written."""
    found = []
    for one in turns:
        if one.turn.answer is not None:
            found.append(AnswerVersion(one.turn.number, False, one.turn.answer))
        if one.turn.edited_answer is not None:
            found.append(AnswerVersion(one.turn.number, True, one.turn.edited_answer))
    return found


def latest_version(turns: Sequence[TurnRecord], number: int | None) -> AnswerVersion | None:
    """Return a turn's answer, in its edited version if there is one."""
    return next((one for one in reversed(versions_of(turns)) if one.turn == number), None)


def version_before(turns: Sequence[TurnRecord], version: AnswerVersion) -> AnswerVersion | None:
    """Return the default version to compare with: for an edit the model's answer, for that the one it revised."""
    versions = versions_of(turns)
    if version.edited:
        return next((one for one in versions if one.turn == version.turn and not one.edited), None)
    turn = next(one.turn for one in turns if one.turn.number == version.turn)
    earlier = [one for one in versions if one.turn < version.turn]
    revised = [one for one in earlier if one.text == turn.previous_answer]
    return next(reversed(revised or earlier), None)
