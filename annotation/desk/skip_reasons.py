"""Reasons for skipping that a study offers as choices (`skip_reasons`); a free text is always possible too."""

from typing import Any

from django.http import HttpRequest

from annotation.common_options import LONGEST_OFFERED, MOST_REASONS
from annotation.models import Study

OPTION = "skip_reasons"
MUST = f"must be a list of 1 to {MOST_REASONS} different texts of at most {LONGEST_OFFERED} characters on one line"


def fits(value: Any) -> bool:
    """Whether the value of a study file's option can be offered as it is."""
    if not isinstance(value, list) or not 1 <= len(value) <= MOST_REASONS:
        return False
    texts = [text for text in value if isinstance(text, str) and text.strip() and len(text) <= LONGEST_OFFERED]
    return len(set(texts)) == len(value) and not any("\n" in text or "\r" in text for text in texts)


def posted_reason(request: HttpRequest, study: Study) -> str:
    """The chosen reason of the study, exactly as it is offered, or the text of "Other"."""
    chosen = request.POST.get("choice", "")
    return chosen if chosen in study.options.get(OPTION, []) else request.POST.get("reason", "")
