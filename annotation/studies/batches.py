"""Batches: a study gives out its items in groups, in the order of import; researchers release one after another.

The upper bits of a slot's `place` hold the batch of its item. The released slots are therefore one range of the order
of claims, and a claim costs the same with batches as without.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, Q, QuerySet, Value

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Batch, Item, Slot, Study
from annotation.pools import planned_items
from annotation.studies.locking import lock_study

OPTION = "batch_size"
BITS = 47
LAST_BATCH = 2**16 - 1
EVERYWHERE = 2**63 - 1
FIRST = 0
"""The first place of a study's order; slots of withdrawn items have places before it, which nobody reaches."""
PRIORITY_BITS = 2


class BatchRefusedError(Exception):
    """The batch cannot be released now; the message gives the reason and what to do first."""


@dataclass(frozen=True)
class BatchState:
    """The progress of a batch: its items (first to last, counted from 1), places for answers, places filled."""

    number: int
    first: int
    last: int
    places: int
    filled: int

    @property
    def is_full(self) -> bool:
        return self.filled == self.places

    @property
    def percent(self) -> int:
        return 100 * self.filled // self.places if self.places else 0


def size_of(study: Study) -> int | None:
    """The number of items per batch; None if all items are given out at once."""
    size: int | None = study.options.get(OPTION, None)
    return size


def place_in(
    study: Study, number: int, place: int, priority: int = Item.Priority.ORDINARY, *, is_withdrawn: bool = False
) -> int:
    """The `place` of slots of the study's item `number` (from 0, by import), whose hash is `place`, of 63 bits.

    There are at most 65,536 batches; all later items belong to the last one. The bits below the batch hold the item's
    priority, so that a claim costs the same with priorities as without.
    """
    size = size_of(study)
    batch, bits = (0, 63) if size is None else (min(number // size, LAST_BATCH), BITS)
    bits -= PRIORITY_BITS
    found = (batch << BITS) | (int(priority) << bits) | (place >> (63 - bits))
    return -1 - found if is_withdrawn else found


def last_place(study: Study) -> int:
    """The greatest `place` that is given out now: -1 for none, EVERYWHERE without batches. At most one query."""
    if size_of(study) is None:
        return EVERYWHERE
    return (released(study) << BITS) - 1


def last_places(batches: QuerySet[Batch]) -> QuerySet[Any]:
    """The greatest `place` that a study's `batches` give out, as a subquery; empty if there are none."""
    above = ExpressionWrapper(F("number") * Value(2**BITS) + Value(2**BITS - 1), output_field=BigIntegerField())
    return batches.order_by("-number").annotate(last_place=above).values("last_place")[:1]


def released(study: Study) -> int:
    """The number of released batches."""
    newest = Batch.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
    return 0 if newest is None else newest + 1


def batches_of(study: Study) -> int:
    """The number of batches that the study's items make now; 1 without batches."""
    size = size_of(study)
    if size is None:
        return 1
    return min(-(-planned_items(study).count() // size), LAST_BATCH + 1)


def items_in(study: Study, number: int) -> QuerySet[Item]:
    """The items of a batch: a range of primary keys, which follow the order of import."""
    items, size = planned_items(study), size_of(study)
    if size is None:
        return items
    ordered = items.order_by("pk").values_list("pk", flat=True)
    first = ordered[number * size : number * size + 1].first()
    beyond = ordered[(number + 1) * size : (number + 1) * size + 1].first() if number < LAST_BATCH else None
    chosen = items.filter(pk__gte=first) if first is not None else items.none()
    return chosen if beyond is None else chosen.filter(pk__lt=beyond)


def state_of(study: Study, number: int) -> BatchState:
    """The progress of a batch; without batches all items are batch 0."""
    size, items = size_of(study) or 0, items_in(study, number)
    counts = Slot.objects.filter(item__in=items, place__gte=FIRST).aggregate(
        places=Count("pk"), filled=Count("pk", filter=Q(state=Slot.State.FILLED))
    )
    return BatchState(number, number * size + 1, number * size + items.count(), counts["places"], counts["filled"])


def release_first(study: Study, actor: Person | None) -> None:
    """Release the first batch if the study has batches and none is released, in the caller's transaction."""
    if size_of(study) is not None and not released(study):
        _release(study, 0, actor, unfinished=[])


def release_next(
    study: Study, actor: Person | None, *, unfinished: list[str], anyway: bool = False, seen: int | None = None
) -> Batch:
    """Release the next batch; `unfinished` lists the work left in the batches before it.

    Raises BatchRefusedError if there is no further batch, if the study is neither live nor paused, if another batch
    was released since the page that showed `seen` of them, and, unless `anyway`, if work is unfinished.
    """
    with transaction.atomic():
        study = lock_study(study.pk)
        number = released(study)
        if size_of(study) is None:
            raise BatchRefusedError("This study gives out all its items at once.")
        if study.status not in (Study.Status.LIVE, Study.Status.PAUSED):
            raise BatchRefusedError("The first batch is released when the study goes live.")
        if number >= batches_of(study):
            raise BatchRefusedError("All batches have been released.")
        if seen is not None and seen != number:
            raise BatchRefusedError("A batch was released after this page was opened. Check that one first.")
        if unfinished and not anyway:
            raise BatchRefusedError(f"The last batch is unfinished: {'; '.join(unfinished)}.")
        return _release(study, number, actor, unfinished)


def _release(study: Study, number: int, actor: Person | None, unfinished: list[str]) -> Batch:
    batch = Batch.objects.create(study=study, number=number, released_by=actor)
    new = {"batch": number + 1, **({"unfinished": unfinished} if unfinished else {})}
    record("batch released", f"batch {number + 1}", actor=actor, study=study.slug, new=new)
    return batch
