"""Steps with which researchers change an item's places for raters: add, free, reserve and cancel them.

A claim that is under way on the item has the item locked, so each step waits for it, and then sees what it took. The
holder of a place that is freed keeps their draft; a late answer takes another open place or is surplus, as after a
lease has ended.
"""

from collections.abc import Sequence
from datetime import timedelta
from random import Random

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.desk.assigning import may_take, release_slots, room_of
from annotation.desk.part_tasks import lane_of
from annotation.desk.statements import taken_slots
from annotation.models import Annotation, Item, Rater, Slot, Study, Task, TaskOutput
from annotation.pools import MAIN
from annotation.protocols import protocols
from annotation.studies.planning import current_place
from annotation.studies.secret_seeds import secretly_seeded
from annotation.studies.steered_items import ItemStepRefusedError, correction, lock_item
from config.database_clock import database_now

TURNS = 1 << 20
MOST_SLOTS = 1000
"""More raters per task than any study has."""
MOST_DAYS = 30
NO_TASKS = "This item has no tasks yet. They are made before the study goes live."


def add_rater(item: Item, reason: str, actor: Person | None) -> int:
    """Add an open slot to each of the item's tasks that raters are asked for, under one number; return how many."""
    with transaction.atomic():
        study, item = lock_item(item)
        why = correction(study, reason)
        slots = list(Slot.objects.filter(item=item).order_by("task", "number"))
        tasks = shared_tasks(study, item, slots)
        number = next_number(slots)
        if number >= MOST_SLOTS:
            raise ItemStepRefusedError(f"A task has at most {MOST_SLOTS} places.")
        place = current_place(study, item)
        new = [
            Slot(
                study=study, item=item, task=task, number=number, place=place, lane=lane_of(study, item, number),
                order=next_order(study, item, task, [slot.order for slot in slots if slot.task_id == task.pk]),
            )
            for task in tasks
        ]  # fmt: skip
        Slot.objects.bulk_create(new)
        record(
            "rater asked for", f"item {item.key}", actor=actor, study=study.slug,
            new={"slot": number, "tasks": len(new), **why},
        )  # fmt: skip
    return len(new)


def shared_tasks(study: Study, item: Item, slots: Sequence[Slot]) -> list[Task]:
    """The item's tasks that have `slots` (all of the item), or had some until they were cancelled.

    Raises ItemStepRefusedError if there are none.
    """
    having = {slot.task_id for slot in slots}
    tasks = [
        task
        for task in Task.objects.filter(item=item).order_by("pk")
        if task.pk in having or _had_slots(study, item, task)
    ]
    if not tasks:
        raise ItemStepRefusedError(NO_TASKS)
    return tasks


def was_shared(study: Study, item: Item) -> bool:
    """Whether any task of an item without slots had some until they were cancelled."""
    return any(_had_slots(study, item, task) for task in Task.objects.filter(item=item))


def _had_slots(study: Study, item: Item, task: Task) -> bool:
    is_planned = item.pool == MAIN and item.pk <= study.planned_through
    return is_planned and protocols()[study.protocol].flow.needs_slots(task.variant)


def next_number(slots: Sequence[Slot]) -> int:
    """The first number that is free on all tasks of an item with these slots."""
    return max((slot.number for slot in slots), default=-1) + 1


def next_order(study: Study, item: Item, task: Task, given: Sequence[list[int]]) -> list[int]:
    """The order of a task's outputs that its slots have had least often, of those that one more slot would get."""
    count = len(given[0]) if given else TaskOutput.objects.filter(task=task).count()
    if not count:
        return []
    random = Random(secretly_seeded(study, "orders", item.key, task.key))  # noqa: S311 - seeded with a secret
    turn = random.randrange(TURNS)  # with the same one, added places of all items would show the same order
    orders = protocols()[study.protocol].orders(count, len(given) + 1, random, turn, secretly_seeded(study, "orders"))
    return min(orders, key=given.count)


def free_slot(slot: Slot, reason: str, actor: Person | None) -> None:
    """Open a held slot to others, with those that its holder got together with it."""
    with transaction.atomic():
        study, item = lock_item(slot.item)
        correction(study, reason)
        slots = _together(study, item, slot)
        held = [one for one in slots if one.state == Slot.State.HELD]
        if not any(one.pk == slot.pk for one in held):
            raise ItemStepRefusedError("Nobody holds this place any more.")
        release_slots(study, held, reason or "freed by a researcher", actor)


