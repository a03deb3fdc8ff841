"""Hand-written statements of the path of an answer: the page of a task, and an answer with the claim of the next task.

These run for every answer, with those of `task_rows`, which read a task, of `slot_statements`, and in studies with
routing of `routed_claims`; other paths use Django's queries.
`tests/annotation/desk/test_hot_queries.py` compares what they read with what Django's queries give, on both databases,
and `test_query_counts.py` counts them.

A connection plans each statement once, perhaps while the tables are still empty, and keeps the plan for minutes. So no
plan may be left to guesses of sizes: `+y.rater_id` keeps an index of the rater's whole history out of a search for one
task, `OFFSET 0` makes PostgreSQL ask an index for each open slot instead of reading everybody's answers once per claim,
and conditions that are always true name the column of an index.
"""

import uuid
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from annotation.answers import Form
from annotation.desk.slot_conditions import KEPT, kept_slots
from annotation.desk.slot_statements import SLOT, held_slots, taken_slots
from annotation.models import Annotation, Assignment, Rater, Slot, Study
from annotation.studies.assignment_plan import cap_of
from annotation.studies.batches import BITS, EVERYWHERE, FIRST, size_of
from annotation.studies.locking import RaterGoneError, lock_rater_row, refuse_pending_answers
from annotation.studies.mixed_tasks import mixed_among, mixing_parts
from config.database_clock import database_now
from config.prepared_sql import Columns, Statement, fetch_all, fetch_one, here, stored

ASSIGNMENT = Columns(Assignment, "a")
RATER = Columns(Rater, "r", leave_out=("metadata",))
OPEN = Columns(Slot, "o")
CURRENT = Columns(Annotation, "c")


def last_place_after(study: Study, newest_batch: int | None) -> int:
    """The greatest place that a study gives out whose last released batch is `newest_batch`."""
    if size_of(study) is None:
        return EVERYWHERE
    return ((0 if newest_batch is None else newest_batch + 1) << BITS) - 1


_ANSWERED = "status IN ('submitted', 'skipped')"
IS_OPEN_TO_RATER = f"""
    AND NOT EXISTS (SELECT 1 FROM annotation_slot mine
        WHERE mine.task_id = o.task_id AND +mine.holder_id = %s LIMIT 1 OFFSET 0)
    AND NOT EXISTS (SELECT 1 FROM annotation_annotation y WHERE y.task_id = o.task_id AND +y.rater_id = %s
        AND y.is_current AND y.{_ANSWERED} LIMIT 1 OFFSET 0)"""  # noqa: S608
_OPEN_IN_ORDER = """
    FROM annotation_slot o WHERE o.study_id = %s AND o.state = 'open' AND o.place >= %s AND o.place <= %s"""
OPEN_SLOTS = f"{_OPEN_IN_ORDER} {IS_OPEN_TO_RATER}"
"""Parameters: study, first place, last place, rater, rater."""


FEW = 300
"""Raters with fewer tasks have them read at once; for others an index is asked for each open slot ahead."""


@lru_cache
def _progress_sql(listed: bool | None, items: bool = False, few: int = FEW) -> str:
    of_items = ", (SELECT COUNT(DISTINCT near.item_id) FROM (SELECT item_id FROM ahead LIMIT %s) near)"
    answered = f"FROM annotation_annotation y WHERE y.rater_id = %s AND y.is_current AND y.{_ANSWERED}"
    # Both always true: `y.id > 0` has SQLite count in `annotation_current`, and the state of a taken slot keeps
    # PostgreSQL from looking through the slots of all raters in the index of tasks and holders.
    submitted = (
        "FROM annotation_annotation y WHERE y.rater_id = %s AND y.is_current AND y.status = 'submitted' AND y.id > 0"
    )
    taken = "FROM annotation_slot w WHERE w.holder_id = %s AND w.state <> 'open'"
    return f"""
WITH given AS (SELECT w.task_id {taken} LIMIT {few}),
answered AS (SELECT y.task_id {answered} LIMIT {few}),
ahead AS (SELECT o.task_id, o.item_id {_OPEN_IN_ORDER} {KEPT[listed]}
    AND CASE WHEN (SELECT COUNT(*) FROM given) < {few} AND (SELECT COUNT(*) FROM answered) < {few}
        THEN o.task_id NOT IN (SELECT task_id FROM given) AND o.task_id NOT IN (SELECT task_id FROM answered)
        ELSE TRUE {IS_OPEN_TO_RATER} END
    ORDER BY o.place, o.number, o.id LIMIT %s)
SELECT (SELECT COUNT(*) {submitted}),
       (SELECT COUNT(*) FROM annotation_slot w WHERE w.holder_id = %s AND w.state = 'held' AND w.place >= {FIRST}),
       (SELECT AVG(recent.visible_seconds) FROM (
           SELECT y.visible_seconds {submitted} ORDER BY y.id DESC LIMIT %s) recent),
       (SELECT COUNT(*) FROM ahead),
       (SELECT COUNT(DISTINCT nearest.task_id) FROM (SELECT task_id FROM ahead LIMIT %s) nearest)
       {of_items if items else ""}
"""  # noqa: S608 - names of our own tables and columns


