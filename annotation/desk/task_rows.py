"""What the desk reads of one task, in one statement: for its page, and for an answer to it. See `hot_queries`.

What a study and its outputs are comes as JSON text and is parsed once per text: so nothing here can be older than the
database.
"""

import json
import uuid
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from annotation.answers import Sheet, ShownOutput, letter
from annotation.desk.hot_queries import ASSIGNMENT, CURRENT, RATER, last_place_after
from annotation.desk.slot_statements import SLOT
from annotation.models import Annotation, Assignment, Item, Question, Rater, Slot, Study, Task
from config.prepared_sql import Columns, fetch_one, here, stored

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
    values = _fetched(True, key, person)
    return None if values is None else _read_desk_row(values)


def desk_row_of(assignment: int) -> DeskRow:
    """The assignment with this primary key, also of a rater who is no annotator of the study now."""
    row = fetch_one(_sql(here().vendor, False, True), [assignment])
    if row is None:
        raise Assignment.DoesNotExist
    return _read_desk_row(row)


def task_row(person: int, key: uuid.UUID) -> TaskRow | None:
    """As `desk_row`, for an answer: what its transaction reads again, locked, is left out."""
    values = _fetched(False, key, person)
    return None if values is None else TaskRow(**_read_task(values)[0])


def _fetched(page: bool, key: uuid.UUID, person: int) -> Any:
    return fetch_one(_sql(here().vendor, True, page), [stored(Assignment, "key", key), person])


def _read_task(row: tuple[Any, ...]) -> tuple[dict[str, Any], str, Any]:
    """The fields of a TaskRow, the stored rows of the questions, and the rest of the row."""
    values = iter(row)
    assignment, rater, study = ASSIGNMENT.must_take(values), RATER.must_take(values), STUDY.must_take(values)
    task, item = TASK.must_take(values), ITEM.must_take(values)
    assignment.rater, assignment.task, rater.study, task.item = rater, task, study, item
    questions, outputs, number = next(values), next(values), next(values)
    fields = {
        "assignment": assignment, "questions": questions_in(questions or "[]", study.pk),
        "outputs": _outputs_in(outputs or "[]"), "guidelines_version": number,
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


def _outputs_in(text: str) -> tuple[TaskOutputRow, ...]:
    return tuple(TaskOutputRow(*row[1:]) for row in sorted(json.loads(text)))
