"""Potato's comparisons: which text was A and which B, what a ranking ranks, and how much better one is."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.questions.preference import TIE
from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.conversion_choices import SHOWS, SIDES, AskedChoice
from parts.other_tools.findings import Findings
from parts.other_tools.tools.potato_config import PAIRWISE, PotatoProject

LETTERS = ("A", "B")
NAMED = ("left", "right")
"""The fields of an item that has its two texts by side instead of in a list."""
GIVE = "give the project's config.yaml, or the user_state.json of each person, as another file"


class Comparisons:
    """What one annotator compared in one instance. `orders` are those in which texts were shown, by scheme."""

    def __init__(
        self,
        project: PotatoProject,
        found: Findings,
        key: str,
        orders: Mapping[str, Any] | None,
        place: tuple[Any, ...],
    ) -> None:
        self.project, self.found, self.key, self.orders, self.place = project, found, key, orders, place

    def pair(self, schema: str, place: str) -> tuple[str, str] | None:
        """Return the fields shown as A and B, in this order; None if a person has to say it."""
        told = self.found.told.sides.get(schema)
        if told is not None:
            return told
        names = self._names(schema)
        if names is None or not self._is_order_known(schema, place):
            reason = f"compares A and B, but the files do not say which text was A: {GIVE}"
            self._ask(SIDES, schema, reason, place)
            return None
        order = (self.orders or {}).get(schema)
        if isinstance(order, list) and sorted(map(str, order)) == [str(number) for number in range(len(names))]:
            names = [names[int(number)] for number in order]
        return names[0], names[1]

    def of_data(self, schema: str) -> tuple[str, str] | None:
        """Return the fields of a pair in the order of the data."""
        names = self.found.told.sides.get(schema) or self._names(schema)
        return None if names is None else (names[0], names[1])

    def _names(self, schema: str) -> Sequence[str] | None:
        """The texts that a scheme compares, in the order of the data: a list of the item, or its left and right."""
        scheme = self.project.schemes.get(schema)
        lists = self.project.lists.get(self.key, {})
        key = scheme.items_key if scheme is not None and scheme.type == PAIRWISE else "text"
        if key in lists:
            return lists[key]
        record = self.found.records.get(self.key)
        return NAMED if record is not None and set(NAMED) <= record.texts.keys() else None

    def _is_order_known(self, schema: str, place: str) -> bool:
        """Whether the order shown is that of the data, or is stored; states have every order that differs."""
        scheme = self.project.schemes.get(schema)
        if scheme is not None and scheme.is_shuffled and not (self.orders or {}).get(schema):
            raise FieldInvalidError(place, "was shown in random order, which only user_state.json has: give that file")
        return self.orders is not None or scheme is not None

    def chosen(self, schema: str, value: Any, place: str) -> tuple[str, tuple[str, str]] | None:
        """Return the field that was chosen, or `tie`, and the pair in the order shown."""
        if value not in (*LETTERS, TIE):
            raise FieldInvalidError(place, f"must be A, B or tie, not {quoted(value)}")
        pair = self.pair(schema, place)
        return None if pair is None else (TIE if value == TIE else pair[LETTERS.index(value)], pair)

    def degree(self, schema: str, value: Any, place: str) -> tuple[float, tuple[str, str]] | None:
        """Return how much better one text is: below 0 the first of the data, whatever the order shown."""
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise FieldInvalidError(place, f"must be a number, not {quoted(value)}") from None
        pair, of_data = self.pair(schema, place), self.of_data(schema)
        if pair is None:
            return None
        return (number if pair == of_data else -number), pair

    def ranking(self, schema: str, value: Any, place: str) -> dict[str, int]:
        """Return the rank of each field: the labels of a ranking are joined by commas, the best first."""
        if not isinstance(value, str):
            raise FieldInvalidError(place, "must be labels joined by commas")
        scheme = self.project.schemes.get(schema)
        labels = _split(value, scheme.labels if scheme is not None else [])
        if labels is None:
            raise FieldInvalidError(place, f"does not rank the labels of the configuration: {quoted(value)}")
        return {self._field_of(label, place): rank for rank, label in enumerate(labels, 1)}

    def _field_of(self, label: str, place: str) -> str:
        """The field that a ranked label stands for: a side of a comparison that has the same labels, or a field."""
        told = self.found.told.shows.get(label)
        if told is not None:
            return told
        for scheme in self.project.schemes.values():
            if scheme.type == PAIRWISE and label in scheme.labels[:2] and self._names(scheme.name) is not None:
                pair = self.pair(scheme.name, place)
                if pair is not None:
                    return pair[scheme.labels.index(label)]
        record = self.found.records.get(self.key)
        if record is None or label not in record.fields:
            self._ask(SHOWS, label, f"ranks {quoted(label)}: name the text that it stands for", place)
        return label

    def extremes(self, labels: Mapping[str, Any], place: str) -> dict[str, str] | None:
        """Return the best and the worst of the texts of a tuple, which are called A, B, C, ...; None if one lacks."""
        names = self.project.lists.get(self.key, {}).get("_bws_items")
        if names is None:
            raise FieldInvalidError(place, "chooses from a tuple of texts, which the data file does not have")
        chosen = {side: str(labels.get(side) or "") for side in ("best", "worst")}
        if not all(chosen.values()):
            return None
        places = {side: ord(letter) - ord("A") if len(letter) == 1 else -1 for side, letter in chosen.items()}
        if not all(0 <= number < len(names) for number in places.values()):
            raise FieldInvalidError(place, f"must be letters of the {len(names)} texts")
        return {side: names[number] for side, number in places.items()}

    def _ask(self, kind: str, name: str, reason: str, place: str) -> None:
        record = self.found.records.get(self.key)
        if record is None or not record.fields:
            raise FieldInvalidError(place, "is about a record that has no text: name its file of texts, too")
        file, line, record_name = self.place
        where = ".".join(filter(None, (record_name, place)))
        self.found.ask(AskedChoice(kind, name, tuple(record.fields), reason, file, line, where))


def _split(value: str, labels: Sequence[str]) -> list[str] | None:
    """The labels of a ranking, which may have commas themselves; None if they are not those that are known."""
    if not labels:
        return [part.strip() for part in value.split(",")]
    rest, order = value, []
    while rest:
        fits = [label for label in labels if label not in order and (rest == label or rest.startswith(f"{label},"))]
        if not fits:
            return None
        order.append(max(fits, key=len))
        rest = rest[len(order[-1]) + 1 :]
    return order