def reserve_slot(slot: Slot, rater: Rater, days: int, reason: str, actor: Person | None) -> None:
    """Keep a slot that is open or held by another for one rater, who gets it as their next task.

    They have it for `days`; once they have opened it, the study's own lease begins. Only people to whom a claim could
    give the slot get it.
    """
    with transaction.atomic():
        study, item = lock_item(slot.item, rater=rater)
        why = correction(study, reason)
        if study.status not in (Study.Status.LIVE, Study.Status.PAUSED):
            raise ItemStepRefusedError(f"The study is {study.status}. Places are reserved in live and paused studies.")
        if item.withdrawn_at is not None:
            raise ItemStepRefusedError("This item is withdrawn. Restore it first.")
        slots = _together(study, item, slot)
        if not any(one.pk == slot.pk and one.state != Slot.State.FILLED for one in slots):
            raise ItemStepRefusedError("This place has been filled meanwhile.")
        free = [one for one in slots if one.state != Slot.State.FILLED and one.holder_id != rater.pk]
        release_slots(study, [one for one in free if one.state == Slot.State.HELD], f"given to {rater.name}", actor)
        _check_may_take(study, rater, free)
        until = database_now() + timedelta(days=days)
        Slot.objects.filter(pk__in=[one.pk for one in free]).update(
            state=Slot.State.HELD, holder=rater, lease_until=until
        )
        record(
            "slot reserved", f"item {item.key} slot {slot.number}", actor=actor, about=rater.person, study=study.slug,
            new={"rater": rater.name, "days": days, **why},
        )  # fmt: skip


def _check_may_take(study: Study, rater: Rater, slots: Sequence[Slot]) -> None:
    """Raise ItemStepRefusedError if a claim of the locked rater could not take all of these open slots."""
    if not rater.admitted:
        raise ItemStepRefusedError("This person has not passed the steps before their first task.")
    tasks = {slot.task_id for slot in slots}
    has_slot = Slot.objects.filter(task__in=tasks, holder=rater)
    has_answer = Annotation.objects.filter(task__in=tasks, rater=rater, is_current=True, status__in=Annotation.ANSWERED)
    if not slots or has_slot.exists() or has_answer.exists():
        raise ItemStepRefusedError("This person has a place on this task already.")
    if not may_take(study, rater, [slot.pk for slot in slots]):
        raise ItemStepRefusedError("This person cannot get this task, because they have worked on this item before.")
    if room_of(study, rater, taken_slots(rater.pk), len(slots)) < len(slots):
        raise ItemStepRefusedError("The study's plan leaves this person no room for this item's tasks.")


def cancel_open(item: Item, reason: str, actor: Person | None) -> int:
    """Delete the item's open slots, so that nobody else is asked; return how many."""
    with transaction.atomic():
        study, item = lock_item(item)
        why = correction(study, reason)
        slots = Slot.objects.filter(item=item, state=Slot.State.OPEN).select_for_update(of=("self",), no_key=True)
        cancelled = list(slots.order_by("pk"))
        if not cancelled:
            raise ItemStepRefusedError("This item has no open places.")
        Slot.objects.filter(pk__in=[slot.pk for slot in cancelled]).delete()
        old = {"slots": [{"task": slot.task_id, "number": slot.number, "order": slot.order} for slot in cancelled]}
        record(
            "slots cancelled", f"item {item.key}", actor=actor, study=study.slug, old=old,
            new={**why, "slots": len(cancelled)},
        )  # fmt: skip
    return len(cancelled)


def _together(study: Study, item: Item, slot: Slot) -> list[Slot]:
    """The slot as it is now, and those on the item's other tasks that go to the same rater; all are locked."""
    slots = Slot.objects.filter(item=item).select_related("holder").select_for_update(of=("self",), no_key=True)
    together = protocols()[study.protocol].keeps_raters(study.options)
    found = slots.filter(number=slot.number) if together else slots.filter(pk=slot.pk)
    return list(found.order_by("pk"))
