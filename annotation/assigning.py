"""Giving work: a rater gets a lease on one of a task's slots, never two on one task, never beyond the quota.

Open slots are taken in the study's seeded order of items, so that items are finished one after the other and
each is met by whoever comes. Where a protocol keeps raters together, taking a slot of one of an item's tasks
reserves the slots of the same number on the others. `Rater.place` remembers how far along the order a rater
has come, which keeps a claim's cost the same whatever the study's size; only when nothing lies ahead is the
order walked once more from its start, for what others gave back.

On PostgreSQL the item's row is the lock of a claim (skipped where another claim holds it); on SQLite the
transaction holds the one write lock. The database refuses what either would miss.
"""

import random
import time
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.auditing import record
from annotation.batching import EVERYWHERE, last_place
from annotation.models import Annotation, Assignment, Rater, Slot, Study
from annotation.planning import seeded
from annotation.protocols import protocols

RELEASE_AT_ONCE = 100
ATTEMPTS = 40


class BusyError(Exception):
    """Work is open, but others were choosing at the same moment: ask again."""


def next_assignment(study: Study, rater: Rater) -> Assignment | None:
    """The task that `rater` works on next, leased from now on; None where nothing is open for them now.

    Raises BusyError where open work stayed locked by others through all attempts.
    """
    for attempt in range(ATTEMPTS):
        with transaction.atomic():
            rater = Rater.objects.select_for_update().get(pk=rater.pk)
            if not Study.objects.filter(pk=study.pk, status=Study.Status.LIVE).exists():
                return None
            now = timezone.now()
            slot = _own_slot(study, rater, now)
            if slot is None:
                release_expired(study, now)
                slot = _new_slot(study, rater, now)
            if slot is not None:
                return _open(study, rater, slot, now)
        if not (connection.features.has_select_for_update_skip_locked and open_slots(study, rater).exists()):
            return None
        time.sleep(random.uniform(0.002, 0.02) * (attempt + 1))  # noqa: S311 - spreads those who wait
    raise BusyError


def lease_end(study: Study, now: datetime) -> datetime:
    """When a lease given or renewed now ends."""
    return now + timedelta(minutes=study.option("lease_minutes", protocols()[study.protocol].lease_minutes))


def open_slots(study: Study, rater: Rater) -> QuerySet[Slot]:
    """Open slots of tasks that `rater` neither holds nor has answered, in the order in which they are given.

    Those of batches that are not released yet are left out.
    """
    protocol = protocols()[study.protocol]
    slots, last = protocol.offered(_open_to(rater).filter(study=study), rater), last_place(study)
    return (slots if last == EVERYWHERE else slots.filter(place__lte=last)).order_by("place", "number", "pk")


def tasks_of(study: Study, rater: Rater) -> tuple[int, int]:
    """How many tasks the rater has filled a slot of, and how many they hold or can still be given."""
    mine = Slot.objects.filter(study=study, holder=rater)
    held = mine.filter(state=Slot.State.HELD).count()
    left = protocols()[study.protocol].left(open_slots(study, rater))
    return mine.filter(state=Slot.State.FILLED).count(), held + left


def _open_to(rater: Rater) -> QuerySet[Slot]:
    mine = Slot.objects.filter(task=OuterRef("task"), holder=rater)
    answered = Annotation.objects.filter(
        task=OuterRef("task"), rater=rater, is_current=True, status__in=["submitted", "skipped"]
    )
    return Slot.objects.filter(~Exists(mine), ~Exists(answered), state=Slot.State.OPEN)


def release_expired(study: Study, now: datetime) -> int:
    """Open the slots whose leases have ended; returns how many. What their holders typed stays with them."""
    expired = Slot.objects.filter(study=study, state=Slot.State.HELD, lease_until__lt=now)
    locked = expired.select_related("holder").select_for_update(of=("self",), skip_locked=True)
    slots = list(locked.order_by("lease_until")[:RELEASE_AT_ONCE])
    return _release(study, slots, "lease expired")


def release_held_by(study: Study, rater: Rater, why: str) -> int:
    """Open all slots that `rater` holds and has not filled; returns how many."""
    held = Slot.objects.filter(study=study, holder=rater, state=Slot.State.HELD)
    locked = held.select_related("holder").select_for_update(of=("self",))
    return _release(study, list(locked.order_by("pk")), why)


def _release(study: Study, slots: list[Slot], why: str) -> int:
    for slot in slots:
        subject = f"task {slot.task_id} slot {slot.number}"
        holder = slot.holder.name if slot.holder else None
        record("slot released", subject, actor=None, study=study.slug, old={"rater": holder}, new={"why": why})
    Slot.objects.filter(pk__in=[slot.pk for slot in slots]).update(state=Slot.State.OPEN, holder=None, lease_until=None)
    if slots:
        protocols()[study.protocol].released(slots)
    return len(slots)


def _own_slot(study: Study, rater: Rater, now: datetime) -> Slot | None:
    """The slot to go on with among those that the rater holds; all that are held on its item are renewed."""
    held = list(Slot.objects.filter(study=study, holder=rater, state=Slot.State.HELD))
    if not held:
        return None
    slot = min(held, key=lambda one: (one.place, seeded(study, "turn", rater.name, one.task_id)))
    renew_lease(study, slot, now)
    return slot


