"""Positions of the words of a text: letters, digits and marks, with apostrophes, joiners and decimal points inside.

They are found in one pass of one pattern, because texts may have a million characters. `static/js/desk/words.js` is the
same pattern for differences and spans, which the browser finds.
"""

import re
import unicodedata
from collections.abc import Iterator

from agreement.text_lengths import UNSPACED as UNSPACED_RANGES

INSIDE = "'\u2019\u200c\u200d"
"""Apostrophes and joiners, which belong to a word if it continues after them."""
POINTS = ".,\u066b\u066c"
"""Decimal points and the like, which belong to a number if digits follow."""
UNSPACED = re.compile(f"[{UNSPACED_RANGES}]")
"""Scripts written without spaces: each character is a word, and a selection of several is found as a phrase."""
BLOCKS_WITH_MARKS = (range(0x300, 0x20000), range(0xE0100, 0xE01F0))


def _marks() -> Iterator[str]:
    """All combining marks of Unicode as ranges of a character class."""
    for block in BLOCKS_WITH_MARKS:
        start = None
        for code in block:
            is_mark = unicodedata.category(chr(code))[0] == "M"
            if is_mark and start is None:
                start = code
            elif not is_mark and start is not None:
                yield f"{chr(start)}-{chr(code - 1)}"
                start = None
        if start is not None:
            yield f"{chr(start)}-{chr(block[-1])}"


_NOT_LATIN = r"(?![\0-\u02ff])"
MARKS = f"{_NOT_LATIN}[{''.join(_marks())}]+"
"""Combining marks. The class has many ranges, and most characters of most texts need not be looked up in it."""
LETTERS = rf"[^\W_{UNSPACED_RANGES}]+"
_RUN = f"(?:{LETTERS}|{MARKS})+"
WORD = (
    rf"(?=[{UNSPACED_RANGES}])[^\W_](?:{MARKS})?"
    rf"|{_RUN}(?:(?:[{INSIDE}]|(?<=\d)[{POINTS}](?=\d))(?={LETTERS}|{MARKS}){_RUN})*"
)
"""The pattern of a word; it takes time in proportion to the text's length."""
WORDS = re.compile(WORD)
_WORDS_AND_GAPS = re.compile(f"({WORD})")


def word_places(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each word of `text`, in code points."""
    return (match.span() for match in WORDS.finditer(text))


def gaps_and_words_of(text: str) -> tuple[list[str], list[str]]:
    """The words of `text`, and what stands before each of them."""
    parts = _WORDS_AND_GAPS.split(text)
    return parts[:-1:2], parts[1::2]
