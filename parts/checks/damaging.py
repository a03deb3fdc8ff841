"""Damages an output in a way that no careful rater prefers, always in the same way for the same seed."""

import re
from collections.abc import Callable, Sequence
from random import Random

from agreement.text_lengths import UNSPACED, tokens

SENTENCES = re.compile(r"(?<=[.!?…])\s+|(?<=[。\uff01\uff1f])(?!\W)|\n+")
UNSPACED_END = re.compile(rf"[{UNSPACED}]\W*\Z")
FEW_SENTENCES = 3
CUT_TO = (0.25, 0.5)
"""The share of the words that a cut leaves."""


def shuffled(text: str, others: Sequence[str], random: Random) -> str:
    """The same sentences in another order; the words of a text of fewer than three sentences."""
    sentences = [one for one in SENTENCES.split(text) if one.strip()]
    parts = sentences if len(sentences) >= FEW_SENTENCES else tokens(text)
    moved = list(parts)
    random.shuffle(moved)
    if moved == parts:
        moved.reverse()
    return _joined(moved)


def swapped(text: str, others: Sequence[str], random: Random) -> str:
    """The output of another item; the text itself if there is none."""
    found = sorted({other for other in others if other.strip() and other != text})
    return random.choice(found) if found else text


def cut(text: str, others: Sequence[str], random: Random) -> str:
    """The first words, which end in the middle of what is said."""
    words = tokens(text)
    return _joined(words[: max(1, int(len(words) * random.uniform(*CUT_TO)))])


def _joined(parts: Sequence[str]) -> str:
    """The parts with a space between two, but not after a script that is written without."""
    return "".join(part if UNSPACED_END.search(part) else f"{part} " for part in parts).rstrip(" ")


DAMAGES: dict[str, Callable[[str, Sequence[str], Random], str]] = {"shuffle": shuffled, "other": swapped, "cut": cut}


def damaged(text: str, others: Sequence[str], kinds: Sequence[str], random: Random) -> tuple[str, str] | None:
    """The name of a damage and the damaged text; None if no damage changes this text.

    `others` are outputs of other items; `kinds` are the damages that the study allows.
    """
    order = list(kinds)
    random.shuffle(order)
    for name in order:
        changed = DAMAGES[name](text, others, random)
        if tokens(changed) != tokens(text):
            return name, changed
    return None
