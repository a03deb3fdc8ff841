"""Puts what was prepared into the study: an item for each accepted instruction or question, by the ordinary import."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Item, Study
from annotation.protocols import protocols
from annotation.studies.counting import CountOf
from config.text_validation import given
from files.reading import ImportRefusedError, ImportResult, add_to_study
from parts.preparing.deciding import offered_kinds
from parts.preparing.models import PreparationStep, PreparedText, Suggestion
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.step_states import lock_draft

ITEMS = "items.jsonl"
NOTHING_READY = "Nothing is ready. Accept instructions and let models write answers first."
NO_QUESTIONS = "Nothing is ready. Accept questions first."
STILL_RUNNING = "Steps are still running. Wait for their end, or stop them, so that no item is left without an output."
AT_ONCE = 500
MOST_COUNTED = 10_000


@dataclass(frozen=True)
class Readiness:
    """How many accepted suggestions are items, could become items now, and wait for an output."""

    placed: int
    ready: int
    waiting: int
    more_outputs: int
    """Outputs of items that were written after their item was made."""
    items: int
    """The study's items, counted up to MOST_COUNTED + 1."""

    @property
    def items_said(self) -> str:
        return f"more than {MOST_COUNTED}" if self.items > MOST_COUNTED else str(self.items)


def readiness(study: Study) -> Readiness:
    """Return how much of what was accepted is in the study, in one query."""
    accepted = _accepted(study)
    counted = {
        "placed": accepted.exclude(item=None),
        "free": accepted.filter(item=None),
        "ready": _ready(study).filter(item=None),
        "more": _more_outputs(study),
        "items": Item.objects.filter(study=study).order_by()[: MOST_COUNTED + 1],
    }
    found = Study.objects.filter(pk=study.pk).annotate(
        **{f"{name}_count": CountOf(rows.values("pk")) for name, rows in counted.items()}
    )
    placed, free, ready, more, items = found.values_list(*(f"{name}_count" for name in counted)).get()
    return Readiness(placed, ready, free - ready, more, items)


def place_items(study: Study, actor: Person) -> ImportResult:
    """Add items for what is ready, and later outputs to items that exist. Raises PreparationRefusedError."""
    with transaction.atomic():
        lock_draft(study)
    if PreparationStep.objects.filter(study=study, status=PreparationStep.Status.RUNNING).exists():
        raise PreparationRefusedError(STILL_RUNNING)
    found = list(_ready(study).select_related("document").order_by("document", "number"))
    if not found:
        needs_outputs = protocols()[study.protocol].files.needs_outputs
        raise PreparationRefusedError(NOTHING_READY if needs_outputs else NO_QUESTIONS)
    with TemporaryDirectory(prefix="interrater-items-") as folder:
        path = Path(folder) / ITEMS
        with path.open("w", encoding="utf-8") as file:
            for line in _item_lines(study, found):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        try:
            result = add_to_study(study, {"items": path}, actor, "preparing", own_names=True)
        except ImportRefusedError as problem:
            raise PreparationRefusedError(f"The items were refused: {problem.problems[0]}") from None
    _link(study, found)
    _describe_systems(study, actor)
    return result


def _link(study: Study, found: Sequence[Suggestion]) -> None:
    """Note which item each suggestion has become."""
    with transaction.atomic():
        lock_draft(study)
        for start in range(0, len(found), AT_ONCE):
            some = {one.item_key: one for one in found[start : start + AT_ONCE]}
            for key, pk in Item.objects.filter(study=study, key__in=some).values_list("key", "pk"):
                Suggestion.objects.filter(pk=some[key].pk).update(item=pk)


def _describe_systems(study: Study, actor: Person) -> None:
    """Add to the study's systems which model wrote, and whether its prompt was generic; keep what they say already."""
    with transaction.atomic():
        locked = lock_draft(study)
        found: dict[str, dict[str, Any]] = {}
        for step in PreparationStep.objects.filter(study=study).exclude(texts=None).distinct().order_by("number"):
            if step.said("role") == PreparedText.Role.OUTPUT:
                facts = {"model": step.said("model"), **({"generic": True} if step.said("generic") else {})}
                found[step.said("system")] = facts
        new = {key: {**facts, **locked.systems.get(key, {})} for key, facts in found.items()}
        systems = {**locked.systems, **new}
        if systems == locked.systems:
            return
        old, locked.systems = locked.systems, systems
        locked.save(update_fields=["systems"])
        record("study described", locked.slug, actor=actor, study=locked.slug, old={"systems": old}, new={
            "systems": systems,
        })  # fmt: skip


def _accepted(study: Study) -> QuerySet[Suggestion]:
    return Suggestion.objects.filter(study=study, state=Suggestion.State.ACCEPTED, kind__in=offered_kinds(study))


def _ready(study: Study) -> QuerySet[Suggestion]:
    if not protocols()[study.protocol].files.needs_outputs:
        return _accepted(study)
    outputs = PreparedText.objects.filter(suggestion=OuterRef("pk"), role=PreparedText.Role.OUTPUT)
    return _accepted(study).filter(Exists(outputs))


def _more_outputs(study: Study) -> QuerySet[PreparedText]:
    """Return outputs whose item exists without them."""
    outputs = PreparedText.objects.filter(study=study, role=PreparedText.Role.OUTPUT, suggestion__item__isnull=False)
    there = Item.objects.filter(pk=OuterRef("suggestion__item"), outputs__key=OuterRef("key"))
    return outputs.exclude(Exists(there))


def _item_lines(study: Study, found: Sequence[Suggestion]) -> Iterator[dict[str, Any]]:
    files = protocols()[study.protocol].files
    for start in range(0, len(found), AT_ONCE):
        some = found[start : start + AT_ONCE]
        texts: dict[int, list[PreparedText]] = {one.pk: [] for one in some}
        for text in PreparedText.objects.filter(suggestion__in=some).select_related("edited_from").order_by("pk"):
            texts[text.suggestion_id].append(text)
        for one in some:
            if files.needs_outputs:
                yield _item_with_outputs(one, texts[one.pk])
            else:
                content = one.document.content or {}
                content = {name: content[name] for name in sorted(files.item_keys) if name in content}
                yield {"id": one.item_key, **content, "question": one.text, **_about(one, has_source=False)}


def _item_with_outputs(one: Suggestion, texts: Sequence[PreparedText]) -> dict[str, Any]:
    references = [
        {"id": text.key, "text": text.text, "writer": text.writer}
        for text in texts
        if text.role == PreparedText.Role.REFERENCE
    ]
    return {
        "id": one.item_key,
        "document": one.document.text,
        "instruction": one.text,
        "outputs": [_output(text) for text in texts if text.role == PreparedText.Role.OUTPUT],
        **({"references": references} if references else {}),
        **_about(one),
    }


def _output(text: PreparedText) -> dict[str, Any]:
    edited_from = None if text.edited_from is None else text.edited_from.key
    return given({"id": text.key, "text": text.text, "edited_from": edited_from, "writer": text.writer})


def _about(one: Suggestion, has_source: bool = True) -> dict[str, Any]:
    """Return kinds, source and document of an item; without a key of its own, the source is in the metadata."""
    source = one.document.source or None
    return given(
        {
            "source": source if has_source else None,
            "category": one.kinds or None,
            "metadata": given({"document": one.document.key, "source": None if has_source else source}),
        }
    )
