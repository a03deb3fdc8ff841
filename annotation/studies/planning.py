"""Tasks and slots from items, when a study goes live: in chunks, so that planning can stop and resume.

Only items of the main pool get some. Planning again changes nothing, because a task is identified by its key. Items are
given out in the order of a hash of their ids, within each batch if there are batches: the order is the same on every
installation, whatever the order of import. The tasks of an item, and the outputs of a task, come in orders that follow
from a secret (`secret_seeds`).
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.models import Max

from annotation.desk.part_tasks import lane_of
from annotation.models import Item, Output, Slot, Study, Task, TaskOutput
from annotation.pools import planned_items
from annotation.protocols import TaskPlan, protocols
from annotation.studies.assignment_plan import HIGHEST, NO_PLAN, AssignmentPlan, ItemFacts, in_core, plan_of
from annotation.studies.batches import place_in, size_of
from annotation.studies.imported_places import fill_places
from annotation.studies.locking import lock_study
from annotation.studies.secret_seeds import drawn_options, secretly_seeded
from config.bulk_insert import Tables, insert_rows, refresh_statistics
from config.model_fields import canonical_json

CHUNK = 500
PLANNED = ("key", "set", "categories", "priority", "withdrawn_at", "places")
PRIORITY_SHIFT = 59
"""How many bits of a place are below its priority."""
NOTHING: Mapping[int, Collection[TaskPlan]] = MappingProxyType({})
TABLES = Tables()
SlotFacts = tuple[int, int, str, int, bool]
"""A slot's number, place, keeper and lane, and whether it is for a third rater."""
SLOT_COLUMNS = (
    "study_id", "item_id", "task_id", "number", "place", "order", "state", "kept_for", "lane", "third_rater",
)  # fmt: skip


def task_key(plan: TaskPlan) -> str:
    """Return the key of a task within its item, made from the outputs it shows and its variant."""
    return hashlib.sha256(canonical_json([list(plan.outputs), plan.variant]).encode()).hexdigest()


def seeded(study: Study, *parts: Any) -> int:
    """A number of 63 bits that depends only on the study's seed and `parts`."""
    text = canonical_json([study.slug, study.options.get("seed", 0), *parts])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1


def ensure_tasks(
    study: Study,
    items: Sequence[int],
    outputs: dict[int, list[tuple[int, str]]],
    also: Mapping[int, Collection[TaskPlan]] = NOTHING,
    tables: Tables = TABLES,
) -> dict[tuple[int, str], int]:
    """Make the missing tasks of `items` (primary keys); `outputs` gives [(pk, key)] in file order by item.

    `also` gives tasks by item that are made too if the protocol allows them. Returns the primary keys of all tasks
    of these items by (item, task key). Runs inside the caller's transaction, or in an import's `tables`.
    """
    protocol = protocols()[study.protocol]
    tasks = Task.objects.filter(item__in=items)
    known = {(item, key): pk for item, key, pk in tables.read(tasks, "item", "key", "pk")}
    missing, options = [], drawn_options(study)
    numbers = _numbers(study, items, tables) if protocol.counts_items(study.options) else {}
    for pk in items:
        names = [name for _, name in outputs.get(pk, [])]
        plans = protocol.plan(names, options, numbers.get(pk, 0))
        more = sorted(set(also.get(pk, ())) - set(plans), key=task_key)
        plans += [one for one in more if protocol.allows(one, names, study.options)]
        new_plans = [plan for plan in plans if (pk, task_key(plan)) not in known]
        # In the file's order, the numbers of tasks would tell who wrote what, and raters would meet systems in it.
        Random(secretly_seeded(study, "tasks", pk)).shuffle(new_plans)  # noqa: S311 - seeded with a secret
        missing += [(pk, plan) for plan in new_plans]
    new = [(task, *one) for task, one in zip(tables.next_ids(Task, len(missing)), missing, strict=True)]
    tables.insert(
        Task,
        ["id", "item_id", "key", "variant"],
        [(task, pk, task_key(plan), plan.variant) for task, pk, plan in new],
    )
    output_ids = {(pk, name): output for pk, named in outputs.items() for output, name in named}
    shown: list[tuple[int, int, int]] = []
    for task, pk, plan in new:
        rows = [(task, output_ids[pk, name], position) for position, name in enumerate(plan.outputs)]
        Random(secretly_seeded(study, "task outputs", pk, task_key(plan))).shuffle(rows)  # noqa: S311 - as above
        shown += rows
    tables.insert(TaskOutput, ["task_id", "output_id", "position"], shown)
    known.update({(pk, task_key(plan)): task for task, pk, plan in new})
    return known


def _numbers(study: Study, items: Sequence[int], tables: Tables = TABLES) -> dict[int, int]:
    """The number of the main pool's items that were imported before each of `items` that is in it."""
    mine = planned_items(study)
    before = tables.count(mine.filter(pk__lt=min(items, default=0)))
    between = mine.filter(pk__gte=min(items, default=0), pk__lte=max(items, default=0)).order_by("pk")
    return {pk: before + place for place, (pk,) in enumerate(tables.read(between, "pk"))}


