"""`{{ count|known:kept }}`: a count of kept figures, as far as it is known."""

from typing import Any, Protocol

from django import template

register = template.Library()
UNKNOWN = "\N{EN DASH}"


class Dated(Protocol):
    """Kept figures, which know whether the data have changed since."""

    @property
    def is_current(self) -> bool: ...


@register.filter
def known(count: Any, kept: Dated | None) -> Any:
    """The count; a dash for none, and for a zero that may be older than the first answers.

    `kept` says of when it is; None: it was counted for this page.
    """
    if count is None or (not count and kept is not None and not kept.is_current):
        return UNKNOWN
    return count
