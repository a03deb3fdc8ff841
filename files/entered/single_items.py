"""Adds single items to a study; changes and removes those of a draft with which nobody has worked yet.

An item is evidence as soon as somebody has seen it, so the database refuses to change one. In a draft nobody has: the
change goes by the audited erasure, and what is entered is checked by the code that checks lines of files.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import IntegrityError, transaction

from accounts.audited_erasure import audited_erasure
from accounts.models import Person
from annotation.blinding import is_blind
from annotation.erasing import erase_tasks
from annotation.models import Assignment, Item, Output, Rating, Study, Task
from annotation.protocols import UnitInvalidError
from annotation.studies.locking import lock_study
from annotation.studies.planning import replan_from
from config.bulk_insert import insert_rows
from config.erasure import ErasedRows
from files.import_problems import FieldInvalidError, ImportProblem
from files.reading import ImportRefusedError, ImportResult, add_to_study
from files.reading.dry_run import DryStaging
from files.reading.item_import import ITEM_COLUMNS, OUTPUT_COLUMNS, ReadItem, read_item
from files.reading.study_updates import NoUpdate

FILE = "items.jsonl"
CHANGED, REMOVED = "item changed", "item removed"
NOT_DRAFT = "Only items of a draft can be changed. In this study people may have seen it already."
BLINDED = "This study is blinded, and what is hidden would be lost. Remove the item, and import it again from its file."
IN_USE = "Somebody, or a model, has worked with this item already, so it stays as it is."
TAKEN = "is the id of another item of this study"
COLUMNS = ITEM_COLUMNS[ITEM_COLUMNS.index("document") : ITEM_COLUMNS.index("digest")]
"""Of an item, in the order of `ReadItem.columns`."""
AS_JSON = frozenset({"document_turns", "categories", "references", "gold", "metadata", "content"})


class ItemInUseError(Exception):
    """The item cannot be changed or removed; the message says why."""


def add_item(study: Study, line: Mapping[str, Any], actor: Person, reason: str = "") -> ImportResult:
    """Add the item of a line as in items.jsonl; a locked study needs a `reason`. Raises ImportRefusedError."""
    if Item.objects.filter(study=study, key=line.get("id", "")).exists():
        raise _refusal("id", TAKEN)
    with TemporaryDirectory(prefix="interrater-item-") as folder:
        path = Path(folder) / FILE
        path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        return add_to_study(study, {"items": path}, actor, "page", reason=reason)


def change_item(item: Item, line: Mapping[str, Any], actor: Person) -> None:
    """Give an item of a draft the content of a line; its id and its place among the items stay.

    Raises ImportRefusedError and ItemInUseError.
    """
    read = _read(item.study, {**line, "id": item.key})
    new = {
        name: value if value is None or name not in AS_JSON else json.loads(value)
        for name, value in zip(COLUMNS, read.columns, strict=True)
    }
    rows = [(item.pk, position, key, *output) for position, (key, output) in enumerate(read.outputs.items())]
    try:
        with transaction.atomic():
            if is_blind(_lock_unused(item)):
                raise ItemInUseError(BLINDED)
            with audited_erasure(CHANGED, item.key, actor=actor, study=item.study.slug) as erased:
                _erase_parts(item, erased)
                erased.empty(Item.objects.filter(pk=item.pk), digest=read.digest, **new)
                insert_rows(Output, OUTPUT_COLUMNS[1:], rows)
            replan_from(item.study, item.pk)
    except IntegrityError:
        raise ItemInUseError(IN_USE) from None


def remove_item(item: Item, actor: Person) -> None:
    """Delete an item of a draft. Raises ItemInUseError."""
    try:
        with transaction.atomic():
            _lock_unused(item)
            with audited_erasure(REMOVED, item.key, actor=actor, study=item.study.slug) as erased:
                _erase_parts(item, erased)
                erased.delete(Item.objects.filter(pk=item.pk))
    except IntegrityError:
        raise ItemInUseError(IN_USE) from None


def can_edit(study: Study) -> bool:
    """Whether items of the study may be changed in a form, which shows all that an item says."""
    return can_change(study) and not is_blind(study)


def can_change(study: Study) -> bool:
    """Whether items of the study may be changed, unless somebody has worked with them."""
    return study.status == Study.Status.DRAFT


def _read(study: Study, line: Mapping[str, Any]) -> ReadItem:
    """Return the checked item of a line. Raises ImportRefusedError."""
    with DryStaging() as staging:
        target = NoUpdate(study).preview(staging)
        try:
            read = read_item(1, line, target)
        except (FieldInvalidError, UnitInvalidError) as problem:
            raise _refusal(problem.field, problem.reason) from None
    for number, output in enumerate(read.outputs.values()):
        if output.edited_from and output.edited_from not in read.outputs:
            raise _refusal(f"outputs.{number}.edited_from", "is not an output of this item")
    return read


def _refusal(field: str, reason: str) -> ImportRefusedError:
    return ImportRefusedError([ImportProblem(FILE, 1, field, reason)])


def _lock_unused(item: Item) -> Study:
    """Lock and return the item's study.

    Raises ItemInUseError unless it is a draft in which nobody has worked with the item.
    """
    study = lock_study(item.study_id)
    if not can_change(study):
        raise ItemInUseError(NOT_DRAFT)
    if Rating.objects.filter(item=item).exists() or Assignment.objects.filter(task__item=item).exists():
        raise ItemInUseError(IN_USE)
    return study


def _erase_parts(item: Item, erased: ErasedRows) -> None:
    """Delete the item's tasks and outputs. What else refers to them makes the transaction fail."""
    erase_tasks(Task.objects.filter(item=item), erased)
    erased.delete(Output.objects.filter(item=item))
