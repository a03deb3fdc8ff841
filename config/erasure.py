"""The only way past the triggers that keep evidence: an erasure, open within one transaction.

An open erasure is a row of `Erasure` whose `open` points at no row. The triggers check whether there is one. Other
connections never see it, because its transaction is not committed; and it cannot be committed, because both databases
check the foreign key `open` at the end of a transaction. If it is not closed, the commit fails and nothing is deleted.

Only modules that erase on request use this, through `accounts.audited_erasure`, which also writes the audit entry.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from config.models import Erasure

NO_ROW = 0


class ErasedRows:
    """What one open erasure deletes and empties, counted by table."""

    def __init__(self, erasure: Erasure) -> None:
        self.erasure = erasure
        self.counts: Counter[str] = Counter()

    def delete(self, rows: QuerySet[Any]) -> int:
        """Delete `rows` in one statement. The database checks at the end that nothing refers to them any more."""
        return self._count("deleted", rows, rows.order_by()._raw_delete(rows.db))

    def empty(self, rows: QuerySet[Any], **values: Any) -> int:
        """Write `values` into `rows`, which are kept."""
        return self._count("emptied", rows, rows.order_by().update(**values))

    def _count(self, what: str, rows: QuerySet[Any], count: int) -> int:
        if count:
            self.counts[f"{what} {rows.model._meta.label}"] += count
        return count


@contextmanager
def open_erasure(scope: str) -> Iterator[ErasedRows]:
    """Let this transaction change and delete frozen rows until the block ends; `scope` says what is erased, by ids.

    The block erases through the object that it gets, whose counts stay with the erasure.
    """
    with transaction.atomic():
        erased = ErasedRows(Erasure.objects.create(scope=scope, open_id=NO_ROW))
        yield erased
        counts: Mapping[str, int] = dict(sorted(erased.counts.items()))
        Erasure.objects.filter(pk=erased.erasure.pk).update(open=None, counts=counts)
