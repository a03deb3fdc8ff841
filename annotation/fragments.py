"""Pieces that parts put into pages of the core: a page names a place, and shows what the installed parts have for it.

A template writes `{% fragments "people.rater" study=study rater=rater %}`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from config.parts import parts, parts_of


def _as_given(request: HttpRequest, **given: Any) -> Mapping[str, Any] | None:
    return given


@dataclass(frozen=True)
class StepsCard:
    """What the home page shows of what comes before a person's next task: HTML, and the page to continue, if any."""

    html: SafeString
    address: str


@dataclass(frozen=True)
class Fragment:
    """A template with what it shows, of what the page gives the place; None for nothing."""

    template: str
    context: Callable[..., Mapping[str, Any] | None] = _as_given


def fragments_at(place: str, request: HttpRequest, **given: Any) -> SafeString:
    """Return what the parts show at a place, one after the other.

    A place about a person's `work` asks those that the study declares. Others ask all: a study may have rows of a part
    from before its settings changed, and what it does not declare may still hold for it, such as the way to leave it.
    """
    pieces = []
    for part in parts_of(given["work"].study) if "work" in given else parts():
        for fragment in part.fragments.get(place, ()):
            context = fragment.context(request, **given)
            if context is not None:
                pieces.append(render_to_string(fragment.template, {**given, **context}, request))
    return format_html_join("", "{}", ((piece,) for piece in pieces))
