"""A task as an annotator's program reads it: what the page shows, with outputs by letter and no system's name."""

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.exceptions import ParseError

from annotation.answers import Form
from annotation.conversations import as_given
from annotation.desk.form_reading import PREFIX
from annotation.desk.statements import DeskRow, TaskRow
from annotation.models import Annotation, Assignment, Question
from annotation.protocols import protocols
from annotation.questions import question_types
from config.text_validation import time_text

OPEN = "open"


def task_text(row: DeskRow) -> dict[str, Any]:
    """Everything that the page of a task shows its annotator."""
    assignment, study, current, sheet = row.assignment, row.study, row.current, row.sheet
    protocol, item = protocols()[study.protocol], row.assignment.task.item
    form = assignment.draft
    if form is None:
        form = protocol.form_of(current.answers, row.questions, sheet) if current else {}
    return {
        **task_answer(assignment, current),
        "study": study.slug,
        "language": study.language,
        "instruction": item.instruction,
        "document": as_given(item.document, item.document_turns),
        "outputs": [
            {"letter": one.letter, "text": as_given(one.text, json.loads(one.turns) if one.turns else None)}
            for one in sheet.outputs
        ],
        "fields": _fields(row),
        "answer": form,
        "guidelines_version": row.guidelines_version,
        "holds_place": row.slot is not None,
        "lease_until": time_text(row.slot.lease_until) if row.slot else None,
    }


def task_answer(assignment: Assignment, current: Annotation | None) -> dict[str, Any]:
    """The state of an annotator's answer to a task."""
    return {
        "key": str(assignment.key),
        "status": current.status if current else OPEN,
        "revision": current.revision if current else 0,
        "surplus": bool(current and current.surplus),
        "given_at": time_text(assignment.created_at),
        "submitted_at": time_text(current.submitted_at) if current else None,
        "has_draft": bool(assignment.draft),
        "flag": assignment.flag,
    }


def _fields(row: TaskRow) -> list[dict[str, Any]]:
    """The fields of the task's form, in order, with what may be chosen in each."""
    protocol, found = protocols()[row.study.protocol], []
    for field in protocol.fields({}, row.questions, row.sheet, {}):
        question: Question = field["question"]
        kind = question_types()[question.type]
        low_high = kind.scale(question.spec)
        found.append(
            {
                "name": field["name"],
                "names": [one["name"] for one in field.get("rows", []) if "name" in one],
                "question": question.key,
                "text": question.text,
                "help": question.help,
                "type": question.type,
                "required": question.required,
                "output": field["output"].letter if field["output"] else None,
                "choices": [
                    {"value": str(one["value"]), "label": str(one.get("label") or "")}
                    for one in field.get("choices", [])
                    if "value" in one
                ],
                "scale": list(low_high) if low_high else None,
                "when": _condition(row, question),
            }
        )
    return found


def _condition(row: TaskRow, question: Question) -> dict[str, Any] | None:
    """When the question is asked; without the value if that names an output."""
    when = question.spec.get("when")
    if when is None:
        return None
    before = next((one for one in row.questions if one.key == when["question"]), None)
    is_safe = before is not None and not question_types()[before.type].needs_outputs
    return {"question": when["question"], **({"equals": when["equals"]} if is_safe else {})}


def form_of_fields(row: TaskRow, fields: Mapping[str, Any]) -> Form:
    """The form that a page would post for these fields. Raises ParseError for fields that the task does not have."""
    known = [name for one in _fields(row) for name in (one["name"], *one["names"])]
    form: Form = {}
    for name, value in fields.items():
        if not any(name == one or name.startswith(f"{one}-") for one in known):
            raise ParseError(f"fields: The task has no field {name[:80]!a}. Its fields: {', '.join(known)[:500]}.")
        given = value if isinstance(value, list) else [value]
        form[name] = [_raw(name, one) for one in given]
    return {name: values for name, values in form.items() if name.startswith(PREFIX)}


def _raw(name: str, value: Any) -> str:
    """A value as a form sends it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise ParseError(f"fields: {name[:80]} must be a text, a number, true, false or a list of them.")
