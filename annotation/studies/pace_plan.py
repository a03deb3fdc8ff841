"""The section `pace` of a study file: expected minutes and pay per task, minutes of the steps, a floor per
hour, and when to take a break.
"""

from typing import Annotated

from pydantic import WrapValidator

from annotation.desk.part_tasks import expected_mixed
from annotation.models import Study
from config.strict_models import SettingsModel, must_be

PACE = "pace"
LONGEST_CURRENCY = 8
BREAK_MINUTES = 5.0


def number(least: float, most: float) -> WrapValidator:
    """Allow numbers from `least` to `most`."""
    return must_be(f"a number from {least:g} to {most:g}", lambda value: least <= value <= most)


Pay = Annotated[int | float | None, number(0, 10_000)]
Minutes = Annotated[int | float | None, number(0.1, 1440)]
Currency = Annotated[
    str,
    must_be(
        f"a text of at most {LONGEST_CURRENCY} characters, such as EUR",
        lambda text: text.isprintable() and len(text) <= LONGEST_CURRENCY,
    ),
]


class StatedPace(SettingsModel):
    """What a study says of its pace; what it leaves out is None. Pay is in units of `currency`."""

    minutes_per_task: Annotated[int | float | None, number(0.01, 1440)] = None
    pay_per_task: Pay = None
    floor_per_hour: Pay = None
    step_minutes: Minutes = None
    break_after_minutes: Annotated[int | float | None, number(5, 600)] = None
    break_minutes: Annotated[int | float, number(1, 120)] = BREAK_MINUTES
    currency: Currency = ""

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
