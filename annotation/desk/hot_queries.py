"""Hand-written statements of the path of an answer: the page of a task, and an answer with the claim of the next task.

These run for every answer; everything else uses Django's queries. `tests/annotation/desk/test_hot_queries.py` compares
each statement with what Django's queries give, on both databases. What a study and its outputs are is read with the
task, as JSON text, and parsed once per text: so nothing here can be older than the database.
"""

import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from annotation.answers import Form, Sheet, ShownOutput, letter
from annotation.desk.slot_conditions import KEPT, kept_slots
from annotation.desk.slot_statements import SLOT, held_slots, taken_slots
from annotation.models import Annotation, Assignment, Item, Question, Rater, Slot, Study, Task
from annotation.studies.assignment_plan import cap_of
from annotation.studies.batches import BITS, EVERYWHERE, FIRST, size_of
from annotation.studies.check_draws import checks_among, checks_of
from annotation.studies.locking import lock_rater_row, refuse_pending_answers
from config.database_clock import database_now
from config.prepared_sql import Columns, fetch_all, fetch_one, here, run, stored

NOT_FOR_RATERS = ("references", "metadata", "content", "priority", "withdrawn_at", "withdrawn_reason")
ASSIGNMENT = Columns(Assignment, "a")
RATER = Columns(Rater, "r", leave_out=("metadata",))
STUDY = Columns(Study, "s")
TASK = Columns(Task, "t")
ITEM = Columns(Item, "i", leave_out=NOT_FOR_RATERS)
OPEN = Columns(Slot, "o")
CURRENT = Columns(Annotation, "c")
LAST = Columns(Annotation, "l", only=("id", "task", "revision", "status", "submitted_at"))
BEFORE = Columns(Assignment, "la", only=("id", "key"))
PREVIOUS = Columns(Assignment, "pa", only=("id", "key"))
NEXT = Columns(Assignment, "na", only=("id", "key"))
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


@dataclass(frozen=True)
class DeskRow:
    """What the desk needs of one assignment, which comes with rater, study, task and item, from one statement."""

    assignment: Assignment
    questions: tuple[Question, ...]
    outputs: tuple[TaskOutputRow, ...]
    slot: Slot | None
    current: Annotation | None
    guidelines_version: int | None
    guidelines: str
    previous: uuid.UUID | None
    next: uuid.UUID | None
    last: LastAnswer | None
    newest_batch: int | None
    """The number of the last released batch."""
    questions_text: str = ""
    """The stored rows of the questions, which change when the questions do; empty if these are not stored."""

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

    @property
    def last_place(self) -> int:
        """The greatest place that the study gives out now; see `annotation.studies.batches`."""
        return last_place_after(self.study, self.newest_batch)


def last_place_after(study: Study, newest_batch: int | None) -> int:
    """The greatest place that a study gives out whose last released batch is `newest_batch`."""
    if size_of(study) is None:
        return EVERYWHERE
    return ((0 if newest_batch is None else newest_batch + 1) << BITS) - 1


def _json_list(vendor: str, values: str, source: str) -> str:
    """A subquery that gives the rows of `source` as a JSON list of lists."""
    each, together = ("json_array", "json_group_array") if vendor == "sqlite" else ("json_build_array", "json_agg")
    return f"(SELECT CAST({together}({each}({values})) AS text) FROM {source})"  # noqa: S608


@lru_cache
def _desk_sql(vendor: str, member: bool) -> str:
    """The statement of `desk_row` (by key, for a member who annotates now) and of `desk_row_of` (by primary key)."""
    questions = _json_list(
        vendor, ", ".join(f"q.{name}" for name in QUESTION_FIELDS), "annotation_question q WHERE q.study_id = s.id"
    )
    outputs = _json_list(
        vendor, "x.position, o.id, o.key, o.text, o.turns",
        "annotation_taskoutput x JOIN annotation_output o ON o.id = x.output_id WHERE x.task_id = t.id",
    )  # fmt: skip
    joined = "annotation_membership m ON m.study_id = r.study_id AND m.person_id = r.person_id"
    return f"""
SELECT {ASSIGNMENT.sql}, {RATER.sql}, {STUDY.sql}, {TASK.sql}, {ITEM.sql}, {SLOT.sql}, {CURRENT.sql},
       {LAST.sql}, {BEFORE.sql}, {PREVIOUS.sql}, {NEXT.sql}, {questions}, {outputs}, g.number, g.text,
       (SELECT MAX(b.number) FROM annotation_batch b WHERE b.study_id = s.id)
FROM annotation_assignment a
JOIN annotation_rater r ON r.id = a.rater_id
JOIN annotation_study s ON s.id = r.study_id
JOIN annotation_task t ON t.id = a.task_id
JOIN annotation_item i ON i.id = t.item_id
{f"JOIN {joined} AND m.active AND m.role = 'annotator'" if member else ""}
LEFT JOIN annotation_slot h ON h.task_id = a.task_id AND h.holder_id = a.rater_id
LEFT JOIN annotation_annotation c ON c.task_id = a.task_id AND c.rater_id = a.rater_id AND c.is_current
LEFT JOIN annotation_guideline g ON g.study_id = s.id
    AND g.number = (SELECT MAX(n.number) FROM annotation_guideline n WHERE n.study_id = s.id)
LEFT JOIN annotation_annotation l ON l.id = (
    SELECT y.id FROM annotation_annotation y WHERE y.rater_id = a.rater_id AND y.task_id <> a.task_id
        AND y.is_current AND y.status IN ('submitted', 'skipped') ORDER BY y.id DESC LIMIT 1)
LEFT JOIN annotation_assignment la ON la.rater_id = a.rater_id AND la.task_id = l.task_id
LEFT JOIN annotation_assignment pa ON pa.id = (
    SELECT p.id FROM annotation_assignment p WHERE p.rater_id = a.rater_id AND p.id < a.id ORDER BY p.id DESC LIMIT 1)
LEFT JOIN annotation_assignment na ON na.id = (
    SELECT p.id FROM annotation_assignment p WHERE p.rater_id = a.rater_id AND p.id > a.id ORDER BY p.id LIMIT 1)
WHERE {"a.key = %s AND r.person_id = %s" if member else "a.id = %s"}
"""  # noqa: S608 - names of our own tables and columns


