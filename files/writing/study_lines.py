"""The lines of items, as objects with their keys in the order of docs/formats.md, for everything but whole exports.

Absent values are left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.blinding import answer_levels, names_of
from annotation.conversations import as_given
from annotation.models import Item, Output, Study, TaskOutput
from annotation.pools import COPIES, MAIN
from annotation.protocols import protocol_of
from config.text_validation import given, time_text

CHUNK = 1000
ORDINARY = Item.Priority.ORDINARY.value
ITEM = (
    "pk", "key", "document", "document_turns", "instruction", "source", "categories", "references", "set", "pool",
    "gold", "feedback", "metadata", "content", "priority", "withdrawn_at", "withdrawn_reason",
)  # fmt: skip
OUTPUT = ("item", "key", "text", "turns", "edited_from", "writer", "metadata")
Line = dict[str, Any]


def item_lines(study: Study, key: str | None = None, pks: Sequence[int] | None = None) -> Iterator[Line]:
    """All items with their outputs, or the one called `key`, or those with these primary keys."""
    needs_outputs = protocol_of(study).files.needs_outputs
    chosen = {**({} if key is None else {"key": key}), **({} if pks is None else {"pk__in": pks})}
    items = Item.objects.filter(study=study, **chosen).exclude(pool=COPIES)
    rows = items.order_by("pk").values_list(*ITEM).iterator(chunk_size=CHUNK)
    names = names_of(study)
    levels = answer_levels(study) if names.are_codes else {}
    for batch in _batches(rows):
        outputs: dict[int, list[Line]] = {row[0]: [] for row in batch}
        within = {"item__gte": batch[0][0], "item__lte": batch[-1][0]} if pks is None else {"item__in": pks}
        found = Output.objects.filter(item__study=study, **within).exclude(item__pool=COPIES)
        told = found.order_by("item", "position").values_list(*OUTPUT)
        for item, key, text, turns, edited_from, writer, metadata in told:
            about = {"edited_from": names.shown(edited_from) or None, "writer": writer or None,
                     "metadata": None if names.are_codes else metadata}  # fmt: skip
            outputs[item].append(given({"id": names.shown(key), "text": as_given(text, turns), **about}))
        if names.are_codes:  # the order of import would tell systems apart
            outputs = {item: sorted(own, key=lambda line: str(line["id"])) for item, own in outputs.items()}
        for pk, *columns in batch:
            row = dict(zip(ITEM[1:], columns, strict=True))
            yield given(
                {
                    "id": row["key"],
                    "document": as_given(row["document"], row["document_turns"]) if needs_outputs else None,
                    "instruction": row["instruction"] if needs_outputs else row["instruction"] or None,
                    "source": row["source"] or None,
                    **(row["content"] or {}),
                    "outputs": outputs[pk] if needs_outputs else outputs[pk] or None,
                    "references": row["references"],
                    "category": row["categories"],
                    "set": row["set"] or None,
                    "pool": None if row["pool"] == MAIN else row["pool"],
                    "gold": names.answers(row["gold"], levels),
                    "feedback": row["feedback"] or None,
                    "metadata": row["metadata"],
                    "priority": None if row["priority"] == ORDINARY else Item.Priority(row["priority"]).name.lower(),
                    "withdrawn": withdrawn(row),
                }
            )


def withdrawn(row: Mapping[str, Any]) -> Line | None:
    """When and why an item was withdrawn, if it is."""
    if row["withdrawn_at"] is None:
        return None
    return {"at": time_text(row["withdrawn_at"]), "reason": row["withdrawn_reason"]}


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) >= CHUNK:
            yield batch
            batch = []
    if batch:
        yield batch


def task_outputs(tasks: list[int]) -> dict[int, list[tuple[int, str]]]:
    """The outputs (position in the item, key) of each task, in the task's order."""
    found: dict[int, list[tuple[int, str]]] = {task: [] for task in tasks}
    for start in range(0, len(tasks), CHUNK // 2):
        rows = TaskOutput.objects.filter(task__in=tasks[start : start + CHUNK // 2]).order_by("task", "position")
        for task, position, key in rows.values_list("task", "output__position", "output__key"):
            found[task].append((position, key))
    return found
