"""Imports items and their outputs from the lines of a file.

Existing rows are never changed. If an item is repeated with the same content, its new outputs are added; if the content
differs, it is refused.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.answers import Sheet
from annotation.conversations import TurnsInvalidError, text_and_places
from annotation.models import Item, Output
from annotation.pools import MAIN, pools
from annotation.protocols import Protocol
from annotation.studies.secret_seeds import mixed
from config.bulk_insert import packed_time
from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError, FileProblems, quoted, unknown
from files.reading import line_fields
from files.reading.gold_answers import checked_feedback, checked_gold, named_gold
from files.reading.item_places import read_places
from files.reading.item_references import WRITERS, read_references
from files.reading.line_fields import identifier
from files.reading.line_import import LineImport, LineTally
from files.reading.system_codes import HIDDEN, SystemCodes
from files.reading.target import ImportTarget

LOOKUP = 500
ITEM_KEYS = frozenset({
    "id", "document", "instruction", "source", "outputs", "reference", "references", "category", "set", "pool", "gold",
    "feedback", "metadata", "priority", "withdrawn", "places",
})  # fmt: skip
OUTPUT_KEYS = frozenset({"id", "text", "edited_from", "writer", "metadata"})
ITEM_COLUMNS = (
    "id", "study_id", "key", "document", "document_turns", "instruction", "source", "categories", "references", "set",
    "pool", "gold", "feedback", "metadata", "content", "digest", "priority", "withdrawn_at",
    "withdrawn_reason", "places",
)  # fmt: skip
OUTPUT_COLUMNS = ("id", "item_id", "position", "key", "text", "turns", "edited_from", "writer", "metadata", "digest")


class ReadOutput(NamedTuple):
    """A checked output; `edited_from` and `writer` are empty if absent."""

    text: str
    turns: str | None
    edited_from: str
    writer: str
    metadata: str | None
    digest: str


@dataclass(slots=True)
class ReadItem:
    """A checked item: `columns` from document to content, its outputs by key, and what researchers did with it.

    `steered` is its priority, when and why it was withdrawn, and its places. That is no content: it changes no digest,
    and imports never change it of an item that exists.
    """

    line: int
    key: str
    columns: tuple[Any, ...]
    digest: str
    outputs: dict[str, ReadOutput]
    steered: tuple[int, str | None, str, str | None]


def digest_of(parts: Iterable[str | None]) -> str:
    """Return a digest that also depends on where one part ends and on whether a part is absent or empty."""
    # No part contains NUL: the reader of lines refuses it.
    joined = "\0".join(["-" if part is None else "+" + part for part in parts])
    return hashlib.blake2b(joined.encode(), digest_size=32).hexdigest()


def read_item(line: int, body: Mapping[str, Any], target: ImportTarget) -> ReadItem:
    """Return a checked item. Raises FieldInvalidError or UnitInvalidError."""
    protocol = target.protocol
    own = protocol.files.item_keys
    known = (ITEM_KEYS | own) - protocol.files.unused_item_keys if own else ITEM_KEYS
    if not body.keys() <= known:
        strange = next(key for key in body if key not in known)
        raise FieldInvalidError(quoted(strange), unknown("key", strange, known))
    key = identifier(body.get("id"), "id")
    content = {name: body[name] for name in sorted(own) if body.get(name) is not None}
    protocol.files.check_content(content)
    outputs = _outputs(body.get("outputs"), protocol)
    _check_codes(outputs, target.codes)
    document, turns = _said(body.get("document", ""), "document")
    sheet = Sheet.of(list(outputs), [output.text for output in outputs.values()], document)
    gold = named_gold(checked_gold(body, sheet, target), target)
    columns = (
        document,
        turns,
        _text(body.get("instruction"), "instruction"),
        _text(body.get("source"), "source"),
        _optional(body, "category", _category),
        read_references(body),
        _one_of(body.get("set"), "set", Item.Set.values, ""),
        _one_of(body.get("pool"), "pool", tuple(pools()), MAIN),
        canonical_json(gold) if gold else None,
        checked_feedback(body),
        _optional(body, "metadata", _metadata),
        canonical_json(content) if content else None,
    )
    steered = (_priority(body), *_withdrawn(body), read_places(body, outputs, target.codes))
    return ReadItem(line, key, columns, digest_of(columns), outputs, steered)


def _check_codes(outputs: Mapping[str, ReadOutput], codes: SystemCodes) -> None:
    """Raise FieldInvalidError for an output that no file may name so, or that says what a blinded study hides."""
    for number, (key, output) in enumerate(outputs.items()):
        why = codes.lacks(key)
        if why is not None:
            raise FieldInvalidError(f"outputs.{number}.id", why)
        if codes.are_used and output.metadata is not None:
            raise FieldInvalidError(f"outputs.{number}.metadata", HIDDEN)


def _said(value: Any, field: str) -> tuple[str, str | None]:
    """Return a document's or output's text and, for a conversation, the places of its turns as JSON."""
    try:
        text, places = text_and_places("" if value is None else value)
    except TurnsInvalidError as problem:
        raise FieldInvalidError(f"{field}{problem.place}", str(problem)) from None
    return text, None if places is None else canonical_json(places)


def _text(value: Any, field: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise FieldInvalidError(field, "must be text")
    return value


def _optional(body: Mapping[str, Any], key: str, check: Any) -> str | None:
    value = body.get(key)
    return None if value is None else canonical_json(check(value, key))


def _one_of(value: Any, field: str, known: Sequence[str], default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str) or value not in known:
        raise FieldInvalidError(field, f"must be one of {', '.join(known)}, not {quoted(value)}")
    return value


def _category(value: Any, field: str) -> Any:
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) and text for text in texts):
        raise FieldInvalidError(field, "must be a text or a list of texts")
    return value


def _metadata(value: Any, field: str) -> Any:
    if not isinstance(value, dict):
        raise FieldInvalidError(field, "must be an object")
    return value


def _priority(body: Mapping[str, Any]) -> int:
    named = {one.name.lower(): one.value for one in Item.Priority}
    return named[_one_of(body.get("priority"), "priority", list(named), Item.Priority.ORDINARY.name.lower())]


def _withdrawn(body: Mapping[str, Any]) -> tuple[str | None, str]:
    given = line_fields.mapping(body, "withdrawn")
    if given is None:
        return None, ""
    try:
        line_fields.only(given, frozenset({"at", "reason"}))
        at, reason = line_fields.moment(given, "at"), line_fields.text(given, "reason")
    except FieldInvalidError as problem:
        raise FieldInvalidError(f"withdrawn.{problem.field}", problem.reason) from None
    if at is None or not reason:
        raise FieldInvalidError(f"withdrawn.{'at' if at is None else 'reason'}", "is missing")
    return packed_time(at), reason


def _outputs(value: Any, protocol: Protocol) -> dict[str, ReadOutput]:
    if value is None and not protocol.files.needs_outputs:
        return {}
    if not isinstance(value, list) or (not value and protocol.files.needs_outputs):
        raise FieldInvalidError("outputs", "must be a list of at least one output")
    found: dict[str, ReadOutput] = {}
    for number, output in enumerate(value):
        if not isinstance(output, dict):
            raise FieldInvalidError(f"outputs.{number}", "must be an object with id and text")
        if not output.keys() <= OUTPUT_KEYS:
            strange = next(key for key in output if key not in OUTPUT_KEYS)
            raise FieldInvalidError(f"outputs.{number}.{quoted(strange)}", unknown("key", strange, OUTPUT_KEYS))
        key = identifier(output.get("id"), f"outputs.{number}.id")
        if key in found:
            raise FieldInvalidError(f"outputs.{number}.id", f"{quoted(key)} appears twice in this item")
        if output.get("text") is None:
            raise FieldInvalidError(f"outputs.{number}.text", "is missing")
        text, turns = _said(output["text"], f"outputs.{number}.text")
        writer = _one_of(output.get("writer"), f"outputs.{number}.writer", WRITERS, "")
        edited_from = _source(output.get("edited_from"), f"outputs.{number}.edited_from", key)
        columns = (text, turns, edited_from, writer, _optional(output, "metadata", _metadata))
        found[key] = ReadOutput(*columns, digest_of(columns))
    protocol.check_outputs(found)
    _refuse_cycles(found)
    return found


def _source(value: Any, field: str, key: str) -> str:
    """Return the id of the output that output `key` was edited from; whether it exists is checked later."""
    if value is None:
        return ""
    source = identifier(value, field)
    if source == key:
        raise FieldInvalidError(field, "names the output itself")
    return source


def _refuse_cycles(outputs: Mapping[str, ReadOutput]) -> None:
    """Raise FieldInvalidError for an output that was edited, through others, from itself."""
    ends: set[str] = set()
    for key in outputs:
        way, source = {key}, outputs[key].edited_from
        while source in outputs and source not in ends:
            if source in way:
                raise FieldInvalidError(f"outputs.{[*outputs].index(source)}.edited_from", "leads back to the output")
            way.add(source)
            source = outputs[source].edited_from
        ends |= way


class ItemImport(LineImport[ReadItem]):
    """Imports the items of one file."""

    batch_size = 1000

    def __init__(self, target: ImportTarget, problems: FileProblems) -> None:
        super().__init__(target, problems)
        self.codes = target.codes
        self.outputs = 0
        self.first_extended: int | None = None
        """The lowest primary key of an item that got more outputs."""
        self._counts: Counter[str] = Counter()
        self._changed: set[int] = set()
        """The lines whose item or output exists with other content."""
        self._lines: dict[str, int] = {}
        self._study_has_items = not self.staging.replaces_items and Item.objects.filter(study=self.study).exists()

    def read(self, line: int, body: Mapping[str, Any]) -> ReadItem:
        item = read_item(line, body, self.target)
        first = self._lines.setdefault(item.key, line)
        if first != line:
            raise FieldInvalidError("id", f"{quoted(item.key)} is already in line {first}")
        return item

    def stage(self, batch: list[ReadItem]) -> None:
        known = self._known([item.key for item in batch]) if self._study_has_items else {}
        new = [item for item in batch if item.key not in known]
        for item in new:
            self._note_strange_sources(item, item.outputs)
        extended = set()
        if known:
            extended = self._stage_more_outputs([item for item in batch if item.key in known], known)
        if new and not self.problems.found:
            self._stage_items(new)
        for item in batch:
            if item.line not in self.problems.lines:
                pk, _ = known.get(item.key, (None, ""))
                self._counts["new" if pk is None else "extended" if pk in extended else "equal"] += 1

    def tally(self) -> LineTally:
        counts = self._counts
        refused = len(self.problems.lines)
        return LineTally(counts["new"], counts["equal"], counts["extended"], len(self._changed), refused)

    def _known(self, keys: list[str]) -> dict[str, tuple[int, str]]:
        found = {}
        for start in range(0, len(keys), LOOKUP):
            rows = Item.objects.filter(study=self.study, key__in=keys[start : start + LOOKUP])
            found.update({key: (pk, digest) for key, pk, digest in rows.values_list("key", "pk", "digest")})
        return found

    def _stage_items(self, batch: list[ReadItem]) -> None:
        study, ids = self.study.pk, self.staging.next_ids(Item, len(batch))
        numbered = list(zip(ids, batch, strict=True))
        self.staging.insert(
            Item,
            ITEM_COLUMNS,
            [(pk, study, item.key, *item.columns, item.digest, *item.steered) for pk, item in numbered],
        )
        self.added += len(batch)
        self._stage_outputs(
            [
                (pk, position, key, output)
                for pk, item in numbered
                for position, (key, output) in enumerate(item.outputs.items())
            ]
        )

    def _outputs_of(self, items: list[int]) -> Iterator[tuple[int, str, str]]:
        """The outputs of items: the item, what the file would call it, and the digest that it would have there."""
        found = Output.objects.filter(item__in=items)
        if not self.codes.are_used:
            yield from found.values_list("item", "key", "digest")
            return
        for item, key, text, turns, source, writer in found.values_list(
            "item", "key", "text", "turns", "edited_from", "writer"
        ):
            told = (text, None if turns is None else canonical_json(turns), self.codes.shown(source), writer, None)
            yield item, self.codes.shown(key), digest_of(told)  # metadata is hidden, and files cannot say it

    def _note_strange_sources(self, item: ReadItem, known: Collection[str]) -> None:
        """Note the outputs that were edited from an output that the item does not have."""
        for number, output in enumerate(item.outputs.values()):
            if output.edited_from and output.edited_from not in known:
                reason = f"{quoted(output.edited_from)} is not an output of this item"
                self.problems.add(item.line, f"outputs.{number}.edited_from", reason)

    def _stage_outputs(self, rows: list[tuple[int, int, str, ReadOutput]]) -> None:
        """Stage outputs of items (primary keys), each with its place in the item and what the file calls it."""
        named = [(item, key) for item, _, key, _ in rows]
        ids = mixed(self.study, "outputs", self.staging.next_ids(Output, len(rows)), named)
        self.staging.insert(
            Output,
            OUTPUT_COLUMNS,
            [
                (pk, item, position, self.codes.named(key), *self._named(output))
                for pk, (item, position, key, output) in zip(ids, rows, strict=True)
            ],
        )
        self.outputs += len(rows)

    def _named(self, output: ReadOutput) -> ReadOutput:
        """An output that was edited from another one as it is stored: with that one's own name."""
        if not self.codes.are_used or not output.edited_from:
            return output
        named = output._replace(edited_from=self.codes.named(output.edited_from))
        return named._replace(digest=digest_of(named[:-1]))

    def _stage_more_outputs(self, batch: list[ReadItem], known: Mapping[str, tuple[int, str]]) -> set[int]:
        """Compare existing items with the file and stage their new outputs; return the items that get some."""
        have: dict[int, dict[str, str]] = {pk: {} for pk, _ in known.values()}
        for start in range(0, len(batch), LOOKUP):
            pks = [known[item.key][0] for item in batch[start : start + LOOKUP]]
            for pk, key, digest in self._outputs_of(pks):
                have[pk][key] = digest
        rows: list[tuple[int, int, str, ReadOutput]] = []
        for item in batch:
            pk, digest = known[item.key]
            if digest != item.digest:
                self._changed.add(item.line)
                self.problems.add(item.line, "id", f"{quoted(item.key)} already exists with different content")
                continue
            self._note_strange_sources(item, {**have[pk], **item.outputs})
            for key, output in item.outputs.items():
                existing = have[pk].get(key)
                if existing is None:
                    rows.append((pk, len(have[pk]), key, output))
                    have[pk][key] = output.digest
                elif existing != output.digest:
                    self._changed.add(item.line)
                    about = f"{quoted(key)} of item {quoted(item.key)}"
                    self.problems.add(item.line, "outputs", f"{about} already exists with different content")
        if rows and not self.problems.found:
            self._stage_outputs(rows)
            first = min(pk for pk, *_ in rows)
            self.first_extended = first if self.first_extended is None else min(first, self.first_extended)
        return {pk for pk, *_ in rows}
