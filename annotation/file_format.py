"""What the files of a study hold that only its protocol knows: keys of items, tables, the way ratings name items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.answers import Unit
    from annotation.models import Study


RowReader = Callable[..., Iterable[tuple[Any, ...]]]
"""Returns the values of these fields of a query set's rows, with those that an import has not written yet."""


class FileFormat:
    """The files of a study whose items have a document and outputs, and whose ratings name their items.

    A protocol with other files has a subclass of it as its `files`. Instances hold no state.
    """

    item_keys: frozenset[str] = frozenset()
    """Keys of an item's line that only this protocol has; kept as `Item.content`."""
    unused_item_keys: frozenset[str] = frozenset()
    """Keys of other protocols' item lines that have no meaning here and are refused."""
    needs_outputs = True
    """Whether every item comes with at least one output."""
    ratings_name_items = True
    """Whether a rating's line names its item; if not, `find_items` finds it."""
    importers: Mapping[str, str] = {}
    """Tables that only studies of this protocol have: dotted names of their importers (`TableImport`), by table."""

    def check_content(self, content: Mapping[str, Any]) -> None:
        """Raise UnitInvalidError if the values of an item's `item_keys` do not fit."""

    def find_items(self, study: Study, read: RowReader, units: Iterable[Unit]) -> Mapping[Unit, str]:
        """Return the keys of the items that `units` belong to, if they exist in the study or are being imported."""
        return {}
