"""The section `pace` of a study file: expected minutes and pay per task, minutes of the steps, a floor per
hour, and when to take a break.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.desk.part_tasks import expected_mixed
from annotation.models import Question, Study
from annotation.protocols import Protocol

PACE = "pace"
NUMBERS: Mapping[str, tuple[float, float]] = {
    "minutes_per_task": (0.01, 1440),
    "pay_per_task": (0, 10_000),
    "floor_per_hour": (0, 10_000),
    "step_minutes": (0.1, 1440),
    "break_after_minutes": (5, 600),
    "break_minutes": (1, 120),
}
"""The numbers that may be given, each with its least and greatest value."""
CURRENCY = "currency"
LONGEST_CURRENCY = 8
BREAK_MINUTES = 5.0


@dataclass(frozen=True)
class StatedPace:
    """What a study says of its pace; what it leaves out is None. Pay is in units of `currency`."""

    minutes_per_task: float | None = None
    pay_per_task: float | None = None
    floor_per_hour: float | None = None
    step_minutes: float | None = None
    break_after_minutes: float | None = None
    break_minutes: float = BREAK_MINUTES
    currency: str = ""

    def pay_per_hour(self, seconds_per_task: float | None, tasks: float | None = None) -> float | None:
        """The pay of an hour at this many seconds per task, None if either is unknown.

        With the number of `tasks` of one person, the expected time of the steps before them counts as work.
        """
        if self.pay_per_task is None or not seconds_per_task:
            return None
        steps = 60 * (self.step_minutes or 0.0) / tasks if tasks else 0.0
        return self.pay_per_task * 3600 / (seconds_per_task + steps)

    def expected_per_hour(self, tasks: float | None = None) -> float | None:
        """The pay of an hour at the expected pace, as `pay_per_hour`."""
        return self.pay_per_hour(60 * self.minutes_per_task, tasks) if self.minutes_per_task else None

    def expected_minutes(self, tasks: int | None) -> float | None:
        """The minutes of the steps and of this many tasks, None unless all of it is stated."""
        if tasks is None or self.minutes_per_task is None:
            return None
        return (self.step_minutes or 0.0) + tasks * self.minutes_per_task

    def is_under_floor(self, per_hour: float | None) -> bool:
        """Whether this pay per hour is known and less than the study's floor."""
        return per_hour is not None and self.floor_per_hour is not None and per_hour < self.floor_per_hour


def pace_in(study: Study) -> StatedPace | None:
    """The study's section, or None."""
    given = study.options.get(PACE)
    return StatedPace(**given) if given else None


def tasks_per_person(study: Study) -> int | None:
    """The most tasks that a person can expect to do, mixed ones among them, if the study's plan limits them."""
    most: int | None = (study.options.get("plan") or {}).get("most")
    return None if most is None else most + expected_mixed(study, most)


def why_no_pace(value: Any, protocol: Protocol, questions: Sequence[Question]) -> str | None:
    """What is wrong with a section, or None."""
    if not isinstance(value, dict):
        return "must be a mapping of keys to values"
    for key, given in value.items():
        if key == CURRENCY:
            if not isinstance(given, str) or not given.isprintable() or len(given) > LONGEST_CURRENCY:
                return f"currency must be a text of at most {LONGEST_CURRENCY} characters, such as EUR"
        elif key not in NUMBERS:
            return f"has the unknown key {key}; known are {', '.join([*NUMBERS, CURRENCY])}"
        elif type(given) not in (int, float) or not NUMBERS[key][0] <= given <= NUMBERS[key][1]:
            least, most = NUMBERS[key]
            return f"{key} must be a number from {least:g} to {most:g}"
    return None