class Counted(NamedTuple):
    """A rater's tasks: submitted, held, and open ahead of their place; `more` if the count of those ahead stopped.

    Those ahead include the mixed tasks that will come among them.
    """

    done: int
    held: int
    pace: float | None
    ahead: int
    more: bool


def count_tasks(study: Study, rater: Rater, last_place: int, most: int, recent: int, few: int = FEW) -> Counted:
    """Count the rater's tasks, of those ahead the ones in the next `most` slots; `pace` is of `recent` answers."""
    first, mixed = FIRST if rater.place is None else rater.place, bool(mixing_parts(study))
    listed, kept = kept_slots(study, rater)
    me = rater.pk
    given = [me, me, study.pk, first, last_place, *kept, me, me, most + 1, me, me, me, recent, most]
    if mixed:
        given.append(most)
    done, held, pace, slots, tasks, *items = fetch_one(_progress_sql(listed, mixed, few), given)
    cap, more = cap_of(study, rater.name), slots > most
    if cap is not None:
        room = max(0, cap - (taken_slots(rater.pk) if mixed else done + held))
        tasks, more = (room, False) if tasks > room else (tasks, more)
    return Counted(done, held, pace, tasks + (mixed_among(study, rater, tasks, *items) if mixed else 0), more)


class RaterState(NamedTuple):
    """A locked rater's present row, and what decides about their next task.

    `identity` is their person in the study's audit, if there is one. `holds`: they hold a slot, other than that of the
    task that they are answering. `expired`: the study has slots whose leases have ended. `unread`: there are notes to
    read before the next task.
    """

    rater: Rater
    status: str
    newest_batch: int | None
    identity: int | None
    holds: bool
    expired: bool
    unread: bool


class LockedWork(NamedTuple):
    """The present rows of an assignment whose rater is locked; `repeated` is what the same client key made before."""

    assignment: Assignment
    state: RaterState
    slot: Slot | None
    current: Annotation | None
    repeated: Annotation | None


REPEATED = Columns(Annotation, "k")
_STATE = f"""{RATER.sql}, s.status,
       (SELECT MAX(b.number) FROM annotation_batch b WHERE b.study_id = s.id), d.id,
       EXISTS (SELECT 1 FROM annotation_slot w
           WHERE w.holder_id = r.id AND w.state = 'held' AND w.task_id <> %s AND w.place >= {FIRST}),
       EXISTS (SELECT 1 FROM annotation_slot w WHERE w.study_id = s.id AND w.state = 'held' AND w.lease_until < %s)
           {{late_mixed}},
       EXISTS (SELECT 1 FROM annotation_spotcheck u WHERE u.seen_at IS NULL AND NOT (u.note = '')
           AND (SELECT y.rater_id FROM annotation_annotation y WHERE y.id = u.annotation_id) = r.id)"""  # noqa: S608
_LATE_MIXED = """OR EXISTS (SELECT 1 FROM annotation_slot w
           WHERE w.study_id IS NULL AND w.state = 'held' AND w.lease_until < %s
               AND (SELECT h.study_id FROM annotation_rater h WHERE h.id = w.holder_id) = s.id)"""
"""Slots of mixed tasks belong to no study: a study that has some looks for its own among all late ones."""
_STATE_OF = """
JOIN annotation_study s ON s.id = r.study_id
LEFT JOIN accounts_identity d ON d.person_id = r.person_id AND d.study = s.slug"""


@lru_cache
def _state_sql(mixed: bool) -> str:
    sql = f"SELECT {_STATE} FROM annotation_rater r {_STATE_OF} WHERE r.id = %s"  # noqa: S608
    return sql.format(late_mixed=_LATE_MIXED if mixed else "")


@lru_cache
def _work_sql(mixed: bool) -> str:
    return _WORK.format(late_mixed=_LATE_MIXED if mixed else "")


_WORK = f"""
SELECT {ASSIGNMENT.sql}, {SLOT.sql}, {CURRENT.sql}, {REPEATED.sql}, {_STATE}
FROM annotation_assignment a
JOIN annotation_rater r ON r.id = a.rater_id {_STATE_OF}
LEFT JOIN annotation_slot h ON h.task_id = a.task_id AND +h.holder_id = a.rater_id
LEFT JOIN annotation_annotation c ON c.task_id = a.task_id AND +c.rater_id = a.rater_id AND c.is_current
LEFT JOIN annotation_annotation k ON k.rater_id = a.rater_id AND k.client_key = %s
WHERE a.id = %s
"""  # noqa: S608 - names of our own tables and columns


