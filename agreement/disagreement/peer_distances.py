"""How far each rating is from the other ratings of its unit: what alpha's disagreement is made of.

With the values v_i of the m_u ratings of unit u and alpha's difference delta2 (nominal: 1 if two values differ;
interval: their squared difference), the distance of rating i is d_i = sum_{j != i} delta2(v_i, v_j) / (m_u - 1). The
mean of d_i over all pairable ratings is Krippendorff's D_o, so alpha = 1 - mean(d_i) / D_e, and the mean over any group
of ratings, divided by D_e, says how much that group contributes: 0 is no disagreement, 1 is as much as by chance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from agreement.arrays.large_figures import TOO_LARGE
from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.rounding import without_noise
from agreement.arrays.tally import sum_by, tally
from agreement.intervals.clustered_errors import around, variance_of
from agreement.reliability.alpha import largest

PeerLevel = Literal["nominal", "interval"]
NOTHING_SHARED = "no unit was rated by two raters"
ALL_SAME = "all values of the units rated by two raters are the same"
ONE_ITEM = "an interval needs at least two items"
NO_SPREAD = "the items do not differ, so that the interval would have no width"
NO_NUMBERS = "the values are categories, which have no direction"


@dataclass(frozen=True)
class PeerDistances:
    """The pairable ratings and their distances; arrays are (P,), one entry per pairable rating.

    `place` is its place among the ratings given, `item` its item. `differs` is the share of the unit's other ratings
    with another value, `distance` is d_i, and `signed` is the value minus the mean of the others, None for categories;
    both are in a `unit` in which no square overflows or vanishes. `expected` is D_e, 0 if nothing varies.
    """

    place: Ints
    item: Ints
    differs: Floats
    distance: Floats
    signed: Floats | None
    expected: float
    unit: float = 1.0

    @property
    def alpha(self) -> float | None:
        """Krippendorff's alpha of all ratings, None if it is undefined."""
        return None if self.expected <= 0 else without_noise(1 - float(self.distance.mean()) / self.expected)


def peer_distances(ratings: Ratings, level: PeerLevel) -> PeerDistances:
    """The distances of `ratings`, which are without repeats."""
    m = np.bincount(ratings.unit, minlength=ratings.item.size)
    place = np.flatnonzero(m[ratings.unit] > 1)
    unit, value = ratings.unit[place], ratings.value[place]
    others = m[unit] - 1.0
    sides = ratings.sides
    counted = tally(unit, value, ratings.item.size, None if sides is None else sides.values)
    key = unit * max(counted.values.size, 1) + np.searchsorted(counted.values, value)
    cells = counted.unit * max(counted.values.size, 1) + counted.code
    same = counted.n[np.searchsorted(cells, key)] - 1.0
    differs = 1 - same / others
    n = float(place.size)
    if level == "nominal":
        n_c = sum_by(counted.code, counted.n, counted.values.size)
        n_c = n_c if sides is None else sides.shared(n_c)
        expected = 1 - float((n_c * (n_c - 1)).sum()) / (n * (n - 1)) if n > 1 else 0.0
        return PeerDistances(place, ratings.item[unit], differs, differs, None, expected)
    scale = largest(value)
    middle = value / scale
    middle -= middle.mean() if n else 0.0
    total, squares = sum_by(unit, middle, m.size)[unit], sum_by(unit, middle * middle, m.size)[unit]
    # sum_j (v_i - v_j)^2 = m v_i^2 - 2 v_i sum_j v_j + sum_j v_j^2
    distance = np.maximum((others + 1) * middle * middle - 2 * middle * total + squares, 0.0) / others
    signed = middle - (total - middle) / others
    expected = 2 * float((middle * middle).sum()) / (n - 1) if n > 1 and counted.values.size > 1 else 0.0
    return PeerDistances(place, ratings.item[unit], differs, distance, without_noise(signed), expected, scale)


def group_rows(peers: PeerDistances, groups: Mapping[str, Ints], *, directed: bool = False) -> list[dict[str, Any]]:
    """The disagreement of each group of pairable ratings, which `groups` gives by their numbers in `peers`.

    `differ` is the share of the others' answers that differ, `relative` the mean distance divided by D_e. Intervals
    are of ratios of sums over items (`ratio_interval`); D_e is taken as it is. With `directed`, `bias` is the mean of
    `signed`: of use for groups of raters only, because it is 0 for all ratings of a unit.
    """
    rows = []
    for name, members in groups.items():
        item = peers.item[members]
        row: dict[str, Any] = {"name": name, "ratings": int(members.size), "items": int(np.unique(item).size)}
        reasons: dict[str, str] = {}
        columns: dict[str, tuple[Floats | None, str]] = {
            "differ": (peers.differs, NOTHING_SHARED),
            "relative": (peers.distance / peers.expected if peers.expected > 0 else None, ALL_SAME),
        }
        if directed:
            columns["bias"] = (peers.signed, NO_NUMBERS)
        for key, (values, reason) in columns.items():
            if values is None or not members.size:
                row[key] = row[f"{key}_ci"] = None
                reasons[key] = reason if values is None else NOTHING_SHARED
                continue
            row[key] = without_noise(float(values[members].mean()))
            limits = {"differ": (0.0, 1.0), "relative": (0.0, np.inf), "bias": (-np.inf, np.inf)}[key]
            row[f"{key}_ci"], why = ratio_interval(values[members], item, limits)
            if why:
                reasons[f"{key}_ci"] = why
            if key == "bias":
                row[key], row["bias_ci"] = _scaled(row[key], row["bias_ci"], peers.unit, reasons)
        row["undefined"] = reasons
        rows.append(row)
    return rows


def _scaled(
    value: float, ends: list[float] | None, unit: float, reasons: dict[str, str]
) -> tuple[float | None, list[float] | None]:
    """A bias and its interval in the unit of the scale; None, with the reason, if they are too large for a float."""
    given = ends and [end * unit for end in ends]
    if given and not np.isfinite(given).all():
        given, reasons["bias_ci"] = None, TOO_LARGE
    if np.isfinite(value * unit):
        return value * unit, given
    reasons["bias"] = TOO_LARGE
    return None, None


def ratio_interval(values: Floats, item: Ints, limits: tuple[float, float]) -> tuple[list[float] | None, str]:
    """The 95 % interval of the mean of `values` (N,), whose items (N,) are drawn; or None and the reason.

    The mean is the ratio of two sums over items. To first order it changes by the item's sum of (v - mean) / N
    (Cochran 1977, Sampling Techniques, 3rd ed., 6.3), so its standard error is that of items as clusters. The ends are
    cut at `limits`, outside which no mean can be.
    """
    _, code = np.unique(item, return_inverse=True)
    items = int(code.max()) + 1 if code.size else 0
    if items < 2:
        return None, ONE_ITEM
    mean = float(values.mean())
    se = float(np.sqrt(variance_of(sum_by(code, (values - mean) / values.size, items))))
    if se <= 0:
        return None, NO_SPREAD
    low, high = around(mean, se, items)
    return [max(low, limits[0]), min(high, limits[1])], ""
