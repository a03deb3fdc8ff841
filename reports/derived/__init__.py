"""Derived tables: what an export also holds, computed from its data. An import ignores their folder.

One module per table binds `TABLE`, a `reports.exporting.table_list.DerivedTable`, and is found by the registry. What
computes the lines is a dotted name, because web processes load this folder and must not load what computes tables, such
as crowd-kit; `computing/` has it.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from django.utils.module_loading import import_string

from annotation.models import Study
from annotation.typed_columns import Column

FOLDER = "derived"
"""The folder of an export that derived tables are in."""
Line = dict[str, Any]


def always(*columns: Column) -> Callable[[Study], Sequence[Column]]:
    """The columns of a table that has the same ones in every study."""
    return lambda study: columns


def computed_by(name: str) -> Callable[[Study], Iterator[Line]]:
    """The lines that the function with this dotted name yields; it is imported when they are asked for."""
    return partial(_lines, name)


def _lines(name: str, study: Study) -> Iterator[Line]:
    lines: Callable[[Study], Iterator[Line]] = import_string(name)
    yield from lines(study)