def outputs_of(items: Sequence[int]) -> dict[int, list[tuple[int, str]]]:
    """Return the outputs [(pk, key)] of each item, in file order."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    rows = Output.objects.filter(item__in=items).order_by("item", "position")
    for item, pk, key in rows.values_list("item", "pk", "key"):
        found[item].append((pk, key))
    return found


def plan_chunk(study: Study, size: int = CHUNK) -> bool:
    """Make tasks and slots for the next `size` items in one transaction; False if no items were left."""
    with transaction.atomic():
        study = lock_study(study.pk)
        _choose_core(study)
        ahead = planned_items(study).filter(pk__gt=study.planned_through).order_by("pk")
        items = list(ahead.only(*PLANNED)[:size])
        if not items:
            return False
        keys = [item.pk for item in items]
        outputs = outputs_of(keys)
        tasks = ensure_tasks(study, keys, outputs)
        _make_slots(study, {item.pk: item for item in items}, outputs, tasks)
        fill_places(study, list(tasks.values()))
        study.planned_through = keys[-1]
        study.save(update_fields=["planned_through"])
        if len(items) < size or is_planned(study):
            refresh_statistics(Item, Output, Task, TaskOutput, Slot)
    return True


def _make_slots(
    study: Study,
    items: dict[int, Item],
    outputs: dict[int, list[tuple[int, str]]],
    tasks: dict[tuple[int, str], int],
) -> None:
    """Make the missing slots of `tasks`: tasks of imported annotations may have none yet.

    A draft's slots are made again if its plan has changed.
    """
    protocol, plan = protocols()[study.protocol], plan_of(study) or NO_PLAN
    having, is_draft = _slots_of(list(tasks.values())), study.status == Study.Status.DRAFT
    counts: dict[int, int] = defaultdict(int)
    for task in TaskOutput.objects.filter(task__in=list(tasks.values())).values_list("task", flat=True):
        counts[task] += 1
    rows: list[tuple[Any, ...]] = []
    counted = protocol.counts_items(study.options)
    numbers = _numbers(study, list(items)) if counted or size_of(study) or plan.core_size else {}
    is_core = core_of(study, plan)
    told = {pk: _facts(item)._replace(is_core=is_core(numbers.get(pk, 0))) for pk, item in items.items()}
    kept = {pk: kept_numbers(item.places) for pk, item in items.items()}
    third = {pk: kept_numbers(item.places, "third_raters") for pk, item in items.items()}
    turns = _turns(study, numbers, outputs) if counted else {}
    variants = dict(Task.objects.filter(pk__in=list(tasks.values())).exclude(variant="").values_list("pk", "variant"))
    for (item, key), task in tasks.items():
        if (task in having and not is_draft) or not protocol.flow.needs_slots(variants.get(task, "")):
            continue
        number, facts = numbers.get(item, 0), told[item]
        place = place_of(study, items[item], number, plan)
        random = Random(secretly_seeded(study, "orders", facts.key, key))  # noqa: S311 - seeded with a secret
        turn = turns.get((item, key), number if counted else 0)
        size, listed = plan.redundancy(facts, study.redundancy), plan.listed_for(facts.key)
        slots = kept[item].get(key, range(size))
        keepers = {slot: listed[slot] if slot < len(listed) else "" for slot in slots}
        lanes = {slot: lane_of(study, items[item], slot) for slot in slots}
        of_third = third[item].get(key, [])
        wanted = {(slot, place, keepers[slot], lanes[slot], slot in of_third) for slot in slots}
        if task in having and not _remade(task, having[task], wanted):
            continue
        orders = protocol.orders(
            counts[task], max(size, *(slot + 1 for slot in slots), 1), random, turn, secretly_seeded(study, "orders")
        )
        rows.extend(
            (study.pk, item, task, slot, place, canonical_json(orders[slot]), Slot.State.OPEN.value, keepers[slot],
             lanes[slot], slot in of_third)
            for slot in slots
        )  # fmt: skip
    insert_rows(Slot, SLOT_COLUMNS, rows)


def _facts(item: Item) -> ItemFacts:
    return ItemFacts(item.key, item.set, item.categories)


def planned_sizes(study: Study, items: Mapping[int, Item]) -> dict[int, int]:
    """The number of places that the plan gives each task of these items, by primary key."""
    plan = plan_of(study) or NO_PLAN
    is_core, numbers = core_of(study, plan), _numbers(study, list(items)) if plan.core_size else {}
    return {
        pk: plan.redundancy(_facts(item)._replace(is_core=is_core(numbers.get(pk, 0))), study.redundancy)
        for pk, item in items.items()
    }


def kept_numbers(places: Iterable[Mapping[str, Any]] | None, which: str = "numbers") -> dict[str, list[int]]:
    """The numbers of the places that an item's file names, by the key of the task; or those of `third_raters`."""
    return {
        task_key(TaskPlan(tuple(one["outputs"]), one.get("variant", ""))): one.get(which, []) for one in places or ()
    }


