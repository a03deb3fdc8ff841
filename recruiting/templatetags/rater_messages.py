"""What waits for a person besides tasks, for the home page: messages."""

from typing import Any

from django import template

from recruiting.rater_messages.thread_lists import unread_by_study

register = template.Library()
register.simple_tag(unread_by_study, name="unread_messages")


@register.filter
def of_study(counts: dict[int, int], pk: Any) -> int:
    """The count of one study."""
    return counts.get(pk, 0)
