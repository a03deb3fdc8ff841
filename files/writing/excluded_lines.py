"""The lines of `raters.jsonl`."""

from collections.abc import Iterator
from typing import Any

from annotation.members.standing import excluded
from annotation.models import Study
from config.text_validation import time_text


def rater_lines(study: Study) -> Iterator[dict[str, Any]]:
    """The excluded raters by name."""
    for one in sorted(excluded(study), key=lambda one: one.rater.name):
        at = time_text(one.at)
        yield {"rater": one.rater.name, "excluded": True, "reason": one.reason, "excluded_at": at}
