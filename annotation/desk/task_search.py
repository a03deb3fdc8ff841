"""How a part that decides who gets which tasks finds a rater's next one, in place of the core's search.

At most one part of a study has a search. Its slots are in lanes: `Slot.lane` says in which, and is 0 in other studies.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from annotation.models import Item, Rater, Slot, Study
from config.part import Part
from config.parts import parts_of


@dataclass(frozen=True)
class FoundSlots:
    """Open slots that a rater may take together, of which they may take `room` (None: all).

    The caller calls `remember` once the rater has some of them.
    """

    slots: list[Slot]
    room: int | None
    remember: Callable[[], None]


class TaskSearch(ABC):
    """What the path of an answer asks a part with a search of its own."""

    @abstractmethod
    def lane_of(self, study: Study, item: Item, number: int) -> int:
        """Return the lane of the slot of a number on an item's tasks, 1 or more."""

    @abstractmethod
    def recount(self, study: Study) -> None:
        """Follow a change of the study's slots or settings."""

    @abstractmethod
    def lock(self, study: Study) -> None:
        """Let nobody else take or give back counted slots until the transaction ends."""

    @abstractmethod
    def ensure_ready(self, study: Study, rater: Rater) -> bool:
        """Whether the rater has lanes; they get them now if nothing is missing."""

    @abstractmethod
    def is_ready(self, rater: Rater) -> bool:
        """Whether the rater has lanes."""

    @abstractmethod
    def address(self, study: Study) -> str:
        """Return the address of the page for somebody who has no lanes, which says what is missing."""

    @abstractmethod
    def find(self, study: Study, state: Any, together: bool, kept: tuple[str, list[Any]]) -> FoundSlots:
        """Return the first open slots for a locked rater, by their `RaterState` and conditions (`slot_conditions`)."""

    @abstractmethod
    def open_lanes(self, study: Study, rater: Rater, *, locked: bool = False) -> Sequence[int]:
        """Return the lanes of which the rater may take more; with `locked`, until the transaction ends."""

    @abstractmethod
    def may_take(self, study: Study, rater: Rater, lanes: list[int]) -> bool:
        """Whether a locked rater may take one more slot in each of these lanes, which may be the same."""

    @abstractmethod
    def ahead(self, study: Study, rater: Rater, most: int) -> tuple[int, bool]:
        """Return how many tasks a rater can still get, and whether the count stopped at `most` slots."""

    @abstractmethod
    def has_room(self, rater: Rater) -> bool:
        """Whether what is counted leaves the rater anything."""


def search_of(study: Study) -> TaskSearch | None:
    """Return the search of the study's part that has one, or None."""
    return _search(parts_of(study))


@lru_cache
def _search(used: tuple[Part, ...]) -> TaskSearch | None:
    return next((part.search for part in used if part.search is not None), None)


def lane_of(study: Study, item: Item, number: int) -> int:
    """Return the lane of the slot of a number on an item's tasks; 0 in a study without lanes."""
    search = search_of(study)
    return 0 if search is None else search.lane_of(study, item, number)


def lock_counts(study: Study) -> None:
    """Let nobody else take or give back counted slots until the transaction ends; nothing if none are counted."""
    search = search_of(study)
    if search is not None:
        search.lock(study)
