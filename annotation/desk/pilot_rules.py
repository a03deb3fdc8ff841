"""Pilots of a study's own tasks, as protocols with pages of their own see them."""

from annotation.models import Rater
from config.parts import parts


def most_given(rater: Rater) -> int | None:
    """Return how many tasks a rater in a pilot may be given in all, or None if they are in none."""
    limits = [most for part in parts() if (most := part.most_given(rater)) is not None]
    return min(limits, default=None)


def is_waiting(rater: Rater) -> bool:
    """Whether a rater who may have no tasks now waits for a decision after a pilot."""
    return any(part.is_waiting(rater) for part in parts())


def end_if_over(rater: Rater) -> None:
    """Let a rater wait for a decision if they have just sent the last task of a pilot."""
    for part in parts():
        part.end_if_over(rater)
