"""The tables of an export: what a row of each is, its typed columns, and its lines.

Tables of the study's own data come first (`own_tables.py`); an import reads them again. A *derived* table follows from
them, and an import ignores it: the wide tables, and those of parts among `ComputedFiles`.
"""

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
from files.writing.file_writers import Chunk, json_chunks

Line = dict[str, Any]
ONLY_SESSIONS = frozenset({"question", "documents"})
UNIT_KEYS = frozenset({"output", "outputs", "session", "turn"})
"""The columns of ratings that name units of some protocol."""


@dataclass(frozen=True)
class StudyTable:
    """A table of the study's own data."""

    key: str
    about: str
    typed: TypedTable
    lines: Callable[[Study], Iterator[Line]]
    exists: Callable[[Study], bool] | None = None
    """Whether the study has any rows; without it, the table is looked through for some."""
    naming: frozenset[str] = frozenset()
    """The keys of lines under which systems are named that the lines do not already call as they are shown."""
    chunks: Callable[[Study], Iterator[Chunk]] | None = None
    """The lines of JSONL, if they can be had faster than from objects; of studies that are not blinded."""
    counts: Callable[[Study], Mapping[str, Any]] | None = None
    """What the manifest counts in studies that have rows, besides items, answers and guidelines."""
    place: int = 4
    """Where the table is described among the others, which come in the order of their places."""

    def shown_lines(self, study: Study) -> Iterator[Line]:
        """The lines, with systems called as the people who run the study see them."""
        names = names_of(study)
        if not self.naming or not names.are_codes:
            return self.lines(study)
        systems = systems_of(study)
        return (names.beneath(line, self.naming, systems) for line in self.lines(study))

    def json_chunks(self, study: Study) -> Iterator[Chunk]:
        """The lines of JSONL, with systems called as the people who run the study see them."""
        if self.chunks is not None and not names_of(study).are_codes:
            return self.chunks(study)
        return json_chunks(self.shown_lines(study))

    def typed_for(self, study: Study) -> TypedTable:
        """The columns that the study's protocol uses."""
        return _of_protocol(self.key, self.typed, protocol_of(study))


def _of_protocol(key: str, typed: TypedTable, protocol: Protocol) -> TypedTable:
    """Return a table with the columns that studies of the protocol use, and no others."""
    files = protocol.files
    if key == "items":
        unused = files.unused_item_keys | (ONLY_SESSIONS - files.item_keys)
        return typed.with_columns(files.item_keys).without(unused | {f"{name}_turns" for name in unused})
    if key in ("ratings", "scores"):
        used = protocol.unit_keys | (protocol.machine_unit_keys if key == "scores" else frozenset())
        unused = UNIT_KEYS - used | (frozenset() if files.ratings_name_items else {"item"})
        return typed.with_columns(used).without(unused)
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
    chunks: Callable[[Study], Iterator[Chunk]] | None = None
    """The lines of JSONL, if they can be had faster than from objects; of studies that are not blinded."""
    report: str = ""
    """The kind of report, without choices, from which `lines` takes what takes longest; an export keeps it first."""


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
