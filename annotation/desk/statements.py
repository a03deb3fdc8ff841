"""The hand-written statements of the path of an answer: slots, the state of a rater, the next task, a task's rows.

These run for every answer; other paths use Django's queries. `tests/annotation/desk/test_statements.py` compares what
they read with what Django's queries give, on both databases, and `test_query_counts.py` counts them.

A connection plans each statement once, perhaps while the tables are still empty, and keeps the plan for minutes. So no
plan may be left to guesses of sizes: `+y.rater_id` keeps an index of the rater's whole history out of a search for one
task, `OFFSET 0` makes PostgreSQL ask an index for each open slot instead of reading everybody's answers once per claim,
and conditions that are always true name the column of an index. Parts of statements call the slot `o`.
"""

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from annotation.answers import Form, Sheet, ShownOutput, letter
from annotation.desk.part_tasks import mixed_among
from annotation.models import Annotation, Assignment, Item, Question, Rater, Slot, Study, Task
from annotation.studies.assignment_plan import cap_of, kept_for
from annotation.studies.batches import BITS, EVERYWHERE, FIRST
from annotation.studies.batches import OPTION as BATCH_SIZE
from annotation.studies.locking import ImportPendingError, RaterGoneError
from config.database_clock import database_now
from config.parts import parts_of
from config.prepared_sql import Columns, Statement, fetch_all, fetch_one, here, run, run_later, stored

NOT_SEEN = """AND o.item_id NOT IN (SELECT e.item_id FROM annotation_seenitem e WHERE e.rater_id = %s)
    AND o.item_id NOT IN (SELECT f.item_id FROM annotation_adjudication f
        JOIN annotation_reviewer v ON v.id = f.by_id WHERE v.study_id = %s AND v.name = %s)"""
"""Not of items of which the rater has read others' answers: they were shown them, or final answers in a file have the
rater's name. Parameters: rater, study, name."""
KEPT: dict[bool | None, str] = {
    None: NOT_SEEN,
    False: f"{NOT_SEEN} AND o.kept_for = %s",
    True: f"{NOT_SEEN} AND o.kept_for = %s AND o.kept_for <> ''",
}
"""Which slots a rater may take, by the items that they have seen and by a plan: whether they have a list.

None if there are no lists.
"""


def kept_slots(study: Study, rater: Rater) -> tuple[bool | None, list[Any]]:
    """The key of KEPT for a rater, and its parameters."""
    kept = kept_for(study, rater.name)
    return (None, seen_items(study, rater)) if kept is None else (bool(kept), [*seen_items(study, rater), kept])


def seen_items(study: Study, rater: Rater) -> list[Any]:
    """The parameters of NOT_SEEN."""
    return [rater.pk, study.pk, rater.name]


SLOT = Columns(Slot, "h")
_TAKEN = "SELECT COUNT(*) FROM annotation_slot w WHERE w.holder_id = %s AND w.study_id IS NOT NULL"
_HELD = f"""SELECT {SLOT.sql} FROM annotation_slot h
    WHERE h.holder_id = %s AND h.state = 'held' AND h.place >= {FIRST}"""  # noqa: S608
_RENEW = """UPDATE annotation_slot SET lease_until = %s
    WHERE holder_id = %s AND item_id = %s AND state = 'held' RETURNING id"""
_MOVE = {
    False: "UPDATE annotation_rater SET place = %s WHERE id = %s",
    True: "UPDATE annotation_rater SET place = %s, given = given + 1 WHERE id = %s",
}
_FILL = "UPDATE annotation_slot SET state = 'filled', lease_until = NULL WHERE id = %s AND holder_id = %s"


def taken_slots(rater: int) -> int:
    """How many slots of the study a rater holds or has filled."""
    taken: int = fetch_one(_TAKEN, [rater])[0]
    return taken


