"""How answers cite papers: `[2]` or `[0, 3]`, the 0-based numbers of a question's papers."""

import re
from collections.abc import Iterator

CITATION = r"\[\d{1,3}(?:\s?[,;]\s?\d{1,3})*\]"
"""The pattern of a citation."""
CITATIONS = re.compile(CITATION)
NUMBER = re.compile(r"\d+")


def cited_numbers(text: str) -> list[int]:
    """The numbers that `text` cites, in order, as often as it cites them."""
    return list(map(int, NUMBER.findall(" ".join(CITATIONS.findall(text)))))


def cited_places(text: str) -> Iterator[re.Match[str]]:
    """The places of the numbers that `text` cites, one after the other."""
    for citation in CITATIONS.finditer(text):
        yield from NUMBER.finditer(text, citation.start(), citation.end())
