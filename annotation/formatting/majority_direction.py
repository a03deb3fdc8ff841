"""The direction in which a text is set: that of most of its letters, not of the first, which may be a foreign name."""

import re
from typing import Literal

Direction = Literal["ltr", "rtl"]
MAY_BE_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+")
"""A run of letters that are written from right to left, or of characters in their blocks."""
ADDRESS = re.compile(r"https?://\S+")
LETTER = re.compile(r"[^\W\d_]")
NO_LETTER = re.compile(r"[\W\d_]+")


def direction_of(text: str) -> Direction | None:
    """The direction of most letters outside of web addresses; of as many, that of the first. None without letters."""
    if text.isascii() or not MAY_BE_RTL.search(text):
        return "ltr" if LETTER.search(text) else None
    letters = NO_LETTER.sub("", ADDRESS.sub("", text))
    if not letters:
        return None
    left = len(MAY_BE_RTL.sub("", letters))
    if 2 * left == len(letters):
        return "rtl" if MAY_BE_RTL.match(letters) else "ltr"
    return "ltr" if 2 * left > len(letters) else "rtl"


def is_mixed(text: str) -> bool:
    """Whether the text has paragraphs of both directions."""
    if text.isascii() or not MAY_BE_RTL.search(text):
        return False
    return len({direction_of(paragraph) for paragraph in text.split("\n")} - {None}) > 1
