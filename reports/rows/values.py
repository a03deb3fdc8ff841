"""Ratings that are numbers or categories. Flat arrays from the start: three million take less than 200 MB."""

import json
from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agreement.data import NO_SYSTEM, Ratings
from annotation.models import Question
from annotation.questions import question_types
from reports.rows import Choice, stream
from reports.rows.material import Ints, Material

NOTHING = -1


def ratings(material: Material, question: Question, choice: Choice) -> Ratings:
    """The chosen ratings of one question.

    A question with a scale gives numbers; any other gives codes into its categories: the texts that were chosen,
    or the JSON of what was, sorted.
    """
    numeric = question_types()[question.type].scale(question.spec) is not None
    item, output, rater, variant = array("q"), array("q"), array("q"), array("q")
    variants: dict[str, int] = {}
    number = array("d")
    codes: dict[str, int] = {}
    rows = choice.rows(material.study).filter(question=question)
    for item_pk, output_pk, rater_pk, name, value in stream(
        # The JSON as it is stored is all that a category needs to be told from others.
        rows, "item_id", "output_id", "rater_id", "variant", "number" if numeric else "raw_value",
    ):  # fmt: skip
        item.append(item_pk)
        output.append(NOTHING if output_pk is None else output_pk)
        rater.append(rater_pk)
        variant.append(variants.setdefault(name, len(variants)))
        number.append(value if numeric else codes.setdefault(value, len(codes)))
    values = np.frombuffer(number, dtype=np.float64) if number else np.empty(0)
    if not numeric:
        values, categories = _sorted_categories(values, codes)
    # A task that is rated as a whole is a unit by its item, and by its variant where there are several: a turn.
    whole = _ints(item) * max(len(variants), 1) + _ints(variant)
    units = np.where(_ints(output) == NOTHING, -1 - whole, _ints(output))
    return _ratings(material, _ints(item), units, _ints(rater), values, () if numeric else categories)


def _ints(codes: "array[int]") -> Ints:
    return np.frombuffer(codes, dtype=np.int64) if codes else np.empty(0, dtype=np.int64)


def _sorted_categories(values: NDArray[np.float64], codes: dict[str, int]) -> tuple[Any, tuple[str, ...]]:
    """The values as codes into the categories' sorted names, whatever the order in which they were met."""
    names = [value if isinstance(value := json.loads(text), str) else text for text in codes]
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names))
    place[order] = np.arange(len(names))
    return place[values.astype(np.int64)], tuple(names[code] for code in order)


def _ratings(
    material: Material, item: Ints, units: Ints, rater: Ints, values: NDArray[np.float64], categories: tuple[str, ...]
) -> Ratings:
    """Codes for primary keys: items and units in the order of import, raters and systems by name.

    `units` are primary keys of outputs; below them all, whole tasks.
    """
    rater_pks, rater_code = np.unique(rater, return_inverse=True)
    raters, rater_place = _by_name([material.raters[pk] for pk in rater_pks.tolist()])
    unit_pks, first, unit = np.unique(units, return_index=True, return_inverse=True)
    system = np.full(unit_pks.size, NO_SYSTEM, dtype=np.int64)
    systems: tuple[str, ...] = ()
    of_outputs = unit_pks >= 0
    if of_outputs.any():
        systems, system_place = _by_name([material.systems[pk] for pk in unit_pks[of_outputs].tolist()])
        system[of_outputs] = system_place
    return Ratings(
        unit=unit.astype(np.int64),
        rater=rater_place[rater_code] if rater.size else rater,
        value=values,
        item=material.codes(item[first]),
        system=system,
        raters=raters,
        systems=systems,
        categories=categories,
    )


def _by_name(names: list[str]) -> tuple[tuple[str, ...], Ints]:
    """The different names, sorted, and the place of each of `names` among them."""
    ordered = tuple(sorted(set(names)))
    place = {name: code for code, name in enumerate(ordered)}
    return ordered, np.array([place[name] for name in names], dtype=np.int64)
