"""The lines of an exported study, as objects with their keys in the order of docs/formats.md.

Items are in the order of their import. Within an item everything is sorted by natural keys, compared by code point, so
that the files depend neither on primary keys nor on a database's collation. Absent values are left out.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from annotation.blinding import Names, answer_levels, names_of, systems_of
from annotation.conversations import as_given
from annotation.models import Annotation, Item, Output, Rater, Study, TaskOutput
from annotation.page_times import are_odd_times
from annotation.pools import COPIES, MAIN, no_copies
from annotation.protocols import protocol_of
from annotation.studies.changed_places import changed_places
from config.text_validation import given, time_text

CHUNK = 1000
ORDINARY = Item.Priority.ORDINARY.value
HUMAN = Rater.Kind.HUMAN.value
ITEM = (
    "pk", "key", "document", "document_turns", "instruction", "source", "categories", "references", "set", "pool",
    "gold", "feedback", "metadata", "content", "priority", "withdrawn_at", "withdrawn_reason",
)  # fmt: skip
OUTPUT = ("item", "key", "text", "turns", "edited_from", "writer", "metadata")
ANNOTATION = (
    "task__item_id", "task__item__key", "task_id", "task__variant", "rater__name", "rater__kind", "revision", "status",
    "surplus", "third_rater", "answers", "reason", "flag", "shown", "guidelines_version", "protocol_version",
    "opened_at", "submitted_at", "seconds", "visible_seconds", "active_seconds", "tool_use", "metadata",
)  # fmt: skip
Line = dict[str, Any]


def exported_items(study: Study) -> Iterator[Line]:
    """All items with their outputs, and with the places of tasks for which researchers added or cancelled some."""
    names, systems = names_of(study), systems_of(study)
    for lines in _batches(item_lines(study)):
        named = Item.objects.filter(study=study, key__in=[line["id"] for line in lines])
        keys = dict(named.values_list("pk", "key"))
        changed = changed_places(study, min(keys), max(keys))
        places = {key: changed[pk] for pk, key in keys.items() if pk in changed}
        for line in lines:
            told = [_shown(one, names, systems) for one in places.get(line["id"], ())]
            if names.are_codes:  # the order of import would tell systems apart
                told.sort(key=lambda one: (one["outputs"], one.get("variant", "")))
            yield {**line, "places": told} if told else line


def _shown(task: Line, names: Names, systems: Collection[str]) -> Line:
    """A task of an item's places, with systems called as they are shown."""
    outputs = [names.shown(key) for key in task["outputs"]]
    variant = names.known(task.get("variant"), systems)
    return given(
        {
            "outputs": sorted(outputs) if names.are_codes else outputs,
            "variant": variant,
            "numbers": task["numbers"],
            "third_raters": task.get("third_raters"),
        }
    )


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


def annotation_lines(study: Study) -> Iterator[Line]:
    """All revisions of every annotation, whatever their status."""
    counted = Annotation.objects.filter(no_copies(study, "task__item"), task__item__study=study)
    rows = counted.order_by("task__item_id").values_list(*ANNOTATION)
    found = (dict(zip(ANNOTATION, row, strict=True)) for row in rows.iterator(chunk_size=CHUNK))
    names, systems = names_of(study), systems_of(study)
    levels = answer_levels(study) if names.are_codes else {}
    groups = (list(group) for _, group in groupby(found, key=lambda row: row["task__item_id"]))
    for batch in _batches(groups):
        tasks = task_outputs(sorted({row["task_id"] for group in batch for row in group}))
        for group in batch:
            ordered = sorted(group, key=lambda row: _annotation_order(row, tasks, names))
            for row in ordered:
                line = _annotation(row, [key for _, key in tasks[row["task_id"]]])
                yield _renamed(line, names, systems, levels) if names.are_codes else line


def _renamed(line: Line, names: Names, systems: Collection[str], levels: Mapping[str, str]) -> Line:
    """An annotation's line with codes for names, and without metadata, which may say anything."""
    shown = {
        **line,
        "outputs": sorted(map(names.shown, line["outputs"])),
        "variant": names.known(line.get("variant"), systems),
        "answers": names.answers(line["answers"], levels),
        "shown": names.listed(line["shown"]),
        "metadata": None,
    }
    return given({key: shown[key] for key in (*line, "variant") if key in line})


def task_outputs(tasks: list[int]) -> dict[int, list[tuple[int, str]]]:
    """The outputs (position in the item, key) of each task, in the task's order."""
    found: dict[int, list[tuple[int, str]]] = {task: [] for task in tasks}
    for start in range(0, len(tasks), CHUNK // 2):
        rows = TaskOutput.objects.filter(task__in=tasks[start : start + CHUNK // 2]).order_by("task", "position")
        for task, position, key in rows.values_list("task", "output__position", "output__key"):
            found[task].append((position, key))
    return found


def _annotation_order(
    row: Mapping[str, Any], tasks: Mapping[int, list[tuple[int, str]]], names: Names
) -> tuple[Any, ...]:
    """The place of an annotation: by its outputs, in the order of import or, as that would tell systems, of codes."""
    outputs = tasks[row["task_id"]]
    places = sorted(names.shown(key) for _, key in outputs) if names.are_codes else [place for place, _ in outputs]
    return places, row["task__variant"], row["rater__name"], row["revision"]


def _annotation(row: Mapping[str, Any], outputs: list[str]) -> Line:
    return given(
        {
            "item": row["task__item__key"],
            "outputs": outputs,
            "variant": row["task__variant"] or None,
            "rater": row["rater__name"],
            "rater_kind": None if row["rater__kind"] == HUMAN else row["rater__kind"],
            "revision": row["revision"],
            "status": row["status"],
            "surplus": row["surplus"],
            "third_rater": row["third_rater"] or None,
            "answers": row["answers"],
            "reason": row["reason"] or None,
            "flag": row["flag"] or None,
            "shown": [outputs[place] for place in row["shown"]],
            "guidelines_version": row["guidelines_version"],
            "protocol_version": row["protocol_version"],
            "opened_at": time_text(row["opened_at"]),
            "submitted_at": time_text(row["submitted_at"]),
            "seconds": row["seconds"],
            "visible_seconds": row["visible_seconds"],
            "active_seconds": row["active_seconds"],
            "odd_times": are_odd_times(row["seconds"], row["visible_seconds"], row["active_seconds"]) or None,
            "tool_use": row["tool_use"],
            "metadata": row["metadata"],
        }
    )
