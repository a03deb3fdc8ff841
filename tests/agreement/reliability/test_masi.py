from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from agreement.reliability import masi as module
from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE
from agreement.reliability.masi import masi, masi_sums

SETS = [{0}, {1}, {0, 1}, {0, 1, 2}, {1, 2}, {3}, {2, 3, 4}]
KEY = ("alpha_masi",)


def matrix(sets):
    return csr_array([[float(element in own) for element in range(5)] for own in sets])


def distance(a, b):
    if a == b:
        return 0.0
    monotone = 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
    return 1 - len(a & b) / len(a | b) * monotone


def by_definition(units):
    """Krippendorff's alpha by pairs of values, from a list of sets per unit."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    n = len(values)
    if not n:
        return None
    observed = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / n
    expected = sum(distance(a, b) for a, b in permutations(values, 2)) / (n * (n - 1))
    return 1 - observed / expected if expected else None


def sums_of(units):
    unit = np.array([number for number, own in enumerate(units) for _ in own], dtype=np.int64)
    code = np.array([SETS.index(value) for own in units for value in own], dtype=np.int64)
    return masi_sums(KEY, unit, code, np.arange(len(units)), len(units), matrix(SETS))


def test_distances_by_hand():
    distances = masi(matrix(SETS), matrix(SETS))
    # Equal, disjoint, containing (Jaccard 1/2 times 2/3), and overlapping: {0, 1} and {1, 2}, 1/3 times 1/3.
    assert (distances[0, 0], distances[0, 1]) == (0, 1)
    assert distances[0, 2] == pytest.approx(1 - 1 / 2 * 2 / 3)
    assert distances[2, 4] == pytest.approx(1 - 1 / 3 * 1 / 3)
    np.testing.assert_allclose(distances, [[distance(a, b) for b in SETS] for a in SETS])


@settings(max_examples=100)
@given(units=st.lists(st.lists(st.sampled_from(SETS), max_size=4), min_size=1, max_size=6))
def test_alpha_with_masi_equals_its_definition(units):
    ours = sums_of(units).at(np.ones((1, len(units))))[0, 0]
    expected = by_definition(units)
    assert np.isnan(ours) if expected is None else ours == pytest.approx(expected)


def test_weights_equal_draws_of_items_and_memory_limits_change_nothing(monkeypatch):
    units = [[SETS[0], SETS[2]], [SETS[3], SETS[3], SETS[4]], [SETS[5], SETS[6]], [SETS[1]]]
    weights = np.array([[2.0, 1, 0, 1], [1, 1, 1, 1], [0, 3, 1, 0]])
    expected = [
        by_definition([own for own, n in zip(units, row, strict=True) for _ in range(int(n))]) for row in weights
    ]
    np.testing.assert_allclose(sums_of(units).at(weights)[:, 0], expected)
    monkeypatch.setattr(module, "CELLS_AT_ONCE", 8)
    np.testing.assert_allclose(sums_of(units).at(weights)[:, 0], expected)


@pytest.mark.parametrize(("units", "reason"), [([[SETS[0]]], NOTHING_PAIRABLE), ([[SETS[0]] * 2], NO_VARIATION)])
def test_undefined_alpha_with_masi_has_a_reason(units, reason):
    sums = sums_of(units)
    assert np.isnan(sums.at(np.ones((1, 1)))[0, 0])
    assert sums.reason(KEY) == reason