def desk_row(person: int, key: uuid.UUID) -> DeskRow | None:
    """The assignment with this key of a person who annotates in its study now, or None."""
    row = fetch_one(_desk_sql(here().vendor, True), [stored(Assignment, "key", key), person])
    return None if row is None else _read_desk_row(row)


def desk_row_of(assignment: int) -> DeskRow:
    """The assignment with this primary key, also of a rater who is no annotator of the study now."""
    row = fetch_one(_desk_sql(here().vendor, False), [assignment])
    if row is None:
        raise Assignment.DoesNotExist
    return _read_desk_row(row)


def _read_desk_row(row: tuple[Any, ...]) -> DeskRow:
    values = iter(row)
    assignment, rater, study = ASSIGNMENT.must_take(values), RATER.must_take(values), STUDY.must_take(values)
    task, item = TASK.must_take(values), ITEM.must_take(values)
    assignment.rater, assignment.task, rater.study, task.item = rater, task, study, item
    slot, current = SLOT.take(values), CURRENT.take(values)
    last, before = LAST.take(values), BEFORE.take(values)
    previous, following = PREVIOUS.take(values), NEXT.take(values)
    questions, outputs, number, text, batch = values
    return DeskRow(
        assignment=assignment, questions=questions_in(questions or "[]", study.pk),
        outputs=_outputs_in(outputs or "[]"), slot=slot, current=current,
        guidelines_version=number, guidelines=text or "",
        previous=previous.key if previous else None, next=following.key if following else None,
        last=LastAnswer(before.key, last.revision, last.status, last.submitted_at) if last and before else None,
        newest_batch=batch, questions_text=questions or "",
    )  # fmt: skip


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


def _outputs_in(text: str) -> tuple[TaskOutputRow, ...]:
    return tuple(TaskOutputRow(*row[1:]) for row in sorted(json.loads(text)))


_ANSWERED = "status IN ('submitted', 'skipped')"
IS_OPEN_TO_RATER = f"""
    AND NOT EXISTS (SELECT 1 FROM annotation_slot mine WHERE mine.task_id = o.task_id AND mine.holder_id = %s)
    AND NOT EXISTS (SELECT 1 FROM annotation_annotation y WHERE y.task_id = o.task_id AND y.rater_id = %s
        AND y.is_current AND y.{_ANSWERED})"""  # noqa: S608
_OPEN_IN_ORDER = """
    FROM annotation_slot o WHERE o.study_id = %s AND o.state = 'open' AND o.place >= %s AND o.place <= %s"""
OPEN_SLOTS = f"{_OPEN_IN_ORDER} {IS_OPEN_TO_RATER}"
"""Parameters: study, first place, last place, rater, rater."""


@lru_cache
def _progress_sql(listed: bool | None, items: bool = False) -> str:
    of_items = ", (SELECT COUNT(DISTINCT near.item_id) FROM (SELECT item_id FROM ahead LIMIT %s) near)"
    return f"""
WITH ahead AS (SELECT o.task_id, o.item_id {_OPEN_IN_ORDER} {KEPT[listed]}
    AND o.task_id NOT IN (SELECT mine.task_id FROM annotation_slot mine WHERE mine.holder_id = %s)
    AND o.task_id NOT IN (SELECT y.task_id FROM annotation_annotation y
        WHERE y.rater_id = %s AND y.is_current AND y.{_ANSWERED})
    ORDER BY o.place, o.number, o.id LIMIT %s)
SELECT (SELECT COUNT(*) FROM annotation_annotation y WHERE y.rater_id = %s AND y.is_current AND y.status = 'submitted'),
       (SELECT COUNT(*) FROM annotation_slot w WHERE w.holder_id = %s AND w.state = 'held' AND w.place >= {FIRST}),
       (SELECT AVG(recent.visible_seconds) FROM (
           SELECT y.visible_seconds FROM annotation_annotation y
           WHERE y.rater_id = %s AND y.is_current AND y.status = 'submitted' ORDER BY y.id DESC LIMIT %s) recent),
       (SELECT COUNT(*) FROM ahead),
       (SELECT COUNT(DISTINCT nearest.task_id) FROM (SELECT task_id FROM ahead LIMIT %s) nearest)
       {of_items if items else ""}
"""  # noqa: S608 - names of our own tables and columns


