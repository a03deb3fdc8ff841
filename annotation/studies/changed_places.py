"""The places for raters of tasks that differ from those of the study's plan, as the items' file has them.

Researchers add places for single items and cancel them. A file names the numbers of such a task's places; an item that
it adds keeps them (`Item.places`), and planning makes these places instead of the plan's.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from django.db import connection

from annotation.models import Item, Slot, Study, TaskOutput
from annotation.pools import MAIN
from annotation.protocols import protocol_of
from annotation.studies.assignment_plan import plan_of
from annotation.studies.planning import PLANNED, planned_sizes

LOOKUP = 500
Line = dict[str, Any]
CHOSEN = """
i.study_id = %(study)s AND i.id >= %(first)s AND i.id <= %(last)s AND i.pool = %(pool)s
"""
HAS_SLOTS = "EXISTS (SELECT 1 FROM annotation_slot x WHERE x.item_id = i.id)"
COUNTED = f"""
SELECT t.item_id, t.id, t.variant, COUNT(s.id), COALESCE(MAX(s.number), -1)
FROM annotation_item i CROSS JOIN annotation_task t LEFT JOIN annotation_slot s ON s.task_id = t.id
WHERE {CHOSEN} AND (i.id <= %(planned)s OR {HAS_SLOTS}) AND t.item_id = i.id
GROUP BY t.item_id, t.id, t.variant
"""  # noqa: S608 - texts of ours
DIFFERENT = COUNTED + "HAVING COUNT(s.id) <> %(size)s OR COALESCE(MAX(s.number), -1) <> %(size)s - 1"
"""Numbers of a task's places are distinct, so their count and their greatest say whether they are 0, 1, 2, ..."""
IMPORTED = f"""
SELECT i.id, i.places FROM annotation_item i
WHERE {CHOSEN} AND i.id > %(planned)s AND i.places IS NOT NULL AND NOT {HAS_SLOTS}
"""  # noqa: S608 - texts of ours


def changed_places(study: Study, first: int, last: int) -> dict[int, list[Line]]:
    """Return `places` of the items whose tasks have others than planned, by primary key.

    Each is {outputs, variant?, numbers, third_raters?}; the last are the numbers of places of third raters.

    `first` and `last` are primary keys: of the study's items from one to the other. The tasks are in the order of
    their outputs in the item, then of their variants.
    """
    if study.outdated_through:  # its tasks are made again by another plan
        return {}
    found = _imported(study, first, last)
    variants = _different(study, first, last)
    numbers, shown = _numbers(list(variants)), _outputs(list(variants))
    different: dict[int, list[int]] = defaultdict(list)
    for task, (item, _) in variants.items():
        different[item].append(task)
    for item, tasks in different.items():
        tasks.sort(key=lambda task: ([place for place, _ in shown[task]], variants[task][1]))
        found[item] = [_line([key for _, key in shown[task]], variants[task][1], *numbers[task]) for task in tasks]
    return found


def _line(outputs: list[str], variant: str, numbers: list[int], third: list[int]) -> Line:
    of_third = {"third_raters": third} if third else {}
    return {"outputs": outputs, **({"variant": variant} if variant else {}), "numbers": numbers, **of_third}


def _read(statement: str, study: Study, first: int, last: int) -> list[tuple[Any, ...]]:
    chosen = {"study": study.pk, "first": first, "last": last, "pool": MAIN, "planned": study.planned_through}
    about: dict[str, Any] = {**chosen, "size": study.redundancy}
    with connection.cursor() as cursor:
        cursor.execute(statement, about)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _imported(study: Study, first: int, last: int) -> dict[int, list[Line]]:
    """The places that came with items whose tasks have not been given any."""
    if last <= study.planned_through:
        return {}
    found = {}
    for item, places in _read(IMPORTED, study, first, last):
        told = [
            _line(one["outputs"], one.get("variant", ""), one["numbers"], one.get("third_raters", []))
            for one in json.loads(places)
        ]
        if told:
            found[item] = told
    return found


def _different(study: Study, first: int, last: int) -> dict[int, tuple[int, str]]:
    """The item and the variant of each task that raters are asked for and whose places are not those of the plan."""
    if plan_of(study) is None:
        rows = _read(DIFFERENT, study, first, last)
    else:
        rows = _read(COUNTED, study, first, last)
        items = Item.objects.filter(pk__in=sorted({row[0] for row in rows})).only(*PLANNED)
        sizes = planned_sizes(study, {item.pk: item for item in items})
        rows = [row for row in rows if row[3:] != (sizes[row[0]], sizes[row[0]] - 1)]
    flow = protocol_of(study).flow
    return {task: (item, variant) for item, task, variant, *_ in rows if flow.needs_slots(variant)}


def _numbers(tasks: list[int]) -> Mapping[int, tuple[list[int], list[int]]]:
    """The numbers of each task's places, and those of third raters among them."""
    found: dict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for start in range(0, len(tasks), LOOKUP):
        slots = Slot.objects.filter(task__in=tasks[start : start + LOOKUP]).order_by("number")
        for task, number, third in slots.values_list("task", "number", "third_rater"):
            found[task][0].append(number)
            found[task][1].extend([number] if third else [])
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
