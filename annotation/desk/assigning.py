"""Claims: a rater gets a lease on one of a task's slots, never two on one task, and never beyond the quota.

Open slots are taken in the study's seeded order of items, so that items are finished one after another, by the raters
who come next. If a protocol keeps raters together, a claim on one of an item's tasks also takes the slots of the same
number on the item's other tasks. `Rater.place` remembers how far a rater has come in the order, so that a claim costs
the same in a study of any size. Only if nothing is open ahead does the search start again from the beginning, for
slots that others gave back.

On PostgreSQL a claim locks the item's row, and skips items that other claims have locked. On SQLite the transaction
holds the one write lock. Constraints in the database refuse anything that the locks would miss.
"""

import random
import time
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.auditing import entry, identity_of, record, record_all
from accounts.models import AuditEntry, Person
from annotation.desk.part_tasks import FoundSlots, TaskSearch, lock_counts
from annotation.desk.statements import (
    KEPT,
    RaterState,
    first_open,
    held_slots,
    kept_slots,
    lock_state,
    move_place,
    renew_held,
    take_next_slots,
    take_slots,
    taken_slots,
)
from annotation.models import Adjudication, Annotation, Assignment, Rater, Reviewer, SeenItem, Slot, Study
from annotation.protocols import protocols
from annotation.studies.assignment_plan import cap_of, kept_for
from annotation.studies.batches import FIRST, last_place
from annotation.studies.secret_seeds import secretly_seeded
from config.database_clock import database_now
from config.parts import parts_of
from config.prepared_sql import insert, joined
from config.process_counts import count

RELEASE_AT_ONCE = 100
ATTEMPTS = 40


class BusyError(Exception):
    """There are open tasks, but other claims had locked all of them: try again."""


def next_assignment(study: Study, rater: Rater) -> Assignment | None:
    """The rater's next task, leased from now on; None if nothing is open for them.

    Raises BusyError if other claims kept all open tasks locked through all attempts.
    """
    search = parts_of(study).search
    if search is not None and not search.ensure_ready(study, rater):
        return None
    for attempt in range(ATTEMPTS):
        with transaction.atomic(), joined():
            now = database_now()
            state = lock_state(rater.pk, study, now)
            if state.status != Study.Status.LIVE or not state.rater.admitted:
                return None
            claimed = claim(study, state, now)
            if claimed is not None:
                record_all(claimed.steps)
                return claimed.assignment
        if state.rater.paused_at is not None:
            return None
        skips_locked = connection.features.has_select_for_update_skip_locked
        if not (skips_locked and has_room(study, rater) and open_slots(study, rater).exists()):
            return None
        time.sleep(random.uniform(0.002, 0.02) * (attempt + 1))  # noqa: S311 - spreads the retries
    raise BusyError


class Claimed(NamedTuple):
    """A task that a rater was given; the caller records the steps in the same transaction."""

    assignment: Assignment
    steps: Sequence[AuditEntry]


def claim(study: Study, state: RaterState, now: datetime) -> Claimed | None:
    """Give the locked rater a task in the caller's transaction; None if nothing is open, or others were faster."""
    slot = _own_slot(study, state.rater, now) if state.holds else None
    if slot is None:
        if state.expired:
            release_expired(study, now)
        slot = _new_slot(study, state, now)
    return None if slot is None else _open(study, state, slot, now)


def lease_end(study: Study, now: datetime) -> datetime:
    """The end of a lease that is given or renewed now."""
    return now + timedelta(minutes=study.options.get("lease_minutes", protocols()[study.protocol].flow.lease_minutes))


def open_slots(study: Study, rater: Rater) -> QuerySet[Slot]:
    """The open slots of tasks that `rater` neither holds nor has answered, in the order of claims.

    Without those of batches that are not released yet.
    """
    flow = protocols()[study.protocol].flow
    slots = _open_to(rater).filter(study=study, place__gte=FIRST, place__lte=last_place(study))
    slots, kept = flow.offered(slots, rater), kept_for(study, rater.name)
    search = parts_of(study).search
    if search is not None:
        slots = slots.filter(lane__in=search.open_lanes(study, rater))
    if kept is not None:
        slots = slots.filter(kept_for=kept)
    return slots.order_by("place", "number", "pk")


