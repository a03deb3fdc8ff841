"""Looks up the items and outputs that imported judgments name, in batches, and keeps them for later batches."""

from collections.abc import Iterable

from annotation.answers import Sheet
from annotation.models import Item, Output, Study
from files.reading.staging import Staging
from files.reading.system_codes import SystemCodes

LOOKUP = 500
MOST_KEPT = 20_000


class ItemLookup:
    """A study's items by key, each as (primary key, {output key: primary key} in file order).

    Includes items that the same import adds. Outputs are called as the files call them: by codes in a blinded study.
    """

    def __init__(self, study: Study, staging: Staging, codes: SystemCodes) -> None:
        self.study, self.staging, self.codes = study, staging, codes
        self._kept: dict[str, tuple[int, dict[str, int]]] = {}

    def find(self, keys: Iterable[str]) -> dict[str, tuple[int, dict[str, int]]]:
        """Return the items with these keys that exist."""
        wanted = set(keys)
        missing = [key for key in wanted if key not in self._kept]
        if len(self._kept) + len(missing) > MOST_KEPT:
            self._kept = {key: item for key, item in self._kept.items() if key in wanted}
        for start in range(0, len(missing), LOOKUP):
            rows = Item.objects.filter(study=self.study, key__in=missing[start : start + LOOKUP])
            found: dict[int, str] = dict(self.staging.read(rows, "pk", "key"))
            self._kept.update({key: (pk, {}) for pk, key in found.items()})
            outputs = Output.objects.filter(item__in=list(found)).order_by("item", "position")
            for item, pk, key in self.staging.read(outputs, "item", "pk", "key"):
                self._kept[found[item]][1][self.codes.shown(key)] = pk
        return {key: self._kept[key] for key in wanted if key in self._kept}

    def sheets(self, keys: Iterable[str], texts: bool) -> dict[str, Sheet]:
        """Return the existing items with these keys and all outputs in file order; with texts only if `texts`."""
        found = self.find(keys)
        if not texts:
            return {key: Sheet.of(list(outputs)) for key, (_, outputs) in found.items()}
        documents: dict[int, str] = {}
        written: dict[int, str] = {}
        rows = [pk for pk, _ in found.values()]
        for start in range(0, len(rows), LOOKUP):
            some = rows[start : start + LOOKUP]
            documents.update(self.staging.read(Item.objects.filter(pk__in=some), "pk", "document"))
            written.update(self.staging.read(Output.objects.filter(item__in=some).order_by(), "pk", "text"))
        return {
            key: Sheet.of(list(outputs), [written[output] for output in outputs.values()], documents[pk])
            for key, (pk, outputs) in found.items()
        }
