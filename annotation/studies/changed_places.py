"""The places for raters of tasks that differ from those of the study's plan, as the items' file has them.

Researchers add places for single items and cancel them. A file names the numbers of such a task's places; an item that
it adds keeps them (`Item.places`), and planning makes these places instead of the plan's.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from annotation.models import Item, Slot, Study, Task, TaskOutput
from annotation.pools import MAIN
from annotation.protocols import protocols
from annotation.studies.planning import PLANNED, planned_sizes

LOOKUP = 500
Line = dict[str, Any]


def changed_places(study: Study, items: Sequence[int]) -> dict[int, list[Line]]:
    """Return `places` of the items (primary keys) whose tasks have others than planned: {outputs, variant?, numbers}.

    The tasks are in the order of their outputs in the item, then of their variants.
    """
    if study.outdated_through:  # its tasks are made again by another plan
        return {}
    rows = {item.pk: item for item in Item.objects.filter(pk__in=items, pool=MAIN).only(*PLANNED)}
    made = _planned(study, list(rows))
    found = {
        pk: [_line(one["outputs"], one.get("variant", ""), one["numbers"]) for one in item.places]
        for pk, item in rows.items()
        if pk not in made and item.places
    }
    sizes = planned_sizes(study, {pk: rows[pk] for pk in made})
    numbers, variants = _numbers(study, made), _variants(study, made)
    different: dict[int, list[int]] = defaultdict(list)
    for task, (item, _) in variants.items():
        if sorted(numbers[task]) != list(range(sizes[item])):
            different[item].append(task)
    shown = _outputs([task for tasks in different.values() for task in tasks])
    for item, tasks in different.items():
        tasks.sort(key=lambda task: ([place for place, _ in shown[task]], variants[task][1]))
        found[item] = [
            _line([key for _, key in shown[task]], variants[task][1], sorted(numbers[task])) for task in tasks
        ]
    return found


def _line(outputs: list[str], variant: str, numbers: list[int]) -> Line:
    return {"outputs": outputs, **({"variant": variant} if variant else {}), "numbers": numbers}


def _planned(study: Study, items: Sequence[int]) -> list[int]:
    """Those of the items whose tasks have been given places."""
    having = set()
    for start in range(0, len(items), LOOKUP):
        ahead = [pk for pk in items[start : start + LOOKUP] if pk > study.planned_through]
        having |= set(Slot.objects.filter(item__in=ahead).order_by().values_list("item", flat=True).distinct())
    return [pk for pk in items if pk <= study.planned_through or pk in having]


def _variants(study: Study, items: Sequence[int]) -> dict[int, tuple[int, str]]:
    """The item and the variant of each task that raters are asked for."""
    flow, found = protocols()[study.protocol].flow, {}
    for start in range(0, len(items), LOOKUP):
        tasks = Task.objects.filter(item__in=items[start : start + LOOKUP]).order_by()
        for task, item, variant in tasks.values_list("pk", "item", "variant"):
            if flow.needs_slots(variant):
                found[task] = (item, variant)
    return found


def _numbers(study: Study, items: Sequence[int]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = defaultdict(list)
    for start in range(0, len(items), LOOKUP):
        slots = Slot.objects.filter(item__in=items[start : start + LOOKUP]).order_by()
        for task, number in slots.values_list("task", "number"):
            found[task].append(number)
    return found


def _outputs(tasks: Collection[int]) -> dict[int, list[tuple[int, str]]]:
    """The outputs (position in the item, key) of each task, in the task's order."""
    found: dict[int, list[tuple[int, str]]] = {task: [] for task in tasks}
    wanted = sorted(tasks)
    for start in range(0, len(wanted), LOOKUP):
        rows = TaskOutput.objects.filter(task__in=wanted[start : start + LOOKUP]).order_by("task", "position")
        for task, position, key in rows.values_list("task", "output__position", "output__key"):
            found[task].append((position, key))
    return found
