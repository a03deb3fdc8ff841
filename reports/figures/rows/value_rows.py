"""Ratings that are numbers or categories, read into flat arrays: three million take less than 200 MB."""

import json
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.arrays.rating_arrays import NO_SYSTEM, Ratings
from annotation.models import Question
from annotation.questions import question_types
from reports.figures.rows import Choice, answers, in_columns
from reports.figures.rows.rated_items import Ints, RatedItems

NOTHING = -1


def ratings(rated: RatedItems, question: Question, choice: Choice) -> Ratings:
    """The chosen ratings of one question.

    A question with a scale has numbers as values. Any other has codes into its sorted categories: the chosen texts, or
    the JSON of other values.
    """
    numeric = question_types()[question.type].scale(question.spec) is not None
    item, output, rater, variant = array("q"), array("q"), array("q"), array("q")
    variants: dict[str, int] = {}
    number = array("d")
    codes: dict[str, int] = {}
    value_column = "number" if numeric else "raw_value"  # the JSON as stored is enough to distinguish categories
    read = answers(rated.study, question, choice, "item_id", "output_id", "rater_id", "variant", value_column)
    for item_pks, output_pks, rater_pks, names, given in in_columns(read):
        item.extend(item_pks)
        output.extend([NOTHING if pk is None else pk for pk in output_pks])
        rater.extend(rater_pks)
        variant.extend([variants.setdefault(name, len(variants)) for name in names])
        number.extend(given if numeric else [codes.setdefault(value, len(codes)) for value in given])
    values = np.frombuffer(number, dtype=np.float64) if number else np.empty(0)
    if not numeric:
        values, categories = _sorted_categories(values, codes)
    # A task rated as a whole is a unit by its item and variant: a turn of a session, for example.
    whole = _ints(item) * max(len(variants), 1) + _ints(variant)
    units = np.where(_ints(output) == NOTHING, -1 - whole, _ints(output))
    return _ratings(rated, _ints(item), units, _ints(rater), values, () if numeric else categories)


def _ints(codes: "array[int]") -> Ints:
    return np.frombuffer(codes, dtype=np.int64) if codes else np.empty(0, dtype=np.int64)


def _sorted_categories(values: NDArray[np.float64], codes: dict[str, int]) -> tuple[Any, tuple[str, ...]]:
    """The values as codes into the sorted names of the categories."""
    names = [value if isinstance(value := json.loads(text), str) else text for text in codes]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names))
    place[order] = np.arange(len(names))
    return place[values.astype(np.int64)], tuple(names[code] for code in order)


def _ratings(
    rated: RatedItems, item: Ints, units: Ints, rater: Ints, values: NDArray[np.float64], categories: tuple[str, ...]
) -> Ratings:
    """Ratings with codes for primary keys: items and units in the order of import, raters and systems by name.

    `units` are primary keys of outputs, or negative numbers for whole tasks.
    """
    rater_pks, rater_code = np.unique(rater, return_inverse=True)
    raters, rater_place = _by_name([rated.raters[pk] for pk in rater_pks.tolist()])
    unit_pks, first, unit = np.unique(units, return_index=True, return_inverse=True)
    system = np.full(unit_pks.size, NO_SYSTEM, dtype=np.int64)
    systems: tuple[str, ...] = ()
    of_outputs = unit_pks >= 0
    if of_outputs.any():
        systems, system_place = _by_name([rated.systems[pk] for pk in unit_pks[of_outputs].tolist()])
        system[of_outputs] = system_place
    return Ratings(
        unit=unit.astype(np.int64),
        rater=rater_place[rater_code] if rater.size else rater,
        value=values,
        item=rated.codes(item[first]),
        system=system,
        raters=raters,
        systems=systems,
        categories=categories,
    )


def _by_name(names: list[str]) -> tuple[tuple[str, ...], Ints]:
    """The distinct names, sorted, and the position of each of `names` among them."""
    ordered = tuple(sorted(set(names)))
    place = {name: code for code, name in enumerate(ordered)}
    return ordered, np.array([place[name] for name in names], dtype=np.int64)
