"""What the kinds of steps with practice tasks have in common."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from annotation.models import Rater, Study
from annotation.protocols import Protocol
from files.import_problems import FieldInvalidError
from parts.way_in.entry_step import DeclaredIn, EntryStep, EntryStepKind, RepliesInvalidError
from parts.way_in.models import StepPassage
from parts.way_in.passing import begin
from parts.way_in.practice_tasks import MOST_ITEMS, items_for, tasks_for

NO_TASKS = gettext_noop("This step has no tasks yet. Please tell the people who run the study.")
OWN_PAGES = "cannot be a step here, because tasks of this protocol have pages of their own"


class PracticeKind(EntryStepKind):
    """A step of tasks from a pool of the study, rated on the same page as ordinary tasks."""

    has_tasks = True
    shows_gold = False
    """Whether the right answer is shown after each task."""
    pool: str
    spec_keys = frozenset({"intro", "items"})

    def suits(self, protocol: Protocol) -> bool:
        return not protocol.flow.has_own_pages

    def pool_of(self, step: EntryStep) -> str:
        return str(step.option("pool", self.pool))

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        if "intro" in body and not isinstance(body["intro"], str):
            yield FieldInvalidError(place, "intro must be text")
        if not self.suits(within.protocol):
            yield FieldInvalidError(place, OWN_PAGES)
        items = body.get("items")
        named = isinstance(items, list) and 0 < len(items) <= MOST_ITEMS and all(isinstance(one, str) for one in items)
        if items is not None and not named and not is_whole(items, 1, MOST_ITEMS):
            yield FieldInvalidError(place, f"items must be a number from 1 to {MOST_ITEMS} or a list of item ids")
        most = len(items) if isinstance(items, list) else items if type(items) is int else MOST_ITEMS
        if "sample" in self.spec_keys and "sample" in body and not is_whole(body["sample"], 1, most):
            yield FieldInvalidError(place, f"sample must be a whole number from 1 to {most}, the number of items")

    def context(self, step: EntryStep, study: Study, form: QueryDict | None) -> dict[str, Any]:
        there = len(items_for(study, step))
        return {"intro": step.option("intro", ""), "items": min(there, step.option("sample", there))}

    def take(self, step: EntryStep, rater: Rater, form: QueryDict, now: datetime) -> None:
        """Begin an attempt, unless one is under way. Raises RepliesInvalidError if the pool has no items."""
        if StepPassage.objects.filter(rater=rater, step=step.key, outcome=StepPassage.Outcome.OPEN).exists():
            return
        tasks = self.tasks(step, rater)
        if not tasks:
            raise RepliesInvalidError({"": gettext(NO_TASKS)})
        begin(rater, step.key, now, tasks)

    def tasks(self, step: EntryStep, rater: Rater) -> list[list[Any]]:
        """Return the tasks of a new attempt."""
        return tasks_for(rater.study, step, rater)

    @abstractmethod
    def finish(self, step: EntryStep, passage: StepPassage, now: datetime) -> None:
        """End an attempt whose tasks are all answered, in the caller's transaction."""


def is_whole(value: Any, least: int, most: int) -> bool:
    """Whether a value of a file is a whole number in this range; true and false are none."""
    return type(value) is int and least <= value <= most
