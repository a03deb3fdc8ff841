"""Derived tables: what an export also holds, computed from its data. An import ignores their folder.

One module per table binds `TABLE`, a `files.writing.table_list.DerivedTable`, and is found by the registry. What
computes the lines is a dotted name, because web processes load this folder and must not load what computes tables, such
as crowd-kit; `computing/` has it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from annotation.models import Study
from annotation.typed_columns import Column
from config.registry import discover
from files.writing.table_list import DerivedTable

FOLDER = "derived"
"""The folder of an export that derived tables are in."""
Line = dict[str, Any]


def derived_tables() -> tuple[DerivedTable, ...]:
    """All derived tables, by their keys."""
    return tuple(discover("figures.derived", "TABLE").values())


def always(*columns: Column) -> Callable[[Study], Sequence[Column]]:
    """The columns of a table that has the same ones in every study."""
    return lambda study: columns
