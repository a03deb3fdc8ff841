"""What sentences are about: their terms, how rare these are, and how well a choice of sentences covers a query."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from annotation.words import UNSPACED, words_of

WORDS_OF_ASKING = """
    add also answer detail explain describe discuss elaborate elaborat example expand give include inform
    information instruct list mention more paper paragraph part passag passage pleas please point provid provide
    question recent section sentenc show studi study talk tell text write work short brief briefli kind type way
    find found use used make made clarifi updat revis line
"""
ASKING = frozenset(WORDS_OF_ASKING.split())
"""Stems of English words that say what to do with an answer, not what it is about."""
ALIKE = 0.7
VERY_ALIKE = 0.75
"""The share of terms from which a sentence is too like another one to be quoted beside it, and to be news."""


def terms(text: str, language: str) -> frozenset[str]:
    """Stems of the words of `text` but function words; in scripts without spaces each two characters side by side."""
    found: set[str] = set()
    previous = None
    for word in words_of(text, language or "en"):
        if UNSPACED.match(text[word.start]):
            if previous is not None and previous.end == word.start:
                found.add(previous.stem + word.stem)
            previous = word
        else:
            previous = None
            if not word.is_stop:
                found.add(word.stem)
    return frozenset(found)


def topic(instruction: str, language: str) -> frozenset[str]:
    """The terms of an instruction without those that only say what to do; all of them where nothing is left."""
    plain = re.sub(r"\[[\d,\s]+\]|\bpapers?\s+\d+(?:(?:\s*,\s*|\s+and\s+)\d+)*", " ", instruction)
    found = terms(plain, language)
    return found - ASKING or found


def rarity(texts: Iterable[frozenset[str]]) -> dict[str, float]:
    """The inverse document frequency of each term over `texts`, log(1 + N / n)."""
    counted: Counter[str] = Counter()
    number = 0
    for number, found in enumerate(texts, 1):  # noqa: B007
        counted.update(found)
    return {term: math.log(1 + number / n) for term, n in counted.items()}


def weight(found: frozenset[str], idf: Mapping[str, float]) -> float:
    """The sum of the terms' rarities, in their sorted order, so that the last digit never differs."""
    return sum(idf.get(term, 0.0) for term in sorted(found))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller set's terms that the other has; 0 for empty sets."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def repeats(found: frozenset[str], others: Sequence[frozenset[str]], limit: float = VERY_ALIKE) -> bool:
    """Whether one of `others` says nearly the same."""
    return any(likeness(found, other) >= limit for other in others)
