"""Answers to pages that ask whether there are newer counts of a study."""

from annotation.studies.kept_counts import KeptCounts
from config.htmx_request import HtmxRequest

SHOWN = "shown"
UNCHANGED = 204


def has_shown(request: HtmxRequest, *kept: KeptCounts | None) -> bool:
    """Whether an open page asks, and has shown one of these counts already."""
    return bool(request.htmx) and request.GET.get(SHOWN) in {one.mark for one in kept if one is not None}
