from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.systems.expected_ranks import expected_ranks


def ranks_of(units):
    """Expected ranks and variances of the units of one item, each a list of equally likely values."""
    unit = np.repeat(np.arange(len(units)), [len(values) for values in units])
    chance = np.concatenate([np.full(len(values), 1 / len(values)) for values in units])
    cells = {}
    for code, value, part in zip(unit.tolist(), np.concatenate(units).tolist(), chance.tolist(), strict=True):
        cells[code, value] = cells.get((code, value), 0) + part
    codes, values = zip(*cells, strict=True)
    item = np.zeros(len(units), dtype=np.int64)
    return expected_ranks(np.array(codes), np.array(values, float), np.array(list(cells.values())), item)


def by_enumeration(units):
    """Every draw of values with every order of breaking ties, all equally likely."""
    drawn = []
    for values in product(*units):
        for tie_break in permutations(range(len(units))):
            order = sorted(range(len(units)), key=lambda i: (-values[i], tie_break[i]))
            drawn.append([order.index(i) + 1 for i in range(len(units))])
    return np.mean(drawn, axis=0), np.var(drawn, axis=0)


def test_a_case_worked_by_hand():
    # P(b > a) = 1/3 * 1/2, P(b = a) = 1/3 * 1/2: rank of a is 2 with probability 1/6 + 1/12.
    expected, variance = ranks_of([[5, 5, 1], [3, 1]])
    np.testing.assert_allclose(expected, [1.25, 1.75])
    np.testing.assert_allclose(variance, [0.25 * 0.75, 0.25 * 0.75])


def test_a_full_tie_is_uniform_over_all_ranks():
    expected, variance = ranks_of([[2], [2], [2]])
    np.testing.assert_allclose(expected, [2, 2, 2])
    np.testing.assert_allclose(variance, [2 / 3] * 3)


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=4))
def test_expected_ranks_equal_enumeration(units):
    expected, variance = ranks_of(units)
    mean, spread = by_enumeration(units)
    assert expected == pytest.approx(mean)
    assert variance == pytest.approx(spread, abs=1e-9)


def test_items_are_ranked_separately():
    unit, value = np.arange(4), np.array([1.0, 2.0, 9.0, 3.0])
    expected, _ = expected_ranks(unit, value, np.ones(4), np.array([0, 0, 1, 1]))
    assert expected.tolist() == [2, 1, 1, 2]


def test_rounding_errors_do_not_break_ties():
    expected, _ = ranks_of([[0.1 + 0.2], [0.3]])
    assert expected.tolist() == [1.5, 1.5]


@pytest.mark.parametrize("factor", [1e-30, 1, 1e30])
def test_close_values_of_any_magnitude_differ(factor):
    expected, _ = ranks_of([[1.0 * factor], [(1 + 1e-10) * factor]])
    assert expected.tolist() == [2, 1]
