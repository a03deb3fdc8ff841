"""What the home page shows of an annotator's study beside its tasks."""

from typing import Any

from django import template

from accounts.models import Person
from annotation.fragments import StepsCard
from annotation.members.standing import is_awaited
from annotation.models import Rater, Study
from annotation.studies.queries import MyWork
from config.parts import parts_of

register = template.Library()


@register.simple_tag
def awaits_researcher(study: Study, person: Any) -> bool:
    """Whether the person is paused in the study and a researcher has yet to decide."""
    rater = Rater.objects.filter(study=study, person=person).first() if isinstance(person, Person) else None
    return rater is not None and is_awaited(rater)


@register.simple_tag(takes_context=True)
def steps_card(context: dict[str, Any], work: MyWork) -> StepsCard | None:
    """Return what comes before the person's next task."""
    steps = parts_of(work.study).steps
    return None if steps is None else steps.card(context["request"], work)
