"""`{% direction text %}`: the attributes that set an element's text in its direction."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.utils.html import strip_tags
from django.utils.safestring import SafeString

from annotation.formatting.majority_direction import direction_of, is_mixed

register = template.Library()


@register.inclusion_tag("_direction.html")
def direction(*texts: Any) -> dict[str, Any]:
    """The attributes for an element that shows these texts: as text, as HTML, or in pieces."""
    text = "\n".join(_text_of(one) for one in texts)
    return {"direction": direction_word(text), "is_mixed": is_mixed(text)}


@register.filter("direction")
def direction_word(text: str) -> str:
    """The value of `dir` for a text within a translated sentence, where the tag cannot be."""
    return direction_of(text) or "auto"


def _text_of(shown: Any) -> str:
    if isinstance(shown, SafeString):
        return strip_tags(shown)
    if isinstance(shown, str) or not isinstance(shown, Iterable):
        return str(shown or "")
    return "".join(str(getattr(piece, "text", piece)) for piece in shown)
