"""The stay of a person who came by a link, for pages that other apps make."""

from typing import Any

from django import template

from accounts.models import Person
from annotation.models import Study
from recruiting.crowds.ending import stay_of
from recruiting.crowds.entering import is_crowd_account
from recruiting.models import CrowdStay

register = template.Library()


@register.simple_tag
def crowd_stay(study: Study, person: Any) -> CrowdStay | None:
    """The person's stay in the study, or None."""
    return stay_of(study, person) if isinstance(person, Person) else None


@register.simple_tag
def is_guest(person: Any) -> bool:
    """Whether the person's account was made by a link: it has no password, and programs cannot use it."""
    return isinstance(person, Person) and is_crowd_account(person)