def held_slots(rater: int) -> list[Slot]:
    """The slots that a rater holds and has not filled, except those of withdrawn items."""
    return [SLOT.must_take(iter(row)) for row in fetch_all(_HELD, [rater])]


def renew_held(rater: int, item: int, until: datetime) -> set[int]:
    """Extend the leases of the slots that a rater holds on an item; returns their primary keys."""
    return {pk for (pk,) in fetch_all(_RENEW, [stored(Slot, "lease_until", until), rater, item])}


def fill_slot(slot: int, rater: int) -> bool:
    """Fill a slot that the rater has; False if it was opened to others."""
    return bool(run(_FILL, [slot, rater]).rowcount == 1)


def take_slots(slots: Sequence[Slot], rater: int, until: datetime) -> int:
    """Take these open slots for a rater; returns how many nobody was faster to take."""
    taken: int = run(*_taking(slots, rater, until)).rowcount
    return taken


def take_next_slots(slots: Sequence[Slot], rater: Rater, until: datetime, *, counted: bool) -> int:
    """As `take_slots`; a rater who got any of them is now at the place of the first, as `move_place` remembers.

    PostgreSQL does both in one statement, which SQLite cannot.
    """
    place = slots[0].place
    if here().vendor == "sqlite" or (rater.place == place and not counted):
        taken = take_slots(slots, rater.pk, until)
        if taken:
            move_place(rater, place, counted=counted)
        return taken
    taking, given = _taking(slots, rater.pk, until)
    sql = f"""WITH taken AS ({taking} RETURNING id),
        moved AS ({_MOVE[counted]} AND EXISTS (SELECT 1 FROM taken)) SELECT COUNT(*) FROM taken"""  # noqa: S608
    taken = fetch_one(sql, [*given, place, rater.pk])[0]
    if taken:
        rater.place, rater.given = place, rater.given + counted
    return taken


def _taking(slots: Sequence[Slot], rater: int, until: datetime) -> Statement:
    """The statement that takes those of the slots that are open."""
    sql = f"""UPDATE annotation_slot SET state = 'held', holder_id = %s, lease_until = %s
        WHERE state = 'open' AND id IN ({", ".join(["%s"] * len(slots))})"""  # noqa: S608
    return sql, [rater, stored(Slot, "lease_until", until), *(slot.pk for slot in slots)]


def move_place(rater: Rater, place: int | None, *, counted: bool) -> None:
    """Remember how far along the study's order a rater has come and, if `counted`, that they got work once more."""
    if counted or rater.place != place:
        run_later(_MOVE[counted], [place, rater.pk])
        rater.place, rater.given = place, rater.given + counted


ASSIGNMENT = Columns(Assignment, "a")
RATER = Columns(Rater, "r", leave_out=("metadata",))
OPEN = Columns(Slot, "o")
CURRENT = Columns(Annotation, "c")


def last_place_after(study: Study, newest_batch: int | None) -> int:
    """The greatest place that a study gives out whose last released batch is `newest_batch`."""
    if study.options.get(BATCH_SIZE) is None:
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
    first, mixed = FIRST if rater.place is None else rater.place, bool(parts_of(study).mixing)
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


_LOCK_RATER = "SELECT id FROM annotation_rater WHERE id = %s FOR NO KEY UPDATE"
"""As `annotation.studies.locking.lock_rater` does. On SQLite the transaction has the one write lock."""


def _locked_row(
    rater: int, study: Study, now: datetime, sql: Callable[[bool], str], before: list[Any], after: list[Any]
) -> Iterator[Any]:
    """Lock a rater, then read the row of a statement about them; its parameters are now between `before` and `after`.

    It has two of now if parts mix tasks into the study.
    """
    if here().vendor == "postgresql":
        run_later(_LOCK_RATER, [rater])
    mixed = bool(parts_of(study).mixing)
    row = fetch_one(sql(mixed), [*before, *[stored(Slot, "lease_until", now)] * (2 if mixed else 1), *after])
    if row is None:
        raise RaterGoneError
    return iter(row)