def tasks_of(study: Study, rater: Rater) -> tuple[int, int]:
    """How many tasks the rater has answered, and how many they hold or can still get."""
    mine = Slot.objects.filter(study=study, holder=rater)
    filled = mine.filter(state=Slot.State.FILLED).count()
    held = mine.filter(state=Slot.State.HELD, place__gte=FIRST).count()
    flow = protocols()[study.protocol].flow
    left, more = flow.count_tasks(open_slots(study, rater)), flow.most_more(rater)
    left = left if more is None else min(left, more)
    return filled, held + min(left, room_of(study, rater, filled + held, left))


def planned_tasks(study: Study, rater: Rater, held: int, ahead: int, most: int) -> int:
    """How many tasks the rater holds or can still get by the study's plan; counts at most `most` of a list."""
    if kept_for(study, rater.name) is not None:
        ahead = open_slots(study, rater).order_by().values("task").distinct()[:most].count()
    return held + min(ahead, room_of(study, rater, taken_slots(rater.pk), ahead))


def room_of(study: Study, rater: Rater, taken: int, without: int) -> int:
    """How many more slots the plan lets a rater take who has `taken` some; `without` if it sets no limit."""
    cap = cap_of(study, rater.name)
    return without if cap is None else max(0, cap - taken)


def has_room(study: Study, rater: Rater) -> bool:
    """Whether the study's plan lets a locked rater take one more slot. A query only if it sets a limit."""
    cap = cap_of(study, rater.name)
    return cap is None or taken_slots(rater.pk) < cap


def may_take(study: Study, rater: Rater, slots: Collection[int]) -> bool:
    """Whether these slots (primary keys) are open, and all of them may be given to the rater."""
    flow, wanted = protocols()[study.protocol].flow, _open_to(rater).filter(pk__in=slots)
    lanes = wanted.order_by().values_list("lane", flat=True)
    search = parts_of(study).search
    if search is not None and not search.may_take(study, rater, list(lanes)):
        return False
    return flow.offered(wanted, rater).count() == len(slots)


def _open_to(rater: Rater) -> QuerySet[Slot]:
    mine = Slot.objects.filter(task=OuterRef("task"), holder=rater)
    answered = Annotation.objects.filter(
        task=OuterRef("task"), rater=rater, is_current=True, status__in=Annotation.ANSWERED
    )
    reviewer = Reviewer.objects.filter(study=rater.study_id, name=rater.name)
    decided = Adjudication.objects.filter(by__in=reviewer).values("item")
    free = Slot.objects.filter(~Exists(mine), ~Exists(answered), state=Slot.State.OPEN).exclude(item__in=decided)
    return free.exclude(item__in=SeenItem.objects.filter(rater=rater).values("item"))


def release_expired(study: Study, now: datetime) -> int:
    """Open the slots whose leases have ended; returns how many. The holders keep their drafts.

    Mixed tasks are let go as others are; their slots belong to no study.
    """
    expired = Slot.objects.filter(state=Slot.State.HELD, lease_until__lt=now)
    locked = expired.select_related("holder").select_for_update(of=("self",), skip_locked=True, no_key=True)
    places = [Q(study=study)]
    if parts_of(study).mixing:
        places.append(Q(study=None, holder__study=study))
    slots = [slot for place in places for slot in locked.filter(place).order_by("lease_until")[:RELEASE_AT_ONCE]]
    count("lease_expiries", len(slots))
    return release_slots(study, slots, "lease expired")


def release_held_by(study: Study, rater: Rater, why: str) -> int:
    """Open the slots that `rater` holds and has not filled, also those of mixed tasks; returns how many."""
    held = Slot.objects.filter(holder=rater, state=Slot.State.HELD)
    locked = held.select_related("holder").select_for_update(of=("self",), no_key=True)
    return release_slots(study, list(locked.order_by("pk")), why)


def release_slots(study: Study, slots: list[Slot], why: str, actor: Person | None = None) -> int:
    """Open these held slots, which the caller has locked, to others; returns how many. Holders keep their drafts."""
    if slots:
        lock_counts(study)
    for slot in slots:
        subject = f"task {slot.task_id} slot {slot.number}"
        holder = slot.holder.name if slot.holder else None
        record("slot released", subject, actor=actor, study=study.slug, old={"rater": holder}, new={"why": why})
    Slot.objects.filter(pk__in=[slot.pk for slot in slots]).update(state=Slot.State.OPEN, holder=None, lease_until=None)
    if slots:
        protocols()[study.protocol].flow.on_released(slots)
    return len(slots)


