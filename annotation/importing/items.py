"""Items and their outputs, from the lines of a file into the database, batch by batch.

Nothing that is there is changed: an item that comes again with the same content is passed over, with other
content it is refused, and outputs that it did not have are added to it.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importing.problems import FieldInvalidError, Problems, quoted
from annotation.models import Item, Output, Study
from annotation.planning import replan_from
from annotation.protocols import Protocol, UnitInvalidError, protocols
from annotation.text import LONGEST_ID, TextRefusedError, check_id
from config.bulk import insert_rows, next_ids
from config.fields import canonical_json

BATCH = 1000
LOOKUP = 500
ITEM_KEYS = frozenset({"id", "document", "instruction", "outputs", "reference", "references", "category", "metadata"})
OUTPUT_KEYS = frozenset({"id", "text", "metadata"})
REFERENCE_KEYS = frozenset({"id", "text", "writer"})
WRITERS = ("human", "model")
ITEM_COLUMNS = (
    "id", "study_id", "key", "document", "instruction", "categories", "references", "metadata", "content", "digest",
)  # fmt: skip
OUTPUT_COLUMNS = ("id", "item_id", "position", "key", "text", "metadata", "digest")


@dataclass(slots=True)
class ReadItem:
    """An item of a file, checked: `columns` from document to content, `outputs` by key (text, metadata, digest)."""

    line: int
    key: str
    columns: tuple[Any, ...]
    digest: str
    outputs: dict[str, tuple[str, str | None, str]]


def digest_of(parts: Iterable[str | None]) -> str:
    """A digest in which neither moving a border between parts nor swapping nothing for empty goes unseen."""
    # No text holds NUL: what reads the files has refused it.
    joined = "\0".join(["-" if part is None else "+" + part for part in parts])
    return hashlib.blake2b(joined.encode(), digest_size=32).hexdigest()


def read_item(line: int, body: Mapping[str, Any], protocol: Protocol) -> ReadItem:
    """A checked item; raises FieldInvalidError, UnitInvalidError."""
    own = protocol.item_keys
    known = (ITEM_KEYS | own) - protocol.foreign_keys if own else ITEM_KEYS
    if not body.keys() <= known:
        unknown = next(key for key in body if key not in known)
        raise FieldInvalidError(quoted(unknown), "is no key of an item")
    key = _id(body.get("id"), "id")
    content = {name: body[name] for name in sorted(own) if body.get(name) is not None}
    protocol.check_content(content)
    columns = (
        _text(body.get("document"), "document"),
        _text(body.get("instruction"), "instruction"),
        _optional(body, "category", _category),
        _references(body),
        _optional(body, "metadata", _metadata),
        canonical_json(content) if content else None,
    )
    return ReadItem(line, key, columns, digest_of(columns), _outputs(body.get("outputs"), protocol))


def _id(value: Any, field: str) -> str:
    # What is plain ASCII needs no look at each character.
    if type(value) is str and value.isascii() and value.isprintable() and 0 < len(value) <= LONGEST_ID:
        return value
    if value is None:
        raise FieldInvalidError(field, "is missing")
    try:
        return check_id(value, field)
    except TextRefusedError as problem:
        raise FieldInvalidError(problem.place, problem.reason) from None


def _text(value: Any, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FieldInvalidError(field, "must be text")
    return value


def _optional(body: Mapping[str, Any], key: str, check: Any) -> str | None:
    value = body.get(key)
    return None if value is None else canonical_json(check(value, key))


def _category(value: Any, field: str) -> Any:
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) and text for text in texts):
        raise FieldInvalidError(field, "must be a text or a list of texts")
    return value


def _metadata(value: Any, field: str) -> Any:
    if not isinstance(value, dict):
        raise FieldInvalidError(field, "must be an object")
    return value


def _references(body: Mapping[str, Any]) -> str | None:
    short, given = body.get("reference"), body.get("references")
    if short is not None:
        if given is not None:
            raise FieldInvalidError("reference", "stands beside references: give one of them")
        given = [{"id": "reference", "text": short, "writer": "human"}]
    if given is None:
        return None
    if not isinstance(given, list):
        raise FieldInvalidError("references", "must be a list")
    seen = set()
    for number, reference in enumerate(given):
        field = f"references.{number}" if short is None else "reference"
        if not isinstance(reference, dict) or not reference.keys() <= REFERENCE_KEYS:
            raise FieldInvalidError(field, "must be an object with id, text and writer")
        key = _id(reference.get("id"), f"{field}.id")
        if key in seen:
            raise FieldInvalidError(f"{field}.id", f"{quoted(key)} stands twice")
        seen.add(key)
        if not isinstance(reference.get("text"), str):
            raise FieldInvalidError(f"{field}.text" if short is None else field, "must be text")
        if reference.get("writer") not in WRITERS:
            raise FieldInvalidError(f"{field}.writer", "must be human or model")
    return canonical_json(given)


def _outputs(value: Any, protocol: Protocol) -> dict[str, tuple[str, str | None, str]]:
    if value is None and not protocol.needs_outputs:
        return {}
    if not isinstance(value, list) or (not value and protocol.needs_outputs):
        raise FieldInvalidError("outputs", "must be a list of at least one output")
    found: dict[str, tuple[str, str | None, str]] = {}
    for number, output in enumerate(value):
        if not isinstance(output, dict):
            raise FieldInvalidError(f"outputs.{number}", "must be an object with id and text")
        if not output.keys() <= OUTPUT_KEYS:
            unknown = next(key for key in output if key not in OUTPUT_KEYS)
            raise FieldInvalidError(f"outputs.{number}.{quoted(unknown)}", "is no key of an output")
        key = _id(output.get("id"), f"outputs.{number}.id")
        if key in found:
            raise FieldInvalidError(f"outputs.{number}.id", f"{quoted(key)} stands twice in this item")
        text = output.get("text")
        if isinstance(text, bool):
            # Tools make a truth value of an output that is nothing but this word: it is read as the word it was.
            text = canonical_json(text)
        if not isinstance(text, str):
            raise FieldInvalidError(f"outputs.{number}.text", "is missing" if text is None else "must be text")
        metadata = _optional(output, "metadata", _metadata)
        found[key] = (text, metadata, digest_of((text, metadata)))
    protocol.check_outputs(found)
    return found


class ItemImport:
    """One file's items on their way into a study; counts what it did."""

    def __init__(self, study: Study, problems: Problems) -> None:
        self.study = study
        self.protocol = protocols()[study.protocol]
        self.problems = problems
        self.items = self.outputs = 0
        self._lines: dict[str, int] = {}
        self._batch: list[ReadItem] = []
        self._has_items = Item.objects.filter(study=study).exists()

    def run(self, objects: Iterable[tuple[int, Mapping[str, Any]]]) -> None:
        """Read and write all items; raises ImportRefusedError with what is wrong."""
        for line, body in objects:
            try:
                item = read_item(line, body, self.protocol)
            except (FieldInvalidError, UnitInvalidError) as problem:
                self.problems.add(line, problem.field, problem.reason)
                continue
            first = self._lines.setdefault(item.key, line)
            if first != line:
                self.problems.add(line, "id", f"{quoted(item.key)} stands in line {first} already")
                continue
            self._batch.append(item)
            if len(self._batch) >= BATCH:
                self._flush()
        self._flush()
        self.problems.refuse_if_any()

    def _flush(self) -> None:
        batch, self._batch = self._batch, []
        known = self._known([item.key for item in batch]) if self._has_items else {}
        new = [item for item in batch if item.key not in known]
        if known:
            self._add_to([item for item in batch if item.key in known], known)
        # After a problem the rest is read for more of them only: nothing of it will stay.
        if new and not self.problems.found:
            self._insert(new)

    def _known(self, keys: list[str]) -> dict[str, tuple[int, str]]:
        found = {}
        for start in range(0, len(keys), LOOKUP):
            rows = Item.objects.filter(study=self.study, key__in=keys[start : start + LOOKUP])
            found.update({key: (pk, digest) for key, pk, digest in rows.values_list("key", "pk", "digest")})
        return found

    def _insert(self, batch: list[ReadItem]) -> None:
        study = self.study.pk
        ids = next_ids(Item, len(batch))
        insert_rows(
            Item,
            ITEM_COLUMNS,
            [(pk, study, item.key, *item.columns, item.digest) for pk, item in zip(ids, batch, strict=True)],
        )
        self.items += len(batch)
        self._insert_outputs(
            [
                (pk, position, key, *output)
                for pk, item in zip(ids, batch, strict=True)
                for position, (key, output) in enumerate(item.outputs.items())
            ]
        )

    def _insert_outputs(self, rows: list[tuple[Any, ...]]) -> None:
        ids = next_ids(Output, len(rows))
        insert_rows(Output, OUTPUT_COLUMNS, [(pk, *row) for pk, row in zip(ids, rows, strict=True)])
        self.outputs += len(rows)

    def _add_to(self, batch: list[ReadItem], known: Mapping[str, tuple[int, str]]) -> None:
        """Compare items that are there with what the file says, and add the outputs that are new."""
        have: dict[int, dict[str, str]] = {pk: {} for pk, _ in known.values()}
        for start in range(0, len(batch), LOOKUP):
            pks = [known[item.key][0] for item in batch[start : start + LOOKUP]]
            for pk, key, digest in Output.objects.filter(item__in=pks).values_list("item", "key", "digest"):
                have[pk][key] = digest
        rows = []
        for item in batch:
            pk, digest = known[item.key]
            if digest != item.digest:
                self.problems.add(item.line, "", f"item {quoted(item.key)} is there with other content, which stays")
                continue
            for key, output in item.outputs.items():
                there = have[pk].get(key)
                if there is None:
                    rows.append((pk, len(have[pk]), key, *output))
                    have[pk][key] = output[2]
                elif there != output[2]:
                    reason = f"output {quoted(key)} of item {quoted(item.key)} is there with other content, which stays"
                    self.problems.add(item.line, "outputs", reason)
        if rows and not self.problems.found:
            self._insert_outputs(rows)
            replan_from(self.study, min(pk for pk, *_ in rows))
