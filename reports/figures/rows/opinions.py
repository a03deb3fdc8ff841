"""Ratings of any question as values of units that can be compared, with what may explain why raters disagree."""

import json
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, SIDES, TIE
from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints, Ratings
from agreement.disagreement.peer_distances import PeerLevel
from annotation.models import Question
from annotation.questions import question_types
from reports.figures.rows import Choice, answers
from reports.figures.rows.rated_items import RatedItems

UNKNOWN = -1
COLUMNS = (
    "item_id", "output_id", "other_output_id", "rater_id", "variant", "number", "raw_value", "raw_shown",
    "guidelines_version",
)  # fmt: skip
NO_ANSWERS_TO_COMPARE = "answers to this type of question are only counted"
MARKED, UNMARKED = "marked a span", "marked nothing"

Value = tuple[int, int, float]
"""A value: the primary keys of the output and of the pair's other output (UNKNOWN: none), and the number."""


@dataclass(frozen=True)
class Opinions:
    """The ratings of one question as comparable values at `level`, in the order of submission.

    `position` (R,) is the place of the output on the rater's page from 0, UNKNOWN for pairs;
    `version` (R,) is that of the guidelines; `systems` (U, 2) has the codes of a unit's systems, `words` (U,) the words
    of its outputs together. UNKNOWN, or NaN words, if they are not known. `labels` names the values, by the value.
    """

    ratings: Ratings
    level: PeerLevel
    position: Ints
    version: Ints
    systems: Ints
    words: Floats
    labels: dict[float, str]

    def of_version(self, version: int | None) -> "Opinions":
        """The ratings under one version of the guidelines; None: those without a version."""
        return self.only(np.flatnonzero(self.version == (version or 0)))

    def latest(self) -> "Opinions":
        """The ratings without repeats: the last one per rater and unit."""
        key = self.ratings.unit * max(len(self.ratings.raters), 1) + self.ratings.rater
        _, last = np.unique(key[::-1], return_index=True)
        return self.only(np.sort(key.size - 1 - last))

    def only(self, kept: Ints) -> "Opinions":
        """The ratings with these numbers, with all units."""
        made = self.ratings
        ratings = replace(made, unit=made.unit[kept], rater=made.rater[kept], value=made.value[kept])
        return Opinions(
            ratings, self.level, self.position[kept], self.version[kept], self.systems, self.words, self.labels
        )

    def in_words(self, rating: int) -> str:
        """What a rating says: of a pair, the system of the chosen output."""
        value, own = float(self.ratings.value[rating]), self.systems[self.ratings.unit[rating]]
        chosen = own[int(value)] if own[1] != UNKNOWN and value != TIE else UNKNOWN
        return self.labels[value] if chosen == UNKNOWN else self.ratings.systems[chosen]


class _Columns:
    """The values of a question while they are read, with codes for units in the order in which they appear."""

    def __init__(self) -> None:
        self.unit, self.rater, self.position, self.version = array("q"), array("q"), array("q"), array("q")
        self.value = array("d")
        self.units: dict[tuple[int, int, int, str], int] = {}


class _Reader:
    """Turns the values of one question into numbers of units."""

    def __init__(self, rated: RatedItems, question: Question) -> None:
        self.rated, self.question, self.type = rated, question, question_types()[question.type]
        self.level, self.scale = self.type.level, self.type.scale(question.spec)
        self.codes: dict[str, float] = {}
        self.keys: dict[int, dict[str, int]] = {}
        self.parsed: Callable[[str], Any] = cache(rated.read)
        if self.type.level == "rank":
            for pk, item in rated.items_of_outputs.items():
                self.keys.setdefault(item, {})[rated.systems[pk]] = pk

    def values(self, item: int, output: int | None, other: int | None, number: float, raw: str) -> Iterable[Value]:
        match self.level:
            case "nominal" | "interval":
                value = number if self.scale is not None else self.codes.setdefault(raw, float(len(self.codes)))
                return ((UNKNOWN if output is None else output, UNKNOWN, value),)
            case "choice" if output is not None and other is not None:
                one, two = sorted((output, other), key=self.rated.systems.__getitem__)
                winner, systems = self.parsed(raw), self.rated.systems
                found = FIRST if winner == systems[one] else SECOND if winner == systems[two] else TIE
                return ((one, two, float(found)),)
            case "rank":
                of_item, ranks = self.keys.get(item, {}), self.rated.read(raw)
                return [(of_item[key], UNKNOWN, float(rank)) for key, rank in ranks.items() if key in of_item]
            case "span":
                return ((UNKNOWN, UNKNOWN, float(bool(json.loads(raw)["spans"]))),)
        return ()

    def labels(self, values: Floats) -> dict[float, str]:
        """The values in words."""
        named = {code: _plain(json.loads(raw)) for raw, code in self.codes.items()}
        if self.type.level == "choice":
            named = {float(FIRST): "first", float(SECOND): "second", float(TIE): "tie"}
        elif self.type.level == "span":
            named = {0.0: UNMARKED, 1.0: MARKED}
        elif self.type.level == "nominal" and self.scale is not None:
            named = {float(one): self.type.in_words(one, self.question.spec) or str(one) for one in (False, True)}
        return {one: named.get(one, f"{one:g}") for one in values.tolist()}


