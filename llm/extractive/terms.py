"""The terms of a sentence, how rare they are, and how alike two sentences are."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from annotation.desk.highlighting import UNSPACED, words_of
from llm.citations import CITATION

ASKING = """
    add also answer detail explain describe discuss elaborate elaborat example expand give include inform
    information instruct list mention more paper paragraph part passag passage pleas please point provid provide
    question recent section sentenc show studi study talk tell text write work short brief briefli kind type way
    find found use used make made clarifi updat revis line
"""
WORDS_OF_ASKING = frozenset(ASKING.split())
"""Stems of English words that say what to do with an answer, not what it is about."""
PAPER_NUMBERS = re.compile(rf"{CITATION}|\bpapers?\s+\d+(?:(?:\s*,\s*|\s+and\s+)\d+)*")
SAME = 0.7  # two sentences that share this part of their terms say the same


def terms(text: str, language: str) -> frozenset[str]:
    """Return the stems of the words of `text` without stop words; in scripts without spaces, pairs of characters."""
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
    """Return the terms of what an instruction is about; all of its terms if nothing else is left."""
    found = terms(PAPER_NUMBERS.sub(" ", instruction), language)
    return found - WORDS_OF_ASKING or found


def rarity(texts: Iterable[frozenset[str]]) -> dict[str, float]:
    """Return the inverse document frequency of each term over `texts`, log(1 + N / n)."""
    known = list(texts)
    counted = Counter(term for text in known for term in text)
    return {term: math.log(1 + len(known) / n) for term, n in counted.items()}


def weight(found: frozenset[str], idf: Mapping[str, float]) -> float:
    """Return the summed rarity of the terms, in sorted order so that the last digit never differs."""
    return sum(idf.get(term, 0.0) for term in sorted(found))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller set's terms that the other set has; 0 for an empty set."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def repeats(found: frozenset[str], others: Sequence[frozenset[str]]) -> bool:
    """Return whether one of `others` says the same."""
    return any(likeness(found, other) >= SAME for other in others)
