"""Times and durations on annotators' pages, in the words of the page's language."""

from datetime import datetime

from django import template
from django.template.defaultfilters import floatformat
from django.template.loader import get_template
from django.utils.translation import gettext

register = template.Library()


@register.simple_tag
def local_time(at: datetime) -> str:
    """The time of `at`, which the page's script replaces by the time where the person is."""
    return get_template("desk/_time.html").render({"at": at})


@register.filter
def work_time(minutes: float | None) -> str:
    """Minutes as words."""
    if not minutes or minutes < 0:
        return "\N{EN DASH}"
    if minutes >= 90:
        return gettext("%(hours)s h") % {"hours": round(minutes / 60)}
    if minutes >= 1:
        return gettext("%(minutes)s min") % {"minutes": floatformat(minutes, 0)}
    return gettext("under 1 min")