def renew_lease(study: Study, slot: Slot, now: datetime) -> None:
    """Extend the lease of a held slot and of its holder's other held slots on the same item."""
    Slot.objects.filter(holder=slot.holder, item=slot.item_id, state=Slot.State.HELD).update(
        lease_until=lease_end(study, now)
    )


def _new_slot(study: Study, rater: Rater, now: datetime) -> Slot | None:
    """Reserve the next open slot of the order, and the ones that go with it."""
    protocol = protocols()[study.protocol]
    ranked = protocol.ranked(open_slots(study, rater), rater)
    if ranked is None:
        found = _first_open(study, rater, ahead=True) or _first_open(study, rater, ahead=False)
    else:
        found = _first_of(ranked)
    if found is None:
        return None
    wanted = [found.pk]
    if protocol.keeps_raters(study.options):
        # By primary key: on a table that PostgreSQL has not analysed yet it would walk all open slots instead.
        wanted = list(Slot.objects.filter(item=found.item_id, number=found.number).values_list("pk", flat=True))
    taken = (
        _open_to(rater)
        .filter(pk__in=wanted)
        .update(state=Slot.State.HELD, holder=rater, lease_until=lease_end(study, now))
    )
    if not taken:  # somebody else was between our look and our lock: ask again
        return None
    if ranked is None and rater.place != found.place:
        rater.place = found.place
        rater.save(update_fields=["place"])
    return _own_slot(study, rater, now)


def _first_open(study: Study, rater: Rater, *, ahead: bool) -> Slot | None:
    slots = open_slots(study, rater)
    if ahead and rater.place is not None:
        slots = slots.filter(place__gte=rater.place)
    return _unlocked(slots).first()


def _first_of(ranked: list[int]) -> Slot | None:
    """The first of these open slots whose item nobody else is choosing from at this moment."""
    for pk in ranked:
        slot = _unlocked(Slot.objects.filter(pk=pk, state=Slot.State.OPEN)).first()
        if slot is not None:
            return slot
    return None


def _unlocked(slots: QuerySet[Slot]) -> QuerySet[Slot]:
    """The slots, whose items are locked where the database can pass over those that others have locked."""
    if connection.features.has_select_for_update_skip_locked:
        # The lock must not exclude the key-share locks that submissions take on the item's row.
        slots = slots.select_related("item").select_for_update(of=("item",), skip_locked=True, no_key=True)
    return slots.only("pk", "item__id", "number", "place")


def _open(study: Study, rater: Rater, slot: Slot, now: datetime) -> Assignment:
    """The rater's assignment on the slot's task: the one they had, or a new one."""
    assignment = Assignment.objects.filter(rater=rater, task=slot.task_id).first()
    if assignment is None:
        assignment = Assignment.objects.create(
            rater=rater, task_id=slot.task_id, order=slot.order, opened_at=now, created_at=now
        )
        subject = f"task {slot.task_id} slot {slot.number}"
        record("task assigned", subject, actor=rater.person, study=study.slug, new={"rater": rater.name})
        protocols()[study.protocol].given(assignment)
    elif assignment.order != slot.order:
        assignment.order = slot.order
        assignment.save(update_fields=["order"])
    return assignment


def hold(study: Study, rater: Rater, task: int, now: datetime) -> bool:
    """Renew the rater's lease on a task, or take an open slot of it anew; False where others have them all."""
    mine = Slot.objects.select_for_update().filter(task=task, holder=rater).first()
    if mine is not None:
        if mine.state == Slot.State.HELD:
            renew_lease(study, mine, now)
        return True
    return take_open(rater, task, Slot.State.HELD, lease_end(study, now))


def fill(rater: Rater, task: int) -> bool:
    """Have the rater's work stand on the slot they hold, or on an open one; False where others have them all."""
    mine = Slot.objects.select_for_update().filter(task=task, holder=rater)
    if mine.update(state=Slot.State.FILLED, lease_until=None):
        return True
    return take_open(rater, task, Slot.State.FILLED, None)


def take_open(rater: Rater, task: int, state: str, until: datetime | None) -> bool:
    """Take an open slot of a task; False where there is none."""
    free = Slot.objects.filter(task=task, state=Slot.State.OPEN).select_for_update(skip_locked=True)
    slot = free.order_by("number").first()
    if slot is None:
        return False
    taken = Slot.objects.filter(pk=slot.pk, state=Slot.State.OPEN)
    return bool(taken.update(state=state, holder=rater, lease_until=until))


def release(study: Study, rater: Rater, task: int, why: str) -> int:
    """Open the slot that the rater holds on a task and has not filled; returns how many."""
    held = Slot.objects.filter(task=task, holder=rater, state=Slot.State.HELD)
    return _release(study, list(held.select_related("holder").select_for_update(of=("self",))), why)


def give_own(rater: Rater, task: int, since: datetime | None) -> Assignment:
    """The rater's assignment on a task that is theirs by right and takes no slot; work on it began at `since`."""
    there = Assignment.objects.filter(rater=rater, task=task).first()
    if there is not None:
        return there
    return Assignment.objects.create(
        rater=rater, task_id=task, order=[], opened_at=since, created_at=since or timezone.now()
    )
