"""Shares of people in words."""

from django import template

register = template.Library()


@register.filter
def percent(share: float | None) -> str:
    """A share from 0 to 1 in whole per cent; a dash if there is none."""
    return "\N{EN DASH}" if share is None else f"{100 * share:.0f}%"
