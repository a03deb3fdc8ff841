import numpy as np
import pytest

from agreement.arrays.tally import tally
from agreement.reliability.percent_agreement import percent_agreement


def at_data(unit, value):
    item = np.zeros(max(unit, default=-1) + 1, dtype=np.int64)
    sums = percent_agreement(tally(np.array(unit, dtype=np.int64), np.array(value, dtype=float)), item, 1)
    return sums.at(np.ones((1, 1)))[0, 0]


def test_pairs_are_pooled_over_units():
    # Unit 0: one of three pairs agrees; unit 1: its one pair agrees; unit 2 has no pair.
    assert at_data([0, 0, 0, 1, 1, 2], [1, 1, 2, 5, 5, 9]) == pytest.approx(2 / 4)


def test_percent_agreement_needs_a_pair():
    assert np.isnan(at_data([0, 1], [1, 1]))
    assert np.isnan(at_data([], []))
