"""A seeded split of a study's turns into training, validation and test parts.

KIWI, section 5, splits turns at random, 70 to 15 to 15. Turns of one session share their question and most of their
answer, so by default whole items are drawn here. What a turn belongs to follows from the seed and from the name of its
item, session or turn alone: new turns move none that were there.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judges.options import Option

TRAINING, VALIDATION, TEST = "training", "validation", "test"
BY = ("item", "session", "turn")
SPLIT_OPTIONS = {
    "split_by": Option("choice", "item", "what is drawn as a whole; the paper draws single turns", choices=BY),
    "training": Option("number", 0.7, "the share for training, from which examples are taken", most=1),
    "validation": Option("number", 0.15, "the share for validation, which is neither shown nor judged", most=1),
    "split_seed": Option("whole", 0, "the seed of the split"),
}
"""Options from which `TurnSplit.of` makes a split. They are part of the judge, as all of a protocol's options."""


@dataclass(frozen=True)
class TurnSplit:
    """A split by `item`, `session` or `turn`; each is drawn with the probabilities `training` and `validation`."""

    by: str = "item"
    training: float = 0.7
    validation: float = 0.15
    seed: int = 0

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "TurnSplit":
        """Return the split that the values of SPLIT_OPTIONS describe."""
        return cls(options["split_by"], options["training"], options["validation"], options["split_seed"])

    def part(self, item: str, session: str, number: int) -> str:
        """Return the part to which a turn belongs, by the keys of its item and session and its number."""
        names = {"item": (item,), "session": (session,), "turn": (session, str(number))}
        place = drawn(self.seed, *names[self.by])
        if place < self.training:
            return TRAINING
        return VALIDATION if place < self.training + self.validation else TEST


def drawn(seed: int, *names: str) -> float:
    """Return a number from 0 to 1, without 1, that is drawn from a seed and names."""
    digest = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48
