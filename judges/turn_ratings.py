"""The ratings of turns that judges give: good or bad, or good, neutral or bad (KIWI, section 5)."""

from collections.abc import Mapping, Sequence

from sessions.workflow import BAD, GOOD, NEUTRAL, RATINGS

TWO_WAY, THREE_WAY = "two-way", "three-way"
LABELS: Mapping[str, Sequence[str]] = {TWO_WAY: (GOOD, BAD), THREE_WAY: RATINGS}


def rating_among(rating: str, labels: Sequence[str]) -> str:
    """Return a user's rating as one of the labels: if there are only two, a neutral turn is a bad one."""
    return BAD if rating == NEUTRAL and NEUTRAL not in labels else rating
