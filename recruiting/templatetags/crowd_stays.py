"""Where a person is: on the way into a study, or in the stay of who came by a link. For pages of other apps."""

from dataclasses import dataclass
from typing import Any

from django import template

from accounts.models import Person
from annotation.members.standing import is_awaited
from annotation.models import Rater, Study
from annotation.studies.pace_plan import pace_in, tasks_per_person
from annotation.studies.queries import MyWork
from recruiting.crowds.ending import open_again, stay_of
from recruiting.crowds.entering import is_crowd_account
from recruiting.entry_step import steps_of
from recruiting.models import CrowdStay, StepPassage
from recruiting.way_in.steps_taken import Way, way_of

register = template.Library()


@register.simple_tag
def crowd_stay(study: Study, person: Any) -> CrowdStay | None:
    """The person's stay in the study, or None."""
    return stay_of(study, person) if isinstance(person, Person) else None


@register.simple_tag
def left_open(stay: CrowdStay, work: Any) -> int:
    """How many skipped tasks the person still has to answer before their stay is complete, by their work if known."""
    if stay.outcome or not isinstance(work, MyWork) or not work.skipped:
        return 0
    stay.rater.study = work.study
    return open_again(work.study, stay.rater)


@register.simple_tag
def own_way(study: Study, person: Any) -> Way | None:
    """Where the person is on the way into the study, or None if they have no rater there yet."""
    rater = Rater.objects.filter(study=study, person=person).first() if isinstance(person, Person) else None
    if rater is not None:
        rater.study = study
    return None if rater is None else way_of(study, rater)


@register.simple_tag
def was_chosen(study: Study, person: Any, done: int) -> bool:
    """Whether a researcher let the person continue after a pilot, and they have answered nothing since."""
    pilots = [step for step in steps_of(study) if step.kind.key == "pilot" and done <= step.option("tasks", 0)]
    if not pilots or not isinstance(person, Person):
        return False
    keys = [step.key for step in pilots]
    return StepPassage.objects.filter(
        rater__study=study, rater__person=person, step__in=keys, outcome=StepPassage.Outcome.PASSED
    ).exists()


@register.simple_tag
def is_guest(person: Any) -> bool:
    """Whether the person's account was made by a link: it has no password, and programs cannot use it."""
    return isinstance(person, Person) and is_crowd_account(person)


@register.simple_tag
def awaits_researcher(study: Study, person: Any) -> bool:
    """Whether the person is paused in the study and a researcher has yet to decide."""
    rater = Rater.objects.filter(study=study, person=person).first() if isinstance(person, Person) else None
    return rater is not None and is_awaited(rater)


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