def lock_state(rater: int, study: Study, now: datetime) -> RaterState:
    """Lock a rater and read what decides about their next task. Raises ImportPendingError and RaterGoneError."""
    lock_rater_row(rater)
    mixed = bool(mixing_parts(study))
    values = _row_of_rater(_state_sql(mixed), [0, *_ended_before(now, mixed), rater])
    return _read_state(values, study)


def _ended_before(now: datetime, mixed: bool) -> list[Any]:
    until = stored(Slot, "lease_until", now)
    return [until, until] if mixed else [until]


def _row_of_rater(sql: str, given: list[Any]) -> Iterator[Any]:
    row = fetch_one(sql, given)
    if row is None:
        raise RaterGoneError
    return iter(row)


def lock_work(assignment: Assignment, study: Study, client_key: uuid.UUID | None, now: datetime) -> LockedWork:
    """Lock an assignment's rater and read the work on it as it is now. Raises as `lock_state` does."""
    lock_rater_row(assignment.rater_id)
    mixed = bool(mixing_parts(study))
    given = [assignment.task_id, *_ended_before(now, mixed), stored(Annotation, "client_key", client_key)]
    values = _row_of_rater(_work_sql(mixed), [*given, assignment.pk])
    fresh, slot = ASSIGNMENT.must_take(values), SLOT.take(values)
    current, repeated = CURRENT.take(values), REPEATED.take(values)
    state = _read_state(values, study)
    fresh.rater = state.rater
    return LockedWork(fresh, state, slot, current, repeated)


def _read_state(values: Iterator[Any], study: Study) -> RaterState:
    rater = RATER.must_take(values)
    status, batch, identity, holds, expired, unread = values
    rater.study = study
    refuse_pending_answers(rater)
    return RaterState(rater, status, batch, identity, bool(holds), bool(expired), bool(unread))


@lru_cache
def _first_open_sql(vendor: str, together: bool, listed: bool | None = None) -> str:
    """The first open slot of `OPEN_SLOTS`, and if `together` the open ones of its number on the item's other tasks.

    On PostgreSQL with the item locked; items that other claims have locked are skipped. The lock must not exclude the
    key-share locks that submissions take on the item's row.
    """
    lock = "" if vendor == "sqlite" else "FOR NO KEY UPDATE OF i SKIP LOCKED"
    slots = OPEN_SLOTS.replace(
        "FROM annotation_slot o", "FROM annotation_slot o JOIN annotation_item i ON i.id = o.item_id"
    )
    belongs = "o.item_id = found.item_id AND o.number = found.number" if together else "o.id = found.id"
    kept = KEPT[listed]
    return f"""
WITH found AS (SELECT o.id, o.item_id, o.number {slots} {kept} ORDER BY o.place, o.number, o.id LIMIT 1 {lock})
SELECT {OPEN.sql} FROM found JOIN annotation_slot o ON {belongs}
WHERE o.state = 'open' {IS_OPEN_TO_RATER} {kept}
"""  # noqa: S608 - names of our own tables and columns


def first_open(state: RaterState, study: Study, first: int, *, together: bool) -> list[Slot]:
    """The first open slot for the rater at place `first` or later, with those that are taken together with it."""
    rater = state.rater.pk
    listed, kept = kept_slots(study, state.rater)
    given = [study.pk, first, last_place_after(study, state.newest_batch), rater, rater, *kept, rater, rater, *kept]
    rows = fetch_all(_first_open_sql(here().vendor, together, listed), given)
    return [OPEN.must_take(iter(row)) for row in rows]


_RESET = """UPDATE annotation_assignment SET opened_at = %s, draft = %s, draft_version = %s, visible_seconds = 0,
    active_seconds = 0, tool_use = '{}' WHERE id = %s"""


def reset_statement(assignment: Assignment, opened_at: datetime | None, draft: Form | None) -> Statement:
    """The statement that sets an assignment's clocks to zero, and its draft to `draft` as a new version."""
    opened, typed = stored(Assignment, "opened_at", opened_at), stored(Assignment, "draft", draft)
    return _RESET, [opened, typed, assignment.draft_version + 1, assignment.pk]


def plan_statements() -> None:
    """Run the long statements of this module for rows that do not exist: a connection plans each at its first use."""
    key, vendor, now = stored(Annotation, "client_key", uuid.UUID(int=0)), here().vendor, database_now()
    fetch_one(_progress_sql(None), [0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0])
    for mixed in (False, True):
        ended = _ended_before(now, mixed)
        fetch_one(_state_sql(mixed), [0, *ended, 0])
        fetch_one(_work_sql(mixed), [0, *ended, key, 0])
    for together in (True, False):
        fetch_all(_first_open_sql(vendor, together), [0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, ""])
    held_slots(0)
