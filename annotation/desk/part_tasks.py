"""What parts add to the path of an answer, composed in one place: steps before, a search, tasks of their own.

A part with a `search` finds a rater's next task in place of the core's search; at most one part of a study has one. Its
slots are in lanes: `Slot.lane` says in which, and is 0 in other studies.

Parts may mix tasks among a study's own. Raters cannot tell them apart. Their items are copies that the program has
made, and their slots belong to no study, so that nothing that counts a study's places counts them. `Rater.given` counts
a rater's claims in such studies.

A part may have steps that a rater takes before their first task; at most one part of a study has them. Such a rater is
not `admitted` until they have taken them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from annotation.models import Item, Rater, Slot, Study
from config.parts import parts_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from accounts.models import Person
    from annotation.fragments import StepsCard
    from annotation.studies.queries import MyWork
    from annotation.synthetic_visitor import SyntheticVisitor


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


def lane_of(study: Study, item: Item, number: int) -> int:
    """Return the lane of the slot of a number on an item's tasks; 0 in a study without lanes."""
    search = parts_of(study).search
    return 0 if search is None else search.lane_of(study, item, number)


def lock_counts(study: Study) -> None:
    """Let nobody else take or give back counted slots until the transaction ends; nothing if none are counted."""
    search = parts_of(study).search
    if search is not None:
        search.lock(study)


def mixed_among(study: Study, rater: Rater, tasks: int, items: int) -> int:
    """Return how many mixed tasks will come among a rater's next `tasks`, which are of so many items."""
    return sum(part.tasks_among(study, rater, tasks, items) for part in parts_of(study).mixing)


def expected_mixed(study: Study, tasks: int) -> int:
    """Return how many mixed tasks somebody can expect beside so many of the study's own."""
    return sum(part.expected_among(study, tasks) for part in parts_of(study).mixing)


class RepeatedSteps(NamedTuple):
    """What it means for raters that guidelines change their meaning: the label of the check box, and its help."""

    label: str
    help_text: str


class StepsBeforeTasks(ABC):
    """What the core asks a part with steps that raters take before their first task.

    Other parts, which do not know this one, ask `has_step`, `walk` and `decide_for_researchers`.
    """

    @abstractmethod
    def page(self, study: Study) -> str:
        """Return the address of the page where a rater takes their next step."""

    @abstractmethod
    def card(self, request: HttpRequest, work: MyWork) -> StepsCard:
        """Return what the home page shows of a person's next step."""

    @abstractmethod
    def has_step(self, rater: Rater) -> bool:
        """Whether a rater who may have no tasks now can take a step."""

    @abstractmethod
    def is_waiting(self, rater: Rater) -> bool:
        """Whether a rater who may have no tasks now waits for a decision."""

    @abstractmethod
    def most_given(self, rater: Rater) -> int | None:
        """Return how many tasks a rater may be given in all before a decision, or None for any number."""

    @abstractmethod
    def end_if_over(self, rater: Rater) -> None:
        """Let a rater wait for a decision if they have just sent the last task that they may be given before it."""

    @abstractmethod
    def repeated(self, study: Study) -> RepeatedSteps | None:
        """Return what researchers read before guidelines change their meaning, if raters then take steps again."""

    @abstractmethod
    def repeat(self, study: Study, version: int, actor: Person | None) -> None:
        """Ask for steps again under a version of the locked study's guidelines, in the transaction that publishes it.

        Nothing happens if the study has no such steps.
        """

    @abstractmethod
    def walk(self, rater: Rater, visitor: SyntheticVisitor) -> bool:
        """Take the next step of a synthetic rater; False if there is none, or they have to wait."""

    @abstractmethod
    def decide_for_researchers(self, study: Study, owner: Person) -> int:
        """Decide what keeps raters of a dry run waiting; return how many decisions were made."""


def page_before_task(study: Study, rater: Rater) -> str | None:
    """Return the address where a rater who may have no tasks yet continues, or None if they may have some."""
    steps = None if rater.admitted else parts_of(study).steps
    return None if steps is None else steps.page(study)
