"""The items and outputs that imported judgments name, looked up in batches and kept while they are in use."""

from collections.abc import Iterable

from annotation.answers import Sheet
from annotation.models import Item, Output, Study

LOOKUP = 500
KEPT = 20_000


class Material:
    """Items of a study by their keys: (primary key, {output key: primary key} in file order)."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._kept: dict[str, tuple[int, dict[str, int]]] = {}

    def find(self, keys: Iterable[str]) -> dict[str, tuple[int, dict[str, int]]]:
        """Those of the items `keys` that exist."""
        wanted = set(keys)
        missing = [key for key in wanted if key not in self._kept]
        if len(self._kept) + len(missing) > KEPT:
            self._kept = {key: item for key, item in self._kept.items() if key in wanted}
        for start in range(0, len(missing), LOOKUP):
            rows = Item.objects.filter(study=self.study, key__in=missing[start : start + LOOKUP])
            found = dict(rows.values_list("pk", "key"))
            self._kept.update({key: (pk, {}) for pk, key in found.items()})
            outputs = Output.objects.filter(item__in=list(found)).order_by("item", "position")
            for item, pk, key in outputs.values_list("item", "pk", "key"):
                self._kept[found[item]][1][key] = pk
        return {key: self._kept[key] for key in wanted if key in self._kept}

    def sheets(self, keys: Iterable[str], texts: bool) -> dict[str, Sheet]:
        """Those of the items `keys` that exist with all their outputs in file order, with the `texts` or without."""
        found = self.find(keys)
        if not texts:
            return {key: Sheet.of(list(outputs)) for key, (_, outputs) in found.items()}
        documents: dict[int, str] = {}
        written: dict[int, str] = {}
        rows = [pk for pk, _ in found.values()]
        for start in range(0, len(rows), LOOKUP):
            some = rows[start : start + LOOKUP]
            documents.update(Item.objects.filter(pk__in=some).values_list("pk", "document"))
            written.update(Output.objects.filter(item__in=some).order_by().values_list("pk", "text"))
        return {
            key: Sheet.of(list(outputs), [written[output] for output in outputs.values()], documents[pk])
            for key, (pk, outputs) in found.items()
        }
