"""Conversations as documents and outputs: a list of turns in files, one text with the places of its turns in the table.

The text of a conversation names who speaks before each turn ("User:", a new line, what is said), with an empty line
between turns. Judges, figures and marked spans read this text like any other; pages show its turns.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

ROLE = re.compile(r"[^\W\d_][\w -]{0,49}")
MUST = 'must be text, or a list of turns {"role", "text"}'
BETWEEN = "\n\n"
MOST_TURNS = 1000

Places = list[list[Any]]
"""[role, start, end] of each turn: what it says is `text[start:end]`, in code points."""


class TurnsInvalidError(ValueError):
    """A conversation in a file is invalid; the message says how to fix it, `place` where it is (".2.role")."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.place = place


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn for a page: `head`, `said` and `gap` follow each other in the text."""

    role: str
    head: str
    said: str
    gap: str


def text_and_places(value: Any) -> tuple[str, Places | None]:
    """Return a document or output of a file as its text, with the places of its turns if it is a conversation.

    Raises TurnsInvalidError.
    """
    if isinstance(value, str):
        return value, None
    if not isinstance(value, list) or not value:
        raise TurnsInvalidError(MUST)
    if len(value) > MOST_TURNS:
        raise TurnsInvalidError(f"must have at most {MOST_TURNS} turns")
    text, places = "", []
    for number, turn in enumerate(value):
        if not isinstance(turn, Mapping) or turn.keys() != {"role", "text"}:
            raise TurnsInvalidError("must have exactly the keys role and text", f".{number}")
        role, said = turn["role"], turn["text"]
        if not isinstance(role, str) or not ROLE.fullmatch(role):
            raise TurnsInvalidError("must be a word such as user, at most 50 characters", f".{number}.role")
        if not isinstance(said, str):
            raise TurnsInvalidError("must be text", f".{number}.text")
        text += f"{BETWEEN if text else ''}{_head(role)}"
        places.append([role, len(text), len(text) + len(said)])
        text += said
    return text, places


def as_given(text: str, places: Places | None) -> str | list[dict[str, str]]:
    """Return what a file held: the text, or the conversation's turns."""
    if places is None:
        return text
    return [{"role": role, "text": text[start:end]} for role, start, end in places]


def shown_turns(text: str, places: Sequence[Sequence[Any]] | None) -> list[ShownTurn]:
    """The turns of a text for a page; joined, their parts are the text. None for a text that is no conversation."""
    if not places:
        return []
    ends = [*(start - len(_head(role)) for role, start, _ in places[1:]), len(text)]
    return [
        ShownTurn(role, _head(role), text[start:end], text[end:after])
        for (role, start, end), after in zip(places, ends, strict=True)
    ]


@lru_cache(maxsize=64)
def places_in(stored: str | None) -> Places | None:
    """The places of turns from the JSON text of their column."""
    return json.loads(stored) if stored else None


def _head(role: str) -> str:
    return f"{role[0].upper()}{role[1:]}:\n"
