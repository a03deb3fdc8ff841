"""The exact expected rank of an output within its item if values are drawn, and ties broken, at random.

Each unit i has a distribution over values, independent of the others. Its rank (1 is best) is 1 + sum_j [v_j > v_i]
plus a uniform share of the units tied with it, so E rank_i = 1 + sum_j (P(v_j > v_i) + P(v_j = v_i) / 2), with j over
the other units of the item.

Breaking ties at random means giving each unit a uniform t in 0..1; of equal values the one with the smaller t is ahead.
Given v_i = x and t_i = t, unit j is ahead with probability g_j + t e_j, with g_j = P(v_j > x) and e_j = P(v_j = x),
independently over j. Integrating over t and summing over x gives the second moment, and thus the variance, in closed
form.
"""

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by

BITS = 40
"""Values are compared to 40 significant bits (12 digits), so that rounding errors do not break ties."""


def expected_ranks(unit: Ints, value: Floats, chance: Floats, item: Ints) -> tuple[Floats, Floats]:
    """Expectation and variance of each unit's rank, (U,) each; 0 for units without a value.

    `unit`, `value` and `chance` are (C,): unit `unit[c]` has `value[c]` with probability `chance[c]`. `item` (U,) is
    the item of each unit. Sorts the C cells; never loops over pairs of units.
    """
    mantissa, exponent = np.frexp(value)
    value = np.ldexp(np.round(mantissa * 2**BITS) / 2**BITS, exponent)
    own = _Order(unit, value)
    above_own = own.above(chance)  # g of the unit itself at its own values
    group = _Order(item[unit], value)

    # Sums over the other units are sums over all units of the item, minus the unit's own part.
    g = group.above(chance) - above_own
    e = group.level(chance) - chance
    # From one cell down to the next, (g_j(x))^2 grows by (g_j + p)^2 - g_j^2.
    step = (above_own + chance) ** 2 - above_own**2
    g_g = group.above(step) - above_own**2
    # If j has a cell at x, g_j(x) is `above_own` of that cell.
    g_e = group.level(above_own * chance) - above_own * chance
    e_e = group.level(chance**2) - chance**2

    mean = 1 + g + e / 2
    second = (1 + g) ** 2 + (1 + g) * e + e**2 / 3 + (g + e / 2) - (g_g + g_e + e_e / 3)
    expected = sum_by(unit, chance * mean, item.size)
    variance = sum_by(unit, chance * second, item.size) - expected**2
    return expected, np.maximum(variance, 0.0)


class _Order:
    """Sums over the cells of the same group with a greater value, or with the same value."""

    def __init__(self, group: Ints, value: Floats) -> None:
        self.order = np.lexsort((-value, group))
        ordered_group, ordered_value = group[self.order], value[self.order]
        new_group = np.append(True, ordered_group[1:] != ordered_group[:-1])[: group.size]
        new_value = new_group.copy()
        new_value[1:] |= ordered_value[1:] != ordered_value[:-1]
        self.first_of_group = np.flatnonzero(new_group)
        self.first_of_value = np.flatnonzero(new_value)
        self.group_of_cell = np.cumsum(new_group) - 1
        self.value_of_cell = np.cumsum(new_value) - 1

    def above(self, weight: Floats) -> Floats:
        before = np.append(0.0, np.cumsum(weight[self.order]))[:-1]
        at_value = before[self.first_of_value][self.value_of_cell]
        return self._in_place(at_value - before[self.first_of_group][self.group_of_cell])

    def level(self, weight: Floats) -> Floats:
        total = sum_by(self.value_of_cell, weight[self.order], self.first_of_value.size)
        return self._in_place(total[self.value_of_cell])

    def _in_place(self, ordered: Floats) -> Floats:
        result = np.empty_like(ordered)
        result[self.order] = ordered
        return result
