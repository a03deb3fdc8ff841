"""A study's items, outputs and raters, as the readers of ratings need them."""

import json
from collections.abc import Hashable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from django.db.models import QuerySet
from numpy.typing import NDArray

from agreement.text_lengths import count_words
from annotation.blinding import Names, names_of
from annotation.models import Output, Rater, Study
from annotation.pools import OF_COUNTED, main_items
from reports.figures.rows import CHUNK

Ints = NDArray[np.int64]


class RatedItems:
    """A study's items, outputs and raters, each read once, on first use.

    An item's code is its position among the items of the main pool, so that the data of several questions can be
    restricted to the same items.
    """

    def __init__(self, study: Study) -> None:
        self.study = study

    @cached_property
    def items(self) -> Ints:
        """The items' primary keys in the order of import."""
        keys = main_items(self.study).order_by("pk").values_list("pk", flat=True)
        return np.fromiter(keys.iterator(chunk_size=CHUNK), dtype=np.int64)

    def codes(self, items: Iterable[int] | Ints) -> Ints:
        """The codes of items by their primary keys."""
        keys = items if isinstance(items, np.ndarray) else np.fromiter(items, dtype=np.int64)
        return np.searchsorted(self.items, keys).astype(np.int64)

    @cached_property
    def categories(self) -> list[list[str]]:
        """The names of each item's categories, by its code."""
        given = main_items(self.study).order_by("pk").values_list("categories", flat=True)
        return [_listed(one) for one in given.iterator(chunk_size=CHUNK)]

    @cached_property
    def raters(self) -> dict[int, str]:
        return dict(Rater.objects.filter(study=self.study).values_list("pk", "name"))

    @cached_property
    def names(self) -> Names:
        """How systems are called."""
        return names_of(self.study)

    def read(self, text: str) -> Any:
        """A list of outputs, or a value that ranks, chooses or names some, with systems called as they are shown."""
        found = json.loads(text)
        if isinstance(found, list):
            return self.names.listed(found)
        return self.names.value("rank" if isinstance(found, dict) else "choice", found)

    @cached_property
    def systems(self) -> dict[int, str]:
        """The systems that wrote the outputs, as they are shown, by the outputs' primary keys."""
        shown, outputs = self.names.shown, self._outputs().values_list("pk", "key")
        return {pk: shown(key) for pk, key in outputs.iterator(chunk_size=CHUNK)}

    @cached_property
    def items_of_outputs(self) -> dict[int, int]:
        """The primary keys of the outputs' items, by the outputs' own, in the order of `systems`."""
        outputs = dict(self._outputs().values_list("pk", "item_id").iterator(chunk_size=CHUNK))
        return {pk: outputs[pk] for pk in self.systems}

    @cached_property
    def systems_of_items(self) -> dict[int, list[str]]:
        """The systems that wrote the outputs of each item, by its primary key."""
        found: dict[int, list[str]] = {}
        for pk, item in self.items_of_outputs.items():
            found.setdefault(item, []).append(self.systems[pk])
        return found

    @cached_property
    def words(self) -> dict[tuple[Hashable, str], float]:
        """The number of words of each output, by item and system."""
        texts = self._outputs().values_list("item_id", "key", "text").iterator(chunk_size=CHUNK)
        return {(item, self.names.shown(key)): count_words(text) for item, key, text in texts}

    def _outputs(self) -> QuerySet[Output]:
        """The outputs of the items, in no order."""
        return Output.objects.filter(item__study=self.study, **OF_COUNTED).order_by()


def _listed(categories: Any) -> list[str]:
    return [categories] if isinstance(categories, str) else list(categories or [])
