"""The answers of a session that can be read and compared: each as its model wrote it, and as its user edited it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sessions.history import ToldTurn

EDITED = "e"
"""What the key of an edited answer ends in."""


@dataclass(frozen=True)
class Version:
    """An answer: of which turn, and whether its user's hand is in it."""

    turn: int
    edited: bool
    text: str

    @property
    def key(self) -> str:
        return f"{self.turn}{EDITED if self.edited else ''}"

    @property
    def name(self) -> str:
        return f"answer of turn {self.turn}" if self.turn else "first answer"

    @property
    def label(self) -> str:
        return f"{self.name}, edited by you" if self.edited else self.name

    @property
    def short(self) -> str:
        name = f"turn {self.turn}" if self.turn else "first answer"
        return f"{name}, edited" if self.edited else name


def versions_of(turns: Sequence[ToldTurn]) -> list[Version]:
    """All answers that there are, in the order in which they came."""
    found = []
    for one in turns:
        if one.turn.answer is not None:
            found.append(Version(one.turn.number, False, one.turn.answer))
        if one.turn.edited_answer is not None:
            found.append(Version(one.turn.number, True, one.turn.edited_answer))
    return found


def kept_of(turns: Sequence[ToldTurn], number: int | None) -> Version | None:
    """A turn's answer as it counts: edited where it was edited."""
    return next((one for one in reversed(versions_of(turns)) if one.turn == number), None)


def before(versions: Sequence[Version], turns: Sequence[ToldTurn], version: Version) -> Version | None:
    """What a version is compared with first: an edit with the model's answer, that with the one it revised."""
    if version.edited:
        return next((one for one in versions if one.turn == version.turn and not one.edited), None)
    turn = next(one.turn for one in turns if one.turn.number == version.turn)
    earlier = [one for one in versions if one.turn < version.turn]
    revised = [one for one in earlier if one.text == turn.previous_answer]
    return next(reversed(revised or earlier), None)
