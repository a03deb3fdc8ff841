"""The template tag of a study's tabs."""

from typing import Any

from django import template

from annotation.models import Study
from annotation.study_tabs import TabRows, tabs_for

register = template.Library()


@register.simple_tag(takes_context=True)
def study_tabs(context: dict[str, Any], study: Study) -> TabRows | None:
    """The rows of tabs of `study`; None on an error page, which no route made."""
    match = context["request"].resolver_match
    return None if match is None else tabs_for(study, match)
