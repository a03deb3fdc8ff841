"""Pilots of a study's own tasks, as protocols with pages of their own see them; another app binds the rules.

An app does so by PILOT in its `rater_pilots`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from annotation.models import Rater
from config.registry import bound


@dataclass(frozen=True)
class PilotRules:
    """What is asked about a rater: `most_given` tasks in all while in a pilot, and whether they wait for a decision.

    `end_if_over` lets them wait after the last of these tasks.
    """

    most_given: Callable[[Rater], int | None]
    is_waiting: Callable[[Rater], bool]
    end_if_over: Callable[[Rater], bool]


def most_given(rater: Rater) -> int | None:
    """Return how many tasks a rater in a pilot may be given in all, or None if they are in none."""
    limits = [most for rules in _all_rules() if (most := rules.most_given(rater)) is not None]
    return min(limits, default=None)


def is_waiting(rater: Rater) -> bool:
    """Whether a rater who may have no tasks now waits for a decision after a pilot."""
    return any(rules.is_waiting(rater) for rules in _all_rules())


def end_if_over(rater: Rater) -> None:
    """Let a rater wait for a decision if they have just sent the last task of a pilot."""
    for rules in _all_rules():
        rules.end_if_over(rater)


def _all_rules() -> tuple[PilotRules, ...]:
    return bound("rater_pilots", "PILOT")
