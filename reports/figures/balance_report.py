"""The balance of positions: of the slots that a study planned, and of the answers that people gave."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from agreement.systems.position_balance import Order, position_balance
from annotation.blinding import names_of
from annotation.models import Annotation, Slot, Study, TaskOutput
from annotation.pools import no_copies
from annotation.studies.snapshots import study_snapshot
from reports.figures.rows import CHUNK

Report = dict[str, Any]


def balance_report(study: Study) -> Report | None:
    """The balance of `planned` slots and of `answered` tasks; None if no task shows several outputs."""
    tasks = _task_systems(study)
    if not tasks:
        return None
    slots = Slot.objects.filter(study=study).order_by().values_list("task_id", "order")
    answers = Annotation.objects.filter(
        task__item__study=study, is_current=True, status=Annotation.Status.SUBMITTED, rater__kind="human"
    )
    shown = answers.order_by().values_list("task_id", "shown")
    return {
        "planned": position_balance(_orders(tasks, slots.iterator(chunk_size=CHUNK))),
        "answered": position_balance(_orders(tasks, shown.iterator(chunk_size=CHUNK))),
    }


def _task_systems(study: Study) -> dict[int, list[str]]:
    """The systems of each task that shows several outputs, as they are shown, in the task's order."""
    shown, found = names_of(study).shown, dict[int, list[str]]()
    rows = TaskOutput.objects.filter(no_copies(study, "task__item"), task__item__study=study).order_by(
        "task", "position"
    )
    for task, key in rows.values_list("task", "output__key").iterator(chunk_size=CHUNK):
        found.setdefault(task, []).append(shown(key))
    return {task: systems for task, systems in found.items() if len(systems) > 1}


def _orders(tasks: Mapping[int, list[str]], rows: Iterable[tuple[int, Any]]) -> Counter[Order]:
    orders: Counter[Order] = Counter()
    for task, order in rows:
        if task in tasks:
            orders[tuple(tasks[task][place] for place in order)] += 1
    return orders


def kept_balance(study: Study, choices: Mapping[str, Any]) -> Report:
    """The balance as it is kept; empty if there is none."""
    with study_snapshot(study):
        return balance_report(study) or {}
