"""What waits for a person besides tasks, for the home page: messages and final answers."""

from collections.abc import Iterable
from typing import Any

from django import template

from accounts.models import Person
from annotation.models import Rater
from annotation.studies.queries import MyWork
from recruiting.rater_messages.thread_lists import unread_by_study
from recruiting.second_stage.stage_section import has_stage, may_adjudicate

register = template.Library()
register.simple_tag(unread_by_study, name="unread_messages")


@register.simple_tag
def second_stages(person: Person, works: Iterable[MyWork]) -> set[int]:
    """The studies in which the person gives final answers; a query only if one of them declares a second stage."""
    declared = {work.study.pk: work.study for work in works if has_stage(work.study)}
    mine = Rater.objects.filter(person=person, study__in=declared) if declared else ()
    return {rater.study_id for rater in mine if may_adjudicate(declared[rater.study_id], rater)}


@register.filter
def of_study(counts: dict[int, int], pk: Any) -> int:
    """The count of one study."""
    return counts.get(pk, 0)