def lock_state(rater: int, study: Study, now: datetime) -> RaterState:
    """Lock a rater and read what decides about their next task. Raises ImportPendingError and RaterGoneError."""
    return _read_state(_locked_row(rater, study, now, _state_sql, [0], [rater]), study)


def lock_work(assignment: Assignment, study: Study, client_key: uuid.UUID | None, now: datetime) -> LockedWork:
    """Lock an assignment's rater and read the work on it as it is now. Raises as `lock_state` does."""
    after = [stored(Annotation, "client_key", client_key), assignment.pk]
    values = _locked_row(assignment.rater_id, study, now, _work_sql, [assignment.task_id], after)
    fresh, slot = ASSIGNMENT.must_take(values), SLOT.take(values)
    current, repeated = CURRENT.take(values), REPEATED.take(values)
    state = _read_state(values, study)
    fresh.rater = state.rater
    return LockedWork(fresh, state, slot, current, repeated)


def _read_state(values: Iterator[Any], study: Study) -> RaterState:
    rater = RATER.must_take(values)
    status, batch, identity, holds, expired, unread = values
    rater.study = study
    if rater.import_pending:
        raise ImportPendingError
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
    """The statement that prepares an assignment for the next revision: clocks at zero, `draft` as a new version.

    Work on it begins at `opened_at`, or when its page is opened.
    """
    opened, typed = stored(Assignment, "opened_at", opened_at), stored(Assignment, "draft", draft)
    return _RESET, [opened, typed, assignment.draft_version + 1, assignment.pk]


def plan_statements() -> None:
    """Run the long statements of this module for rows that do not exist: a connection plans each at its first use."""
    key, vendor, now = stored(Annotation, "client_key", uuid.UUID(int=0)), here().vendor, database_now()
    fetch_one(_progress_sql(None), [0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0])
    for mixed in (False, True):
        ended = [stored(Slot, "lease_until", now)] * (2 if mixed else 1)
        fetch_one(_state_sql(mixed), [0, *ended, 0])
        fetch_one(_work_sql(mixed), [0, *ended, key, 0])
    for together in (True, False):
        fetch_all(_first_open_sql(vendor, together), [0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, ""])
    held_slots(0)


NOT_FOR_RATERS = ("references", "metadata", "content", "priority", "withdrawn_at", "withdrawn_reason")
STUDY = Columns(Study, "s")
TASK = Columns(Task, "t")
ITEM = Columns(Item, "i", leave_out=NOT_FOR_RATERS)
LAST = Columns(Annotation, "l", only=("id", "revision", "status", "submitted_at"))
BEFORE = Columns(Assignment, "la", only=("id", "key"))
QUESTION_FIELDS = ("id", "position", "key", "type", "text", "help", "required", "spec")


class TaskOutputRow(NamedTuple):
    """An output of a task, in the order of the task's outputs."""

    pk: int
    key: str
    text: str
    turns: str | None


class LastAnswer(NamedTuple):
    """The rater's last answer to another task: its assignment's key, its revision, status and time."""

    key: uuid.UUID
    revision: int
    status: str
    submitted_at: Any


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    """What an answer needs of one assignment, which comes with rater, study, task and item."""

    assignment: Assignment
    questions: tuple[Question, ...]
    outputs: tuple[TaskOutputRow, ...]
    guidelines_version: int | None

    @property
    def rater(self) -> Rater:
        return self.assignment.rater

    @property
    def study(self) -> Study:
        return self.assignment.rater.study

    @property
    def sheet(self) -> Sheet:
        """The rater's view of the task: the document, and the outputs in the assignment's order."""
        shown = enumerate(self.outputs[position] for position in self.assignment.order)
        outputs = tuple(ShownOutput(letter(place), one.key, one.text, one.turns) for place, one in shown)
        return Sheet(outputs, self.assignment.task.item.document)


