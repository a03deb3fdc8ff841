"""Which sentences of the passages answer a question: relevant ones that differ from each other."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from llm.asking import Source
from llm.extractive.sentences import is_unspaced, quotable
from llm.extractive.terms import ALIKE, likeness, rarity, repeats, terms, weight

LEANS_BACK = re.compile(
    r"(?:this|that|these|those|it|its|they|their|them|he|she|his|her|such|both|here|there|then|thus|hence|so|but|and"
    r"|or|also|therefore|however|moreover|furthermore|additionally|similarly|conversely|consequently|instead|otherwise"
    r"|nevertheless|nonetheless|meanwhile|interestingly|specifically|likewise|overall|finally|next|second(?:ly)?|third(?:ly)?"
    r"|another|the (?:former|latter|other|same)|to this end|in (?:addition|contrast|other words|particular|turn)"
    r"|on the (?:other hand|contrary)|as a result|for (?:this|example|instance)|after (?:that|this)|by contrast)\b",
    re.IGNORECASE,
)
POINTS_ELSEWHERE = re.compile(
    r"\b(?:tables?|figures?|fig\.|tab\.|appendix|appendices|sections?|eqs?\.|equations?|footnote)\s*[\dA-Z]\b|\u00a7"
    r"|\b(?:below|above|as follows|following (?:section|table|figure)|(?:this|next|previous)"
    r" (?:section|chapter)|screenshots?)\b"
    r"|\b(?:future work|publicly available|code and data)\b",
    re.IGNORECASE,
)
THANKS = re.compile(
    r"\b(?:we (?:also )?thank|are grateful to|mentorship"
    r"|contributed to (?:the )?(?:paper|project|(?:question )?annotation))\b",
    re.IGNORECASE,
)
TELLS_OF_ITSELF = re.compile(r"\b(?:we|our|us)\b", re.IGNORECASE)
WORD = re.compile(r"[a-z]+")
GLUED = re.compile(r"[a-z][,;:][a-z]|[a-z][A-Z][a-z]")
ALONE, ELSEWHERE, OF_ITSELF, SPOILT = 0.35, 0.35, 0.85, 0.5
"""What is left of a sentence's value where it leans on one that is not chosen, points away from what it says, says
"we", or has words that ran into each other."""
RANK, CENTRAL, SAME = 0.15, 0.2, 0.45
"""How much the passage's rank, the likeness to other sentences, and the likeness to chosen ones count."""
STEADY_WORDS = 18
"""Sentences shorter than this gain nothing from being short."""
ENOUGH = 0.35
"""Beyond the least number a sentence must have this share of the best one's value."""


@dataclass(frozen=True)
class Candidate:
    """A sentence that could be quoted: of which paper, from the passage of which rank (0 is best), where in it."""

    paper: int
    rank: int
    place: int
    text: str
    terms: frozenset[str]


@dataclass(frozen=True)
class Wanted:
    """How many sentences at least and at most, and how many words (or, without spaces, pairs of characters) in all."""

    least: int
    most: int
    words: int


def candidates(passages: Sequence[Source], language: str) -> list[Candidate]:
    """All sentences of the passages that can be quoted, each once, without acknowledgements."""
    found: list[Candidate] = []
    seen: set[str] = set()
    for rank, passage in enumerate(passages):
        for place, text in quotable(passage.text):
            if text.casefold() not in seen and not THANKS.search(text):
                seen.add(text.casefold())
                found.append(Candidate(passage.number, rank, place, text, terms(text, language)))
    return found


def choose(given: Sequence[Candidate], query: frozenset[str], wanted: Wanted) -> list[Candidate]:
    """Sentences in the order of their choice, by maximal marginal relevance (Carbonell and Goldstein 1998)."""
    values = worth(given, query)
    chosen: list[int] = []
    left, best = wanted.words, 0.0
    while len(chosen) < wanted.most:
        options = [(_marginal(number, given, values, chosen), -number) for number in _open(given, chosen, left)]
        if not options:
            break
        value, number = max(options)
        best = max(best, value)
        if len(chosen) >= wanted.least and value < ENOUGH * best:
            break
        chosen.append(-number)
        left -= size(given[-number].text)
    return [given[number] for number in chosen]


def size(text: str) -> int:
    """Words of a sentence; in scripts without spaces half of its characters."""
    return len(text) // 2 if is_unspaced(text) else len(text.split())


def _open(given: Sequence[Candidate], chosen: list[int], left: int) -> list[int]:
    """Sentences that still fit and do not repeat a chosen one."""
    said = [given[number].terms for number in chosen]
    return [
        number
        for number, one in enumerate(given)
        if number not in chosen and (not chosen or size(one.text) <= left) and not repeats(one.terms, said, ALIKE)
    ]


def worth(given: Sequence[Candidate], query: frozenset[str]) -> list[float]:
    """How well each sentence answers by itself: what it covers of the query, its passage's rank, how central it is."""
    idf = rarity(one.terms for one in given)
    whole = weight(query, idf) or 1.0
    known = Counter(word for one in given for word in set(WORD.findall(one.text.lower())))
    values = []
    for one in given:
        covered = weight(one.terms & query, idf) / whole
        others = [other.terms for other in given if other is not one]
        central = sum(likeness(one.terms, other) for other in others) / len(others) if others else 0.0
        value = covered * min(1.0, (STEADY_WORDS / max(size(one.text), 1)) ** 0.3)
        value += RANK / (1 + one.rank) + CENTRAL * central
        value *= ELSEWHERE if POINTS_ELSEWHERE.search(one.text) else 1.0
        value *= SPOILT if is_glued(one.text, known) else 1.0
        values.append(value * (OF_ITSELF if TELLS_OF_ITSELF.search(one.text) else 1.0))
    return values


def is_glued(text: str, known: Counter[str]) -> bool:
    """Whether words of `text` ran into each other: one seen here only is two that are seen elsewhere."""
    if GLUED.search(text):
        return True
    rare = [word for word in WORD.findall(text.lower()) if len(word) >= 6 and known[word] == 1]
    return any(known[word[:at]] and known[word[at:]] for word in rare for at in range(2, len(word) - 2))


def _marginal(number: int, given: Sequence[Candidate], values: list[float], chosen: list[int]) -> float:
    """A sentence's value beside those chosen already."""
    one = given[number]
    value = values[number]
    follows = any((given[other].rank, given[other].place) == (one.rank, one.place - 1) for other in chosen)
    if LEANS_BACK.match(one.text) and not follows:
        value *= ALONE
    return value - SAME * value * max((likeness(one.terms, given[other].terms) for other in chosen), default=0.0)
