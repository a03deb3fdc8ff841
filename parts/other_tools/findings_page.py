"""What the pages of uploads show of files of another tool: how they were read, and what they leave open."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from managing.uploads.upload_page import UploadPage
from parts.other_tools.conversion_choices import SEVERAL, ConversionChoices
from parts.other_tools.forms import ToolChoicesForm
from parts.other_tools.uploaded_files import tool_names


def formats(request: HttpRequest, has_outputs: bool) -> Mapping[str, Any] | None:
    """Return what is said about files before one is uploaded; nothing for studies whose items have no outputs."""
    return {"tools": tool_names(), "tool_limit": settings.OTHER_TOOL_BYTES} if has_outputs else None


def findings(request: HttpRequest, page: UploadPage) -> Mapping[str, Any] | None:
    """Return what the newest step has found in files of a tool; after a refused form with what was entered."""
    posted = request.POST if request.method == "POST" else None
    choices = ConversionChoices.from_json(page.upload.choices)
    return {
        **{name: page.findings.get(name) for name in ("tool", "summary", "example")},
        "form": ToolChoicesForm(posted, asked=page.asked) if page.asked else None,
        "decisions": list(_decisions(choices)) if page.names_fields else [],
    }


def _decisions(choices: ConversionChoices) -> Iterator[str]:
    if choices.roles.outputs:
        yield f"Judged: {', '.join(choices.roles.outputs)}."
    for question, (left, right) in choices.sides.items():
        yield f"In {question}, {left} was left and {right} right."
    for name, field in choices.shows.items():
        yield f"{name} stands for {field}."
    for file, rater in choices.raters.items():
        said = "each label is of another person" if rater == SEVERAL else f"{rater} answered"
        yield f"In {file}, {said}."
