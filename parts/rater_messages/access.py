"""Who may read and write in a thread: the rater, and the people who run the study. Every function fetches or raises."""

import uuid

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, assignment_for, rater_in
from annotation.models import Assignment, Rater, Task


def own_task(person: Person, slug: str, key: uuid.UUID) -> Assignment:
    """A task that was given to this person, in the study called `slug`."""
    assignment = assignment_for(person, key)
    if assignment.rater.study.slug != slug:
        raise Http404(NOTHING)
    return assignment


def thread_in(person: Person, slug: str, rater: int, task: int | None) -> tuple[Rater, Task | None]:
    """A rater of a study that `person` runs, and a task that this rater was given."""
    found = rater_in(person, slug, rater)
    if task is None:
        return found, None
    given = Assignment.objects.filter(rater=found, task=task).select_related("task__item").first()
    if given is None:
        raise Http404(NOTHING)
    return found, given.task
