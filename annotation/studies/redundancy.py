"""Changes how many raters each task of an item gets: adds open slots with balanced orders, or removes open ones.

Places that somebody holds or has filled stay, so a task may keep more places than asked for.
"""

from collections import defaultdict
from collections.abc import Sequence

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.desk.part_tasks import lane_of
from annotation.models import Item, Slot, Study, Task
from annotation.protocols import protocols
from annotation.studies.corrections import StudyRefusedError, check_correction
from annotation.studies.locking import lock_study
from annotation.studies.planning import current_place
from annotation.studies.preparing_tasks import request_redundancy
from annotation.studies.slot_steps import MOST_SLOTS, next_number, next_order, shared_tasks
from annotation.studies.steered_items import ItemStepRefusedError, correction, lock_item

CHANGED = "redundancy changed"


def set_redundancy(item: Item, count: int, reason: str, actor: Person | None) -> int:
    """Give each of the item's tasks `count` places; return by how many slots that differs from before.

    Raises ItemStepRefusedError if there are no tasks, or if nothing could be changed.
    """
    if not 1 <= count < MOST_SLOTS:
        raise ItemStepRefusedError(f"A task has 1 to {MOST_SLOTS - 1} places.")
    with transaction.atomic():
        study, item = lock_item(item)
        why = correction(study, reason)
        slots = list(Slot.objects.filter(item=item).select_for_update(of=("self",), no_key=True).order_by("pk"))
        tasks = shared_tasks(study, item, slots)
        new, gone = _missing(study, item, tasks, slots, count), _superfluous(study, slots, count)
        if not new and not gone:
            raise ItemStepRefusedError(f"Nothing to change: each task has {count} places, or those beyond are taken.")
        Slot.objects.bulk_create(new)
        Slot.objects.filter(pk__in=[slot.pk for slot in gone]).delete()
        old = {"slots": [{"task": slot.task_id, "number": slot.number, "order": slot.order} for slot in gone]}
        told = {"redundancy": count, "added": len(new), "removed": len(gone), **why}
        record(
            "redundancy changed", f"item {item.key}", actor=actor, study=study.slug, old=old if gone else None, new=told
        )
    return len(new) - len(gone)


def set_study_redundancy(study: Study, count: int, reason: str, actor: Person | None) -> None:
    """Change how many raters the tasks of items get that have no tasks yet. Those of other items stay as they are."""
    with transaction.atomic():
        now = lock_study(study.pk)
        why = check_correction(now, reason)
        if now.redundancy == count:
            raise StudyRefusedError(f"Its tasks get {count} raters already.")
        old, now.redundancy = now.redundancy, count
        now.save(update_fields=["redundancy"])
        record(
            CHANGED, study.slug, actor=actor, study=study.slug, old={"redundancy": old},
            new={"redundancy": count, **why},
        )  # fmt: skip
    study.redundancy = count


def change_study_redundancy(study: Study, count: int, reason: str, actor: Person) -> None:
    """Change how many raters each task of a study gets; workers change the tasks that exist. Raises StudyRefusedError.

    The number of a draft is part of its file.
    """
    if study.status == Study.Status.DRAFT:
        raise StudyRefusedError("Change the number of a draft on its page Build.")
    with transaction.atomic():
        set_study_redundancy(study, count, reason, actor)
        request_redundancy(study, count, reason, actor)


def _missing(study: Study, item: Item, tasks: Sequence[Task], slots: Sequence[Slot], count: int) -> list[Slot]:
    """The slots that tasks with fewer than `count` lack. Their numbers are free on all tasks of the item."""
    first, place = next_number(slots), current_place(study, item)
    made = []
    for task in tasks:
        orders = [slot.order for slot in slots if slot.task_id == task.pk]
        for number in range(first, first + count - len(orders)):
            orders.append(next_order(study, item, task, orders))
            lane = lane_of(study, item, number)
            made.append(
                Slot(study=study, item=item, task=task, number=number, place=place, order=orders[-1], lane=lane)
            )
    return made


def _superfluous(study: Study, slots: Sequence[Slot], count: int) -> list[Slot]:
    """The open slots to remove from tasks with more than `count`, those with the highest numbers first.

    If the item's tasks stay with the same raters, the slots of one number go together, or not at all.
    """
    together = protocols()[study.protocol].keeps_raters(study.options)
    groups: dict[int, dict[int, list[Slot]]] = defaultdict(lambda: defaultdict(list))
    for slot in slots:
        groups[0 if together else slot.task_id][slot.number].append(slot)
    gone: list[Slot] = []
    for numbers in groups.values():
        left = len(numbers) - count
        for number in sorted(numbers, reverse=True):
            if left > 0 and all(slot.state == Slot.State.OPEN for slot in numbers[number]):
                gone += numbers[number]
                left -= 1
    return gone