def _slots_of(tasks: Collection[int]) -> dict[int, set[SlotFacts]]:
    """The number, place, keeper and lane of each slot, and whether it is for a third rater, by task."""
    found: dict[int, set[SlotFacts]] = defaultdict(set)
    told = ("task", "number", "place", "kept_for", "lane", "third_rater")
    for task, *facts in Slot.objects.filter(task__in=list(tasks)).values_list(*told):
        found[task].add(tuple(facts))
    return dict(found)


def _remade(task: int, there: set[SlotFacts], wanted: set[SlotFacts]) -> bool:
    """Delete a task's slots if they are not as wanted and nobody has taken one; whether they are to be made again.

    Places that only answers from files have filled are made again, and filled again.
    """
    slots = Slot.objects.filter(task=task)
    if there == wanted or slots.filter(state=Slot.State.HELD).exists():
        return False
    slots.delete()
    return True


def _choose_core(study: Study) -> None:
    """Plan a locked draft from the start if its items have become more or fewer, because other items are its core.

    Once it has been live, the core stays.
    """
    plan = plan_of(study)
    if study.status != Study.Status.DRAFT or plan is None or not plan.core_size:
        return
    count = planned_items(study).count()
    if count != study.core_from:
        study.core_from, study.planned_through = count, 0
        study.save(update_fields=["core_from", "planned_through"])


def core_of(study: Study, plan: AssignmentPlan) -> Callable[[int], bool]:
    """Return whether the item of a number (from 0, in the order of import) is in the core of the plan.

    A draft's core is chosen among all items that there are now; later it stays the one with which it went live.
    """
    if not plan.core_size:
        return lambda number: False
    chosen = None if study.status == Study.Status.DRAFT else study.core_from
    count = planned_items(study).count() if chosen is None else chosen
    start = seeded(study, "core") % max(count, 1)
    return lambda number: number < count and in_core(number, plan.core_size, count, start)


def _place(study: Study, plan: AssignmentPlan, facts: ItemFacts) -> int:
    """The item's place in the seeded order, of 63 bits; its upper bits are the priority if the plan has any."""
    place = seeded(study, "place", facts.key)
    if not any(plan.first.values()):
        return place
    return (HIGHEST - plan.priority(facts)) << PRIORITY_SHIFT | place >> (63 - PRIORITY_SHIFT)


def _turns(
    study: Study, numbers: dict[int, int], outputs: dict[int, list[tuple[int, str]]]
) -> dict[tuple[int, str], int]:
    """The `turn` of each task whose plan has one, by item and task key."""
    protocol, options = protocols()[study.protocol], drawn_options(study)
    return {
        (item, task_key(plan)): plan.turn
        for item, number in numbers.items()
        for plan in protocol.plan([name for _, name in outputs.get(item, [])], options, number)
        if plan.turn is not None
    }


def place_of(study: Study, item: Item, number: int, plan: AssignmentPlan | None = None) -> int:
    """The place of an item's slots; `number` counts the items imported before it if the study has batches."""
    hashed = _place(study, plan or plan_of(study) or NO_PLAN, _facts(item))
    return place_in(study, number, hashed, item.priority, is_withdrawn=item.withdrawn_at is not None)


def current_place(study: Study, item: Item) -> int:
    """The place of an item's slots, with the item's number counted if the study needs it."""
    return place_of(study, item, _numbers(study, [item.pk])[item.pk] if size_of(study) else 0)


def add_slots(study: Study, task: int, count: int) -> None:
    """Add `count` open slots to a task that shows no outputs."""
    item = Item.objects.get(tasks=task)
    last = Slot.objects.filter(task=task).aggregate(last=Max("number"))["last"]
    first = 0 if last is None else last + 1
    place = current_place(study, item)
    Slot.objects.bulk_create(
        Slot(study=study, item=item, task_id=task, number=one, place=place, order=[], lane=lane_of(study, item, one))
        for one in range(first, first + count)
    )


def replan_from(study: Study, item: int) -> None:
    """Plan the items from primary key `item` on again, because some of them got more outputs."""
    Study.objects.filter(pk=study.pk, planned_through__gte=item).update(planned_through=item - 1)


def planning_progress(study: Study) -> tuple[int, int]:
    """The number of planned items and of all items to be planned."""
    items = planned_items(study)
    return items.filter(pk__lte=study.planned_through).count(), items.count()


def is_planned(study: Study) -> bool:
    """Whether every item of the main pool has its tasks and slots."""
    return not planned_items(study).filter(pk__gt=study.planned_through).exists()