def opinions(rated: RatedItems, question: Question, choice: Choice) -> Opinions | None:
    """The chosen opinions of a question, with repeats; None if its answers are not compared."""
    reader = _Reader(rated, question)
    if reader.type.level not in ("nominal", "interval", "choice", "rank", "span"):
        return None
    columns = _Columns()
    units, systems, values = columns.units, rated.systems, reader.values
    for item, output, other, rater, variant, number, raw, shown, version in answers(
        rated.study, question, choice, *COLUMNS
    ):
        order = reader.parsed(shown) if shown else ()
        for one, two, value in values(item, output, other, number, raw):
            system = systems.get(one) if order and two == UNKNOWN else None
            unit = (item, one, two, variant if one == UNKNOWN else "")
            columns.unit.append(units.setdefault(unit, len(units)))
            columns.rater.append(rater)
            columns.value.append(value)
            columns.position.append(order.index(system) if system in order else UNKNOWN)
            columns.version.append(version or 0)
    sides = SIDES if reader.type.level == "choice" and not choice.pairs_by_name else None
    return _opinions(rated, reader, columns, sides)


def _opinions(rated: RatedItems, reader: _Reader, columns: _Columns, sides: Sides | None) -> Opinions:
    units = list(columns.units)
    names = sorted({rated.systems[pk] for _, *both, _ in units for pk in both if pk != UNKNOWN})
    code = {name: place for place, name in enumerate(names)}
    systems = np.array(
        [[code[rated.systems[pk]] if pk != UNKNOWN else UNKNOWN for pk in both] for _, *both, _ in units],
        dtype=np.int64,
    ).reshape(-1, 2)
    pks, rater = np.unique(_ints(columns.rater), return_inverse=True)
    raters = [rated.raters[pk] for pk in pks.tolist()]
    order = {name: place for place, name in enumerate(sorted(raters))}
    place = np.array([order[name] for name in raters], dtype=np.int64)
    value = np.frombuffer(columns.value, dtype=np.float64) if columns.value else np.empty(0)
    only_system = np.where(systems[:, 1] == UNKNOWN, systems[:, 0], NO_SYSTEM)
    ratings = Ratings(
        unit=_ints(columns.unit), rater=place[rater] if rater.size else rater.astype(np.int64), value=value,
        item=rated.codes([item for item, *_ in units]), system=only_system, raters=tuple(sorted(raters)),
        systems=tuple(names), sides=sides,
    )  # fmt: skip
    level: PeerLevel = "interval" if reader.type.level in ("interval", "rank") else "nominal"
    return Opinions(
        ratings, level, _ints(columns.position), _ints(columns.version), systems, _words(rated, units),
        reader.labels(np.unique(value)),
    )  # fmt: skip


def _words(rated: RatedItems, units: list[tuple[int, int, int, str]]) -> Floats:
    return np.array(
        [
            sum(rated.words[item, rated.systems[pk]] for pk in (one, two) if pk != UNKNOWN)
            if one != UNKNOWN else np.nan
            for item, one, two, _ in units
        ],
        dtype=np.float64,
    )  # fmt: skip


def _ints(codes: "array[int]") -> Ints:
    return np.frombuffer(codes, dtype=np.int64) if codes else np.empty(0, dtype=np.int64)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
