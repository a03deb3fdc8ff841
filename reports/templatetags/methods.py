"""Filters with which reports and the methods paragraph print numbers."""

from django import template

register = template.Library()
MINUS = "\N{MINUS SIGN}"
PLURALS = {"person": "people"}
"""Plurals that are not made with an s."""


@register.filter
def grouped(number: int) -> str:
    """A whole number with commas between thousands."""
    return f"{number:,}"


@register.filter
def counted(number: int, noun: str) -> str:
    """A number with its noun, as in "1 item" and "1,200 items"."""
    return f"{number:,} {noun if number == 1 else PLURALS.get(noun, f'{noun}s')}"


@register.filter
def decimals(number: float, places: int) -> str:
    """A number with so many decimals and a true minus sign, without a minus if all digits are 0."""
    return f"{number:z.{places}f}".replace("-", MINUS)


@register.filter
def plain_number(number: float) -> str:
    """A number without decimals that are 0."""
    return f"{number:g}".replace("-", MINUS)


@register.filter
def in_hours(minutes: float) -> float:
    """Minutes as hours."""
    return minutes / 60
