"""Packs rows into bytes in the order in which they are to be written.

A pack contains either rows to insert or new values for existing rows. All values are plain, as both databases accept
them: JSON as text, times as `config.bulk_insert.packed_time` writes them.
"""

import io
import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model

from config.bulk_insert import insert_rows

MOST_BYTES = 2 * 1024 * 1024
"""A pack is written in one step; longer ones are split."""


@dataclass(frozen=True)
class Insertion:
    """Rows to insert: one value per column."""

    model: type[Model]
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]

    def write(self, using: str = DEFAULT_DB_ALIAS) -> None:
        insert_rows(self.model, self.columns, self.rows, using)

    def pack(self) -> Iterator[bytes]:
        """Return the insertion in one or more parts."""
        packed = _pack("insert", self.model, tuple(self.columns), [tuple(row) for row in self.rows])
        if len(packed) <= MOST_BYTES or len(self.rows) == 1:
            yield packed
            return
        half = len(self.rows) // 2
        yield from Insertion(self.model, self.columns, self.rows[:half]).pack()
        yield from Insertion(self.model, self.columns, self.rows[half:]).pack()


@dataclass(frozen=True)
class Change:
    """New values for the rows whose `field` is one of `keys`."""

    model: type[Model]
    field: str
    keys: Sequence[int]
    values: Mapping[str, Any]

    def write(self, using: str = DEFAULT_DB_ALIAS) -> None:
        rows = self.model._default_manager.using(using)
        rows.filter(**{f"{self.field}__in": list(self.keys)}).update(**self.values)

    def pack(self) -> Iterator[bytes]:
        yield _pack("change", self.model, self.field, list(self.keys), dict(self.values))


def _pack(kind: str, model: type[Model], *parts: Any) -> bytes:
    return pickle.dumps((kind, model._meta.label, *parts), protocol=5)


class _PlainUnpickler(pickle.Unpickler):
    """Unpickles numbers, texts, lists and the like, and refuses everything that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        raise pickle.UnpicklingError(f"packed rows cannot contain {module}.{name}")


def unpack(packed: bytes) -> Insertion | Change:
    kind, label, *parts = _PlainUnpickler(io.BytesIO(packed)).load()
    made: type[Insertion] | type[Change] = Insertion if kind == "insert" else Change
    return made(apps.get_model(label), *parts)