class Counted(NamedTuple):
    """A rater's tasks: submitted, held, and open ahead of their place; `more` if the count of those ahead stopped.

    Those ahead include the hidden checks that will come among them.
    """

    done: int
    held: int
    pace: float | None
    ahead: int
    more: bool


def count_tasks(row: DeskRow, most: int, recent: int) -> Counted:
    """Count the rater's tasks, of those ahead the ones in the next `most` slots; `pace` is of `recent` answers."""
    rater, first = row.rater.pk, FIRST if row.rater.place is None else row.rater.place
    listed, kept = kept_slots(row.study, row.rater)
    open_to, checked = [row.study.pk, first, row.last_place, *kept, rater, rater], checks_of(row.study) is not None
    given = [*open_to, most + 1, rater, rater, rater, recent, most, *([most] if checked else [])]
    done, held, pace, slots, tasks, *items = fetch_one(_progress_sql(listed, checked), given)
    cap, more = cap_of(row.study, row.rater.name), slots > most
    if cap is not None:
        room = max(0, cap - (taken_slots(rater) if checked else done + held))
        tasks, more = (room, False) if tasks > room else (tasks, more)
    return Counted(
        done, held, pace, tasks + (checks_among(row.study, row.rater, tasks, *items) if checked else 0), more
    )


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
       EXISTS (SELECT 1 FROM annotation_slot w WHERE w.study_id = s.id AND w.state = 'held' AND w.lease_until < %s),
       EXISTS (SELECT 1 FROM annotation_spotcheck u JOIN annotation_annotation y ON y.id = u.annotation_id
           WHERE y.rater_id = r.id AND u.seen_at IS NULL AND NOT (u.note = ''))"""  # noqa: S608
_STATE_OF = """
JOIN annotation_study s ON s.id = r.study_id
LEFT JOIN accounts_identity d ON d.person_id = r.person_id AND d.study = s.slug"""
_STATE_SQL = f"SELECT {_STATE} FROM annotation_rater r {_STATE_OF} WHERE r.id = %s"  # noqa: S608
_WORK_SQL = f"""
SELECT {ASSIGNMENT.sql}, {SLOT.sql}, {CURRENT.sql}, {REPEATED.sql}, {_STATE}
FROM annotation_assignment a
JOIN annotation_rater r ON r.id = a.rater_id {_STATE_OF}
LEFT JOIN annotation_slot h ON h.task_id = a.task_id AND h.holder_id = a.rater_id
LEFT JOIN annotation_annotation c ON c.task_id = a.task_id AND c.rater_id = a.rater_id AND c.is_current
LEFT JOIN annotation_annotation k ON k.rater_id = a.rater_id AND k.client_key = %s
WHERE a.id = %s
"""  # noqa: S608 - names of our own tables and columns


def lock_state(rater: int, study: Study, now: datetime) -> RaterState:
    """Lock a rater and read what decides about their next task. Raises ImportPendingError."""
    lock_rater_row(rater)
    values = iter(fetch_one(_STATE_SQL, [0, stored(Slot, "lease_until", now), rater]))
    return _read_state(values, study)


def lock_work(assignment: Assignment, study: Study, client_key: uuid.UUID | None, now: datetime) -> LockedWork:
    """Lock an assignment's rater and read the work on it as it is now. Raises ImportPendingError."""
    lock_rater_row(assignment.rater_id)
    given = [assignment.task_id, stored(Slot, "lease_until", now), stored(Annotation, "client_key", client_key)]
    values = iter(fetch_one(_WORK_SQL, [*given, assignment.pk]))
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


_FINISH = """UPDATE annotation_assignment SET opened_at = %s, draft = %s, draft_version = %s, visible_seconds = 0,
    active_seconds = 0, tool_use = '{}' WHERE id = %s"""


def begin_next_revision(assignment: Assignment, opened_at: datetime | None, draft: Form | None) -> None:
    """Set an assignment's clocks to zero, and its draft to `draft` as a new version."""
    opened, typed = stored(Assignment, "opened_at", opened_at), stored(Assignment, "draft", draft)
    run(_FINISH, [opened, typed, assignment.draft_version + 1, assignment.pk])


def plan_statements() -> None:
    """Run the long statements of this module for rows that do not exist: a connection plans each at its first use."""
    key, vendor, now = uuid.UUID(int=0), here().vendor, stored(Slot, "lease_until", database_now())
    desk_row(0, key)
    fetch_one(_progress_sql(None), [0, 0, 0, 0, 0, "", *[0] * 8])
    fetch_one(_STATE_SQL, [0, now, 0])
    fetch_one(_WORK_SQL, [0, now, stored(Annotation, "client_key", key), 0])
    for together in (True, False):
        fetch_all(_first_open_sql(vendor, together), [0, 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, ""])
    held_slots(0)