@dataclass(frozen=True, kw_only=True)
class DeskRow(TaskRow):
    """What the page of one assignment needs."""

    slot: Slot | None
    current: Annotation | None
    guidelines: str
    previous: uuid.UUID | None
    next: uuid.UUID | None
    last: LastAnswer | None
    newest_batch: int | None
    """The number of the last released batch."""
    questions_text: str = ""
    """The stored rows of the questions, which change when the questions do; empty if these are not stored."""

    @property
    def last_place(self) -> int:
        """The greatest place that the study gives out now; see `annotation.studies.batches`."""
        return last_place_after(self.study, self.newest_batch)


def _json_list(vendor: str, values: str, source: str) -> str:
    """A subquery that gives the rows of `source` as a JSON list of lists."""
    each, together = ("json_array", "json_group_array") if vendor == "sqlite" else ("json_build_array", "json_agg")
    return f"(SELECT CAST({together}({each}({values})) AS text) FROM {source})"  # noqa: S608


def _beside(order: str) -> str:
    """A subquery that gives the key of the rater's assignment after (`ASC`) or before (`DESC`) this one."""
    sign = ">" if order == "ASC" else "<"
    return f"""(SELECT p.key FROM annotation_assignment p
    WHERE p.rater_id = a.rater_id AND p.id {sign} a.id ORDER BY p.id {order} LIMIT 1)"""  # noqa: S608


_OF_PAGE = f"""g.text, (SELECT MAX(b.number) FROM annotation_batch b WHERE b.study_id = s.id),
    {_beside("DESC")}, {_beside("ASC")}, {SLOT.sql}, {CURRENT.sql}, {LAST.sql}, {BEFORE.sql}"""  # noqa: S608 - names of our own tables and columns
_JOINED_FOR_PAGE = """
LEFT JOIN annotation_slot h ON h.task_id = a.task_id AND +h.holder_id = a.rater_id
LEFT JOIN annotation_annotation c ON c.task_id = a.task_id AND +c.rater_id = a.rater_id AND c.is_current
LEFT JOIN annotation_annotation l ON l.id = a.last_id
LEFT JOIN annotation_assignment la ON la.task_id = l.task_id AND +la.rater_id = l.rater_id"""

_LAST_ID = """, (SELECT y.id FROM annotation_annotation y WHERE y.rater_id = w.rater_id AND y.task_id <> w.task_id
    AND y.is_current AND y.status IN ('submitted', 'skipped') ORDER BY y.id DESC LIMIT 1) AS last_id"""
"""The rater's last answer to another task, looked for once. As the condition of a join, PostgreSQL would look for it
once per answer of the study, if it plans the statement before there are answers: plans are kept."""


@lru_cache
def _sql(vendor: str, member: bool, page: bool) -> str:
    """The statement for a page or an answer: by key, of a member who annotates now, or by primary key."""
    questions = _json_list(
        vendor, ", ".join(f"q.{name}" for name in QUESTION_FIELDS), "annotation_question q WHERE q.study_id = s.id"
    )
    outputs = _json_list(
        vendor, "x.position, o.id, o.key, o.text, o.turns",
        "annotation_taskoutput x JOIN annotation_output o ON o.id = x.output_id WHERE x.task_id = t.id",
    )  # fmt: skip
    joined = "annotation_membership m ON m.study_id = r.study_id AND m.person_id = r.person_id"
    return f"""
SELECT {ASSIGNMENT.sql}, {RATER.sql}, {STUDY.sql}, {TASK.sql}, {ITEM.sql}, {questions}, {outputs}, g.number
    {f", {_OF_PAGE}" if page else ""}
FROM (SELECT w.*{_LAST_ID if page else ""} FROM annotation_assignment w
    WHERE {"w.key" if member else "w.id"} = %s LIMIT 1) a
JOIN annotation_rater r ON r.id = a.rater_id
JOIN annotation_study s ON s.id = r.study_id
JOIN annotation_task t ON t.id = a.task_id
JOIN annotation_item i ON i.id = t.item_id
{f"JOIN {joined} AND m.active AND m.role = 'annotator'" if member else ""}
LEFT JOIN annotation_guideline g ON g.study_id = s.id
    AND g.number = (SELECT MAX(n.number) FROM annotation_guideline n WHERE n.study_id = s.id)
{_JOINED_FOR_PAGE if page else ""}
{"WHERE r.person_id = %s" if member else ""}
"""  # noqa: S608 - names of our own tables and columns


