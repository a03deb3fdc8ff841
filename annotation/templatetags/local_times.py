"""Times and durations on annotators' pages, in the words of the page's language."""

from datetime import datetime

from django import template
from django.template.defaultfilters import date, floatformat
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext

register = template.Library()


@register.simple_tag
def local_time(at: datetime) -> SafeString:
    """The time of `at`, which the page's script replaces by the time where the person is."""
    here = localtime(at)
    when = gettext("at %(when)s") % {"when": date(here, "H:i e")}
    return format_html('<time datetime="{}" data-local>{}</time>', date(here, "c"), when)


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
