"""The template tag of the pieces that parts put into pages of the core."""

from typing import Any

from django import template
from django.utils.safestring import SafeString

from annotation.desk.task_page import task_links
from annotation.fragments import fragments_at

register = template.Library()
register.simple_tag(task_links)


@register.simple_tag(takes_context=True)
def fragments(context: dict[str, Any], place: str, **given: Any) -> SafeString:
    """What the installed parts show at `place`; they get what the tag is given."""
    return fragments_at(place, context["request"], **given)
