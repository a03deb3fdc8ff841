"""How long a study says that its steps and tasks take."""

from dataclasses import dataclass

from django import template

from annotation.models import Study
from annotation.studies.pace_plan import pace_in, tasks_per_person

register = template.Library()


@dataclass(frozen=True)
class ExpectedTime:
    """Minutes of the steps, of a task, and of all of it, as far as the study states them."""

    steps: float | None
    task: float | None
    whole: float | None


@register.simple_tag
def expected_time(study: Study) -> ExpectedTime | None:
    """How long the study says that its steps and tasks take, or None if it says nothing of steps."""
    pace = pace_in(study)
    if pace is None or pace.step_minutes is None or not study.has_steps:
        return None
    return ExpectedTime(pace.step_minutes, pace.minutes_per_task, pace.expected_minutes(tasks_per_person(study)))
