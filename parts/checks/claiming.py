"""A claim that gets a hidden check: the rater's slot on a task that was prepared for this very claim.

The check's task, assignment, slot, page and answer are those of any task. Only the slot belongs to no study. A claim
that gets a check runs as many statements as one that gets the study's next task.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from annotation.desk.statements import KEPT, OPEN_SLOTS, RaterState, kept_slots, last_place_after
from annotation.models import Slot, Study
from annotation.studies.batches import FIRST
from config.prepared_sql import Columns, fetch_all, insert, insertion, run_as_one
from parts.checks.draws import drawn_kind
from parts.checks.models import DueCheck

DUE = Columns(DueCheck, "d")


@lru_cache
def _due_sql(listed: bool | None) -> str:
    """The checks prepared for a claim, if the rater could get one of the study's own tasks as well."""
    return f"""
SELECT {DUE.sql}, t.item_id FROM checks_duecheck d JOIN annotation_task t ON t.id = d.task_id
WHERE d.rater_id = %s AND d.number = %s AND EXISTS (SELECT 1 {OPEN_SLOTS} {KEPT[listed]} LIMIT 1)
ORDER BY d.id
"""  # noqa: S608 - names of our own tables and columns


def take_due_checks(study: Study, state: RaterState, until: datetime) -> list[Slot]:
    """Hold what is drawn and prepared for the rater's next claim; nothing if no check is, or no task is left."""
    rater = state.rater
    if drawn_kind(study, rater.name, rater.given) is None:
        return []
    listed, kept = kept_slots(study, rater)
    first = FIRST if rater.place is None else rater.place
    open_to = [study.pk, first, last_place_after(study, state.newest_batch), rater.pk, rater.pk, *kept]
    rows = fetch_all(_due_sql(listed), [rater.pk, rater.given, *open_to])
    return _inserted([_held(row, until) for row in rows])


def _held(row: Sequence[Any], until: datetime) -> Slot:
    values = iter(row)
    due = DUE.must_take(values)
    return Slot(
        study=None, item_id=next(values), task_id=due.task_id, number=due.slot_number, place=FIRST, order=due.order,
        state=Slot.State.HELD, holder_id=due.rater_id, lease_until=until,
    )  # fmt: skip


def _inserted(slots: list[Slot]) -> list[Slot]:
    """Insert the slots in one statement, as one takes those of an ordinary claim."""
    if len(slots) == 1:
        insert(slots[0])
    else:
        run_as_one(insertion(slots))
    return slots
