"""The tables of an export: what a row of each is, its columns, and its rows.

Tables of the study's own data come first (`own_tables.py`); an import reads them again. A *derived* table follows from
them, and an import ignores it: the wide tables, and those among `ComputedFiles`. Large tables come as batches
(`column_batches.py`), all others as lines, the objects that JSONL has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.module_loading import import_string

from annotation.blinding import names_of, systems_of
from annotation.models import Study
from annotation.protocols import Protocol, protocol_of
from annotation.typed_columns import Column
from files.tables.typed_tables import TypedTable
from files.writing.column_batches import ColumnBatch, batches_of

Line = dict[str, Any]
ONLY_SESSIONS = frozenset({"question", "documents"})
UNIT_KEYS = frozenset({"output", "outputs", "session", "turn"})
"""The columns of ratings that name units of some protocol."""


def _same(batch: ColumnBatch) -> ColumnBatch:
    return batch


@dataclass(frozen=True)
class TableRows:
    """A table of one study: its columns, and what yields its rows, as often as it is called."""

    key: str
    about: str
    columns: Sequence[Column]
    batches: Callable[[], Iterator[ColumnBatch]]
    lines: Callable[[], Iterator[Line]] | None = None
    """The same as objects whose JSON is that of JSONL, if the table is not large."""
    row_of: Callable[[Line], Line] = dict
    """What makes a row, a value per column, of a line."""
    made_of: TableRows | None = None
    make: Callable[[ColumnBatch], ColumnBatch] = _same
    """What makes a batch of one of the table that this one is made of."""

    @classmethod
    def of_lines(
        cls, key: str, about: str, columns: Sequence[Column], lines: Callable[[], Iterator[Line]],
        row_of: Callable[[Line], Line] = dict,
    ) -> TableRows:  # fmt: skip
        """Return a table that is not large."""
        return cls(key, about, columns, lambda: batches_of(columns, map(row_of, lines())), lines, row_of)


@dataclass(frozen=True)
class StudyTable:
    """A table of the study's own data."""

    key: str
    about: str
    typed: TypedTable
    lines: Callable[[Study], Iterator[Line]] | None = None
    exists: Callable[[Study], bool] | None = None
    """Whether the study has any rows; without it, the table is looked through for some."""
    naming: frozenset[str] = frozenset()
    """The keys of lines under which systems are named that the lines do not already call as they are shown."""
    batches: Callable[[Study, TypedTable], Iterator[ColumnBatch]] | None = None
    """The rows of a large table, which has no lines. They call systems as the people who run the study see them."""
    counts: Callable[[Study], Mapping[str, Any]] | None = None
    """What the manifest counts in studies that have rows, besides items, answers and guidelines."""
    place: int = 4
    """Where the table is described among the others, which come in the order of their places."""

    def shown_lines(self, study: Study) -> Iterator[Line]:
        """The lines, with systems called as the people who run the study see them."""
        lines, names = self.lines(study) if self.lines else iter(()), names_of(study)
        if not self.naming or not names.are_codes:
            return lines
        systems = systems_of(study)
        return (names.beneath(line, self.naming, systems) for line in lines)

    def rows(self, study: Study) -> TableRows:
        """The table's rows."""
        typed = self.typed_for(study)
        if self.batches is not None:
            return TableRows(self.key, self.about, typed.columns, partial(self.batches, study, typed))
        return TableRows.of_lines(self.key, self.about, typed.columns, partial(self.shown_lines, study), typed.row_of)

    def typed_for(self, study: Study) -> TypedTable:
        """The columns that the study's protocol uses."""
        return _of_protocol(self.key, self.typed, protocol_of(study))


def _of_protocol(key: str, typed: TypedTable, protocol: Protocol) -> TypedTable:
    """Return a table with the columns that studies of the protocol use, and no others."""
    files = protocol.files
    if key == "items":
        unused = files.unused_item_keys | (ONLY_SESSIONS - files.item_keys)
        return typed.with_columns(files.item_keys, "question").without(unused | {f"{name}_turns" for name in unused})
    if key in ("ratings", "scores"):
        used = protocol.unit_keys | (protocol.machine_unit_keys if key == "scores" else frozenset())
        unused = UNIT_KEYS - used | (frozenset() if files.ratings_name_items else {"item"})
        return typed.with_columns(used, "turn").without(unused)
    return typed


DERIVED = "derived"
"""The folder of an export with tables of parts and reports."""


@dataclass(frozen=True)
class DerivedTable:
    """A table that follows from the study's data.

    Its file is `key` with the format's suffix, such as `pairs/overall` in the folder `pairs`. Lines have the names of
    the columns as keys and no absent values; rankings are as `typed_columns.as_ranking` returns them, other values as
    JSONL has them. They call systems as `annotation.blinding` shows them to researchers. `columns` may depend on the
    study, `lines` must not grow in memory with it.
    """

    key: str
    about: str
    """What one row is, for the dataset card."""
    columns: Callable[[Study], Sequence[Column]]
    lines: Callable[[Study], Iterator[Line]]
    report: str = ""
    """The kind of report, without choices, from which `lines` takes what takes longest; an export keeps it first."""

    def rows(self, study: Study) -> TableRows:
        """The table's rows."""
        return TableRows.of_lines(self.key, self.about, tuple(self.columns(study)), partial(self.lines, study))


@dataclass(frozen=True)
class ComputedFiles:
    """What an export holds beside the study's data because it follows from them; call it in the export's snapshot."""

    tables: Sequence[DerivedTable] = ()
    texts: Callable[[Study], Iterable[tuple[str, str]]] = lambda study: ()
    """Yields the name and the text of each other file."""
    agreement: Callable[[Study], Sequence[Mapping[str, Any]]] = lambda study: ()
    """What the card states of people's agreement: `question` and `figures` of each question."""


NOTHING_COMPUTED = ComputedFiles()


def computed_by(name: str) -> Callable[[Study], Iterator[Line]]:
    """The lines that the function with this dotted name yields; it is imported when they are asked for."""
    return partial(_lines, name)


def _lines(name: str, study: Study) -> Iterator[Line]:
    lines: Callable[[Study], Iterator[Line]] = import_string(name)
    yield from lines(study)
