"""The variants of tasks and ratings that name a session's turn."""

import re

PREFIX = "turn:"
NAMED = re.compile(r"turn:(.+):([0-9]{1,5})", re.DOTALL)


def turn_variant(session: str, number: int) -> str:
    """Return the variant that the task and the ratings of a session's turn have."""
    return f"{PREFIX}{session}:{number}"


def named_turn(variant: str) -> tuple[str, int] | None:
    """Return the session's key and the turn's number that a variant names, or None."""
    found = NAMED.fullmatch(variant)
    return (found[1], int(found[2])) if found else None