def _own_slot(study: Study, rater: Rater, now: datetime) -> Slot | None:
    """The slot that the rater continues with, its lease renewed; None if the rater holds none."""
    held = held_slots(rater.pk)
    return next((slot for slot in _in_order(study, rater, held) if renew_lease(study, slot, now)), None)


def _in_order(study: Study, rater: Rater, slots: Sequence[Slot]) -> list[Slot]:
    """Slots in the order in which the rater works on them, which within an item differs between raters."""
    return sorted(slots, key=lambda slot: (slot.place, secretly_seeded(study, "turn", rater.name, slot.task_id)))


def renew_lease(study: Study, slot: Slot, now: datetime) -> bool:
    """Extend the lease of a held slot and of its holder's other held slots on the item.

    Return False if the slot was released after the caller read it.
    """
    return slot.holder_id is not None and slot.pk in renew_held(slot.holder_id, slot.item_id, lease_end(study, now))


def _new_slot(study: Study, state: RaterState, now: datetime) -> Slot | None:
    """Take the next open slot in the order, and those that belong with it; the one to work on, or None."""
    protocol, rater = protocols()[study.protocol], state.rater
    if rater.paused_at is not None:
        return None
    cap = cap_of(study, rater.name)
    room = None if cap is None else max(0, cap - taken_slots(rater.pk))
    if room == 0:
        return None
    parts, together = parts_of(study), protocol.keeps_raters(study.options)
    found = None if parts.search is None else _searched(parts.search, study, state, together)
    if found is not None and not found.slots:
        return None
    for part in parts.mixing:
        slots = part.own_slots(study, state, lease_end(study, now))
        if slots:
            move_place(rater, rater.place, counted=True)
            return _in_order(study, rater, slots)[0]
    ranks = found is None and protocol.flow.ranks_tasks
    ranked = protocol.flow.preferred_order(open_slots(study, rater), rater) if ranks else None
    if found is not None:
        slots = found.slots
        left = [number for number in (room, found.room) if number is not None]
        room = min(left, default=None)
    elif ranked is None:
        slots = _first_ahead(study, state, together)
    else:
        slots = _first_of(ranked)
    if not slots:
        return None
    counted = None if ranked is not None else bool(parts.mixing)
    taken = _take(study, rater, _in_order(study, rater, slots)[:room], now, counted)
    if not taken:
        return None
    if found is not None:
        found.remember()
    return taken[0]


def _searched(search: TaskSearch, study: Study, state: RaterState, together: bool) -> FoundSlots:
    """What the search of the study's part finds for the rater."""
    listed, kept = kept_slots(study, state.rater)
    return search.find(study, state, together, (KEPT[listed], kept))


def _first_ahead(study: Study, state: RaterState, together: bool) -> list[Slot]:
    """The first open slots at or after the rater's place; if there are none, from the beginning."""
    ahead = FIRST if state.rater.place is None else state.rater.place
    found = first_open(state, study, ahead, together=together)
    if not found and ahead != FIRST:
        found = first_open(state, study, FIRST, together=together)
    return found


def _take(study: Study, rater: Rater, found: list[Slot], now: datetime, counted: bool | None) -> list[Slot]:
    """Take these open slots; those of them that the rater has then, in their order. Their place moves to the first.

    `counted` is whether the study counts how often they got work, and None if it gives out work in another order.
    """
    until = lease_end(study, now)
    if counted is None:
        taken = take_slots(found, rater.pk, until)
    else:
        taken = take_next_slots(found, rater, until, counted=counted)
    if taken == len(found):
        return found
    held = {slot.pk: slot for slot in held_slots(rater.pk)}  # others took some of them before the item was locked
    return [held[slot.pk] for slot in found if slot.pk in held]


def _first_of(ranked: list[int]) -> list[Slot]:
    """The first of these open slots whose item no other claim has locked, if there is one."""
    for pk in ranked:
        slots = Slot.objects.filter(pk=pk, state=Slot.State.OPEN)
        if connection.features.has_select_for_update_skip_locked:
            # The lock must not exclude the key-share locks that submissions take on the item's row.
            slots = slots.select_related("item").select_for_update(of=("item",), skip_locked=True, no_key=True)
        slot = slots.first()
        if slot is not None:
            return [slot]
    return []


