"""The direction in which a text is set: that of most of its letters, not of the first, which may be a foreign name."""

import re
import unicodedata
from typing import Literal

Direction = Literal["ltr", "rtl"]
MAY_BE_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
"""All letters that are written from right to left, among other characters."""
ADDRESS = re.compile(r"https?://\S+")
RIGHT = ("R", "AL")


def direction_of(text: str) -> Direction | None:
    """The direction of most letters outside of web addresses; of as many, that of the first. None without letters."""
    if not MAY_BE_RTL.search(text):
        return "ltr" if re.search(r"[^\W\d_]", text) else None
    kinds = [kind for kind in map(unicodedata.bidirectional, ADDRESS.sub("", text)) if kind in ("L", *RIGHT)]
    right = sum(kind != "L" for kind in kinds)
    if not kinds:
        return None
    is_right = kinds[0] != "L" if 2 * right == len(kinds) else 2 * right > len(kinds)
    return "rtl" if is_right else "ltr"


def is_mixed(text: str) -> bool:
    """Whether the text has paragraphs of both directions."""
    if not MAY_BE_RTL.search(text):
        return False
    return len({direction_of(paragraph) for paragraph in text.split("\n")} - {None}) > 1
