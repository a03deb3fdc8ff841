"""How a study's texts are shown on the desk: plain, as code, or as Markdown; conversations turn by turn.

Positions of words and marked spans are those of the text as it is stored. The browser therefore always gets this text,
in pieces whose contents joined are the text; formatted Markdown is added to it.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.utils.safestring import SafeString

from annotation.conversations import ShownTurn, shown_turns
from annotation.formatting.markdown_text import clean
from annotation.studies.guideline_text import render
from annotation.text_formats import MARKDOWN

MOST_FORMATTED = 200_000
"""Characters of the longest Markdown that is formatted; longer texts are shown as they are."""


def shown_text(text: str, turns: Sequence[Sequence[Any]] | None, text_format: str) -> dict[str, Any]:
    """The context in which a template shows `text`: its turns, and for Markdown its formatted parts."""
    pieces = shown_turns(text, turns)
    return {"text": text, "turns": pieces, "formatted": _formatted(text, pieces) if text_format == MARKDOWN else None}


def _formatted(text: str, turns: list[ShownTurn]) -> list[tuple[str, SafeString]] | None:
    """[(role, HTML)] of the turns, or one part without a role; None if the text is too long to be formatted."""
    if len(text) > MOST_FORMATTED:
        return None
    return [(turn.role, _html(turn.said)) for turn in turns] or [("", _html(text))]


@lru_cache(maxsize=32)
def _html(text: str) -> SafeString:
    # Without links: a text is judged, and following an address in it would tell its host about the reader.
    return clean(render(text))