def _open(study: Study, state: RaterState, slot: Slot, now: datetime) -> Claimed:
    """The rater's assignment on the slot's task: the one they had, or a new one.

    Its order never changes, whatever the slot's is: open pages and drafts name outputs by their letters.
    """
    rater = state.rater
    assignment = Assignment(rater=rater, task_id=slot.task_id, order=slot.order, opened_at=now, created_at=now)
    if insert(assignment, if_new=True):
        flow = protocols()[study.protocol].flow
        if flow.has_own_pages:
            flow.on_assigned(assignment)
        subject, new = f"task {slot.task_id} slot {slot.number}", {"rater": rater.name}
        actor = state.identity or identity_of(rater.person, study.slug)
        count("claims")
        return Claimed(assignment, [entry("task assigned", subject, actor=actor, study=study.slug, new=new)])
    assignment = Assignment.objects.get(rater=rater, task=slot.task_id)
    assignment.rater = rater
    return Claimed(assignment, [])


def hold(study: Study, rater: Rater, task: int, now: datetime) -> bool:
    """Renew the rater's lease on a task, or take an open slot of it again; False if others have them all."""
    mine = Slot.objects.select_for_update(no_key=True).filter(task=task, holder=rater).first()
    if mine is not None and (mine.state != Slot.State.HELD or renew_lease(study, mine, now)):
        return True
    return take_open(rater, task, Slot.State.HELD, lease_end(study, now)) is not None


def fill(rater: Rater, task: int) -> bool:
    """Fill the slot that the rater holds, or an open one; False if others have them all."""
    mine = Slot.objects.select_for_update(no_key=True).filter(task=task, holder=rater)
    if mine.update(state=Slot.State.FILLED, lease_until=None):
        return True
    return take_open(rater, task, Slot.State.FILLED, None) is not None


def take_open(rater: Rater, task: int, state: str, until: datetime | None) -> Slot | None:
    """Take an open slot of a task; None if it has none that the locked rater may take."""
    if not has_room(rater.study, rater):
        return None
    free = _free_again(rater, locked=True).filter(task=task)
    slot = free.select_for_update(skip_locked=True, no_key=True).order_by("-kept_for", "number").first()
    if slot is None:
        return None
    taken = Slot.objects.filter(pk=slot.pk, state=Slot.State.OPEN)
    return slot if taken.update(state=state, holder=rater, lease_until=until) else None


def _free_again(rater: Rater, *, locked: bool) -> QuerySet[Slot]:
    """The open slots that a rater may take of a task that they have had."""
    free = Slot.objects.filter(state=Slot.State.OPEN, kept_for__in=("", rater.name))
    search = parts_of(rater.study).search
    if search is None:
        return free
    # Mixed tasks are in no lane, and must not differ from tasks when they are taken back.
    return free.filter(Q(lane__in=search.open_lanes(rater.study, rater, locked=locked)) | Q(study=None))


def skipped_and_open(rater: Rater) -> int:
    """How many tasks the rater has skipped that they may still take back and answer, mixed ones among them."""
    if not has_room(rater.study, rater):
        return 0
    skipped = Annotation.objects.filter(rater=rater, is_current=True, status=Annotation.Status.SKIPPED)
    free = _free_again(rater, locked=False).filter(task=OuterRef("task"))
    return skipped.filter(Exists(free), task__item__withdrawn_at=None).count()


def release(study: Study, rater: Rater, task: int, why: str) -> int:
    """Open the slot that the rater holds on a task and has not filled; returns how many."""
    held = Slot.objects.filter(task=task, holder=rater, state=Slot.State.HELD)
    return release_slots(study, list(held.select_related("holder").select_for_update(of=("self",), no_key=True)), why)


def give_own(rater: Rater, task: int, since: datetime | None) -> Assignment:
    """The rater's assignment on a task that takes no slot, such as their own turn; they began it at `since`."""
    there = Assignment.objects.filter(rater=rater, task=task).first()
    if there is not None:
        return there
    return Assignment.objects.create(
        rater=rater, task_id=task, order=[], opened_at=since, created_at=since or database_now()
    )