def desk_row(person: int, key: uuid.UUID) -> DeskRow | None:
    """The assignment with this key of a person who annotates in its study now, for its page, or None."""
    row = fetch_one(_sql(here().vendor, True, True), [stored(Assignment, "key", key), person])
    return None if row is None else _read_desk_row(row)


def desk_row_of(assignment: int) -> DeskRow:
    """The assignment with this primary key, also of a rater who is no annotator of the study now."""
    row = fetch_one(_sql(here().vendor, False, True), [assignment])
    if row is None:
        raise Assignment.DoesNotExist
    return _read_desk_row(row)


def task_row(person: int, key: uuid.UUID) -> TaskRow | None:
    """As `desk_row`, for an answer: what its transaction reads again, locked, is left out."""
    row = fetch_one(_sql(here().vendor, True, False), [stored(Assignment, "key", key), person])
    return None if row is None else TaskRow(**_read_task(row)[0])


def _read_task(row: tuple[Any, ...]) -> tuple[dict[str, Any], str, Any]:
    """The fields of a TaskRow, the stored rows of the questions, and the rest of the row."""
    values = iter(row)
    assignment, rater, study = ASSIGNMENT.must_take(values), RATER.must_take(values), STUDY.must_take(values)
    task, item = TASK.must_take(values), ITEM.must_take(values)
    assignment.rater, assignment.task, rater.study, task.item = rater, task, study, item
    questions, outputs, number = next(values), next(values), next(values)
    fields = {
        "assignment": assignment, "questions": questions_in(questions or "[]", study.pk),
        "outputs": tuple(TaskOutputRow(*output[1:]) for output in sorted(json.loads(outputs or "[]"))),
        "guidelines_version": number,
    }  # fmt: skip
    return fields, questions or "", values


def _read_desk_row(row: tuple[Any, ...]) -> DeskRow:
    fields, questions_text, values = _read_task(row)
    text, batch, previous, following = next(values), next(values), _key_in(next(values)), _key_in(next(values))
    slot, current = SLOT.take(values), CURRENT.take(values)
    last, before = LAST.take(values), BEFORE.take(values)
    return DeskRow(
        **fields, slot=slot, current=current, guidelines=text or "", previous=previous, next=following,
        last=LastAnswer(before.key, last.revision, last.status, last.submitted_at) if last and before else None,
        newest_batch=batch, questions_text=questions_text,
    )  # fmt: skip


def _key_in(value: uuid.UUID | str | None) -> uuid.UUID | None:
    """A key outside the columns of a model; SQLite has text for it."""
    return uuid.UUID(value) if isinstance(value, str) else value


@lru_cache(maxsize=64)
def questions_in(text: str, study: int) -> tuple[Question, ...]:
    """A study's questions in order, from JSON rows of QUESTION_FIELDS; the same text gives the same instances."""
    rows = sorted(json.loads(text), key=lambda row: row[1])
    return tuple(_question(study, *row) for row in rows)


def _question(study: int, pk: int, *fields: Any) -> Question:
    """A question from its row: SQLite has numbers for truth values, and both databases have specs as text."""
    *texts, required, spec = fields
    values = dict(zip(QUESTION_FIELDS[1:], (*texts, bool(required), json.loads(spec)), strict=True))
    return Question(id=pk, study_id=study, **values)
