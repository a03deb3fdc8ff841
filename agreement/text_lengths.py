"""What a word is, the length of texts in words, and the edit distance between texts.

This is the only definition of words that are counted. `annotation.desk.highlighting` finds the words that pages mark:
the same ones, without their punctuation. `static/js/desk/words.js` has both for the pages' scripts.
"""

import re
from collections.abc import Iterator, Sequence

UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: scripts without spaces between words."""
TOKEN = re.compile(rf"[^\w\s]*+(?=[{UNSPACED}])\w[^\w\s]*+|[^\s{UNSPACED}]+")


def tokens(text: str) -> list[str]:
    """The words between white space, with their punctuation; in scripts without spaces, single characters with theirs.

    What combines with a character, such as a vowel sign of Thai, belongs to it.
    """
    return text.split() if text.isascii() else TOKEN.findall(text)


def token_places(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each of the `tokens` of `text`, in code points."""
    return (match.span() for match in TOKEN.finditer(text))


def count_words(text: str) -> int:
    """The number of words of `text`: of its `tokens`."""
    return len(tokens(text))


def edit_distance(source: Sequence[str], target: Sequence[str]) -> int:
    """The fewest tokens to insert, delete or replace to turn `source` into `target` (Levenshtein 1966).

    A column of the table is stored in the bits of two integers (Myers 1999, in the form of Hyyrö 2003), so the cost is
    `len(target)` operations on integers of `len(source)` bits.
    """
    start, a_end, b_end = 0, len(source), len(target)
    while start < min(a_end, b_end) and source[start] == target[start]:
        start += 1
    while start < min(a_end, b_end) and source[a_end - 1] == target[b_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
    a, b = source[start:a_end], target[start:b_end]
    if not a or not b:
        return len(a) + len(b)
    places: dict[str, int] = {}
    for place, token in enumerate(a):
        places[token] = places.get(token, 0) | 1 << place
    every, last = (1 << len(a)) - 1, 1 << (len(a) - 1)
    up, down, distance = every, 0, len(a)  # cells one above, and one below, the cell over them
    for token in b:
        same = places.get(token, 0)
        diagonal = (((same & up) + up) ^ up) | same | down
        right, left = down | ~(diagonal | up), diagonal & up
        distance += bool(right & last) - bool(left & last)
        right, left = right << 1 | 1, left << 1
        up, down = (left | ~(diagonal | right)) & every, right & diagonal & every
    return distance
