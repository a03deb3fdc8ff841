"""Selects sentences of the passages that answer a question and differ from each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llm.extractive.sentences import is_unspaced, quotable
from llm.extractive.terms import likeness, rarity, repeats, terms, weight
from llm.requests import SourcePassage

REFERS_BACK = re.compile(
    r"(?:this|that|these|those|it|its|they|their|them|he|she|such|both|here|there|then|thus|hence|so|but|and|or|also"
    r"|therefore|however|moreover|furthermore|instead|otherwise|meanwhile|likewise|finally|next|another|as a result"
    r"|in (?:addition|contrast|other words|particular)|for (?:this|example|instance)|by contrast)\b",
    re.IGNORECASE,
)
POINTS_ELSEWHERE = re.compile(
    r"\b(?:table|figure|fig\.|appendix|section|equation|footnote)s?\s*[\dA-Z]\b|\b(?:below|above|as follows)\b",
    re.IGNORECASE,
)
ACKNOWLEDGES = re.compile(r"\bwe (?:also )?thank\b|\bgrateful to\b|\bcontributed to (?:the )?paper\b", re.IGNORECASE)
KEPT_VALUE = 0.35  # what remains of a sentence's value if it cannot be understood alone
RANK, CENTRALITY, REDUNDANCY = 0.15, 0.2, 0.45
"""Weights of the passage's rank, of likeness to all sentences, and of likeness to the selected ones."""
ENOUGH = 0.35  # beyond the fewest, a sentence needs this share of the best one's value


@dataclass(frozen=True)
class Quote:
    """A sentence that can be quoted: its paper, the rank of its passage (0 is best) and its place in that passage."""

    paper: int
    rank: int
    place: int
    text: str
    terms: frozenset[str]


@dataclass(frozen=True)
class Length:
    """How many sentences are wanted, and how many words in all."""

    fewest: int
    most: int
    words: int


def quotes(passages: Sequence[SourcePassage], language: str) -> list[Quote]:
    """Return all sentences of the passages that can be quoted, each once."""
    found: dict[str, Quote] = {}
    for rank, passage in enumerate(passages):
        for place, text in quotable(passage.text):
            if not ACKNOWLEDGES.search(text):
                found.setdefault(text.casefold(), Quote(passage.number, rank, place, text, terms(text, language)))
    return list(found.values())


def selected(given: Sequence[Quote], query: frozenset[str], wanted: Length) -> list[Quote]:
    """Return the best sentences, best first, by maximal marginal relevance (Carbonell and Goldstein 1998)."""
    values = values_of(given, query)
    chosen: list[int] = []
    words, best = wanted.words, 0.0
    while len(chosen) < wanted.most:
        said = [given[number].terms for number in chosen]
        fitting = [
            number
            for number, one in enumerate(given)
            if number not in chosen and (not chosen or size(one.text) <= words) and not repeats(one.terms, said)
        ]
        ranked = [(_marginal(number, given, values, chosen), -number) for number in fitting]
        if not ranked:
            break
        value, number = max(ranked)
        best = max(best, value)
        if len(chosen) >= wanted.fewest and value < ENOUGH * best:
            break
        chosen.append(-number)
        words -= size(given[-number].text)
    return [given[number] for number in chosen]


def size(text: str) -> int:
    """Return the number of words of a sentence; in scripts without spaces, half its characters."""
    return len(text) // 2 if is_unspaced(text) else len(text.split())


def values_of(given: Sequence[Quote], query: frozenset[str]) -> list[float]:
    """Return the value of each sentence alone: its share of the query, its passage's rank, how central it is."""
    idf = rarity(one.terms for one in given)
    whole = weight(query, idf) or 1.0
    values = []
    for one in given:
        others = [other.terms for other in given if other is not one]
        central = sum(likeness(one.terms, other) for other in others) / max(len(others), 1)
        value = weight(one.terms & query, idf) / whole + RANK / (1 + one.rank) + CENTRALITY * central
        values.append(value * (KEPT_VALUE if POINTS_ELSEWHERE.search(one.text) else 1.0))
    return values


def _marginal(number: int, given: Sequence[Quote], values: list[float], chosen: list[int]) -> float:
    """Return the value of a sentence beside those selected already."""
    one, value = given[number], values[number]
    follows = any((given[other].rank, given[other].place) == (one.rank, one.place - 1) for other in chosen)
    if REFERS_BACK.match(one.text) and not follows:
        value *= KEPT_VALUE
    return value - REDUNDANCY * value * max((likeness(one.terms, given[other].terms) for other in chosen), default=0.0)
