"""The tables of an export: what a row of each is, its typed columns, and its lines.

Tables of the study's own data come first; an import reads them again. A *derived* table follows from them: its file is
in a folder inside the export, and an import ignores it. A module of the folder `reports/derived` adds one by binding
`TABLE` to a `DerivedTable`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.module_loading import import_string

from annotation.models import Study
from annotation.typed_columns import Column
from config.registry import discover
from reports.exporting.file_writers import Chunk

Line = dict[str, Any]


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


def derived_tables() -> tuple[DerivedTable, ...]:
    """All derived tables of `reports/derived`, by their keys."""
    return tuple(discover("derived", "TABLE").values())


def computed_by(name: str) -> Callable[[Study], Iterator[Line]]:
    """The lines that the function with this dotted name yields; it is imported when they are asked for."""
    return partial(_lines, name)


def _lines(name: str, study: Study) -> Iterator[Line]:
    lines: Callable[[Study], Iterator[Line]] = import_string(name)
    yield from lines(study)
