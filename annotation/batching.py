"""Batches: items are given out so many at a time, in the order of import, the next ones once researchers say so.

A slot's `place` holds its item's batch in its upper bits, so that what is released is one range of the order in
which slots are given, and asking for work costs the same with batches as without.
"""

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import BigIntegerField, Count, ExpressionWrapper, F, Q, QuerySet, Value

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Batch, Item, Slot, Study

OPTION = "batch_size"
BITS = 47
LAST_BATCH = 2**16 - 1
EVERYWHERE = 2**63 - 1


class BatchRefusedError(Exception):
    """A batch that cannot be released now; the message says why, and what to do first."""


@dataclass(frozen=True)
class BatchState:
    """How far a batch is: its items (first to last, counted from 1), places for answers, places filled."""

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
    """How many items a batch of the study has; None where all are given out at once."""
    size: int | None = study.option(OPTION, None)
    return size


def place_in(study: Study, number: int, place: int) -> int:
    """The `place` of slots of the study's item `number` (from 0, by import), whose hash is `place`, of 63 bits.

    There are at most 65,536 batches; what comes after them belongs to the last.
    """
    size = size_of(study)
    return place if size is None else (min(number // size, LAST_BATCH) << BITS) | (place >> (63 - BITS))


def last_place(study: Study) -> int:
    """The greatest `place` that is given out now; -1 for none, EVERYWHERE without batches. At most one query."""
    if size_of(study) is None:
        return EVERYWHERE
    return (released(study) << BITS) - 1


def last_places(batches: QuerySet[Batch]) -> QuerySet[Any]:
    """For a subquery: the greatest `place` that `batches`, those of one study, give out; empty where it has none."""
    above = ExpressionWrapper(F("number") * Value(2**BITS) + Value(2**BITS - 1), output_field=BigIntegerField())
    return batches.order_by("-number").annotate(last_place=above).values("last_place")[:1]


def released(study: Study) -> int:
    """How many batches are released."""
    newest = Batch.objects.filter(study=study).order_by("-number").values_list("number", flat=True).first()
    return 0 if newest is None else newest + 1


def batches_of(study: Study) -> int:
    """How many batches the study's items make now; 1 where they are not given out in batches."""
    size = size_of(study)
    if size is None:
        return 1
    return min(-(-Item.objects.filter(study=study).count() // size), LAST_BATCH + 1)


def items_in(study: Study, number: int) -> QuerySet[Item]:
    """The items of a batch: a range of primary keys, as these follow the import."""
    items, size = Item.objects.filter(study=study), size_of(study)
    if size is None:
        return items
    ordered = items.order_by("pk").values_list("pk", flat=True)
    first = ordered[number * size : number * size + 1].first()
    beyond = ordered[(number + 1) * size : (number + 1) * size + 1].first() if number < LAST_BATCH else None
    chosen = items.filter(pk__gte=first) if first is not None else items.none()
    return chosen if beyond is None else chosen.filter(pk__lt=beyond)


def state_of(study: Study, number: int) -> BatchState:
    """How far a batch is; without batches all items are number 0."""
    size, items = size_of(study) or 0, items_in(study, number)
    counts = Slot.objects.filter(item__in=items).aggregate(
        places=Count("pk"), filled=Count("pk", filter=Q(state=Slot.State.FILLED))
    )
    return BatchState(number, number * size + 1, number * size + items.count(), counts["places"], counts["filled"])


def release_first(study: Study, actor: Person | None) -> None:
    """Release the first batch, where the study has batches and none is released. In the caller's transaction."""
    if size_of(study) is not None and not released(study):
        _release(study, 0, actor, unfinished=[])


def release_next(
    study: Study, actor: Person | None, *, unfinished: list[str], anyway: bool = False, seen: int | None = None
) -> Batch:
    """Release the next batch; `unfinished` says what is still to be done in the ones before it.

    Raises BatchRefusedError where there is none, where the study is not live or paused, where more than the
    `seen` batches are released already, and, unless `anyway`, where something is unfinished.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update().get(pk=study.pk)
        number = released(study)
        if size_of(study) is None:
            raise BatchRefusedError("This study gives out all its items at once.")
        if study.status not in (Study.Status.LIVE, Study.Status.PAUSED):
            raise BatchRefusedError("The first batch is released when the study goes live.")
        if number >= batches_of(study):
            raise BatchRefusedError("All batches are released.")
        if seen is not None and seen != number:
            raise BatchRefusedError("A batch was released since this page was made: look at that one first.")
        if unfinished and not anyway:
            raise BatchRefusedError(f"Not everything is done yet: {'; '.join(unfinished)}.")
        return _release(study, number, actor, unfinished)


def _release(study: Study, number: int, actor: Person | None, unfinished: list[str]) -> Batch:
    batch = Batch.objects.create(study=study, number=number, released_by=actor)
    new = {"batch": number + 1, **({"unfinished": unfinished} if unfinished else {})}
    record("batch released", f"batch {number + 1}", actor=actor, study=study.slug, new=new)
    return batch
