"""What simulations say of intervals that hold the true value less often than 95 %: `benchmarks/coverage.py`."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Ints
from agreement.arrays.tally import Tally, sum_by

FEW_ITEMS = ((3, 30), (6, 83))
"""Below how many items with another answer than the most common one alpha's intervals cover how many percent."""


def items_with_other_answers(counted: Tally, item: Ints) -> int:
    """The items with an answer other than the most common one, or with the most common one if these are fewer.

    Only units with two ratings count, as in alpha. `item` (U,) is the item of each unit of `counted`.
    """
    kept = counted.m[counted.unit] > 1
    unit, code, n = counted.unit[kept], counted.code[kept], counted.n[kept]
    if not unit.size:
        return 0
    most = sum_by(code, n, counted.values.size).argmax()
    groups = (np.unique(item[unit[is_most]]).size for is_most in (code == most, code != most))
    return min(groups)


def alpha_notice(report: Mapping[str, Any]) -> dict[str, str]:
    """The `alpha_notice` that a report's `items_with_other_answers` make due beside alpha's intervals; or nothing."""
    count = report["items_with_other_answers"]
    covered = next((percent for below, percent in FEW_ITEMS if count < below), None)
    if covered is None or not any(report.get(f"alpha_{level}_ci") for level in ("nominal", "ordinal", "interval")):
        return {}
    notice = (
        f"Only {count} {'item has' if count == 1 else 'items have'} another answer than the most common one. With so "
        f"few, 95 % intervals of alpha held the true value in {covered} % of simulated studies."
    )
    return {"alpha_notice": notice}
