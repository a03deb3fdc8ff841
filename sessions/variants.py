"""How a turn is named where tasks and ratings name what they are about."""

import re

PREFIX = "turn:"
NAMED = re.compile(r"turn:(.+):([0-9]{1,5})", re.DOTALL)


def turn_variant(session: str, number: int) -> str:
    """The variant of the task, and of the ratings, of a session's turn."""
    return f"{PREFIX}{session}:{number}"


def named_turn(variant: str) -> tuple[str, int] | None:
    """The session's key and the turn's number that a variant names; None where it is no turn's."""
    found = NAMED.fullmatch(variant)
    return (found[1], int(found[2])) if found else None
