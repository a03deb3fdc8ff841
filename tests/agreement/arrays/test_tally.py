import numpy as np

from agreement.arrays.tally import tally


def test_values_are_counted_per_unit_in_any_order_of_rows():
    counted = tally(np.array([2, 0, 2, 0, 2]), np.array([5.0, 1.5, 5.0, 0.5, 1.5]), units=4)
    assert counted.values.tolist() == [0.5, 1.5, 5.0]
    cells = list(zip(counted.unit.tolist(), counted.code.tolist(), counted.n.tolist(), strict=True))
    assert cells == [(0, 0, 1), (0, 1, 1), (2, 1, 1), (2, 2, 2)]
    assert counted.m.tolist() == [2, 0, 3, 0]
    assert counted.start.tolist() == [0, 2]


def test_no_ratings_give_no_cells():
    counted = tally(np.zeros(0, dtype=np.int64), np.zeros(0), units=2)
    assert counted.start.size == counted.n.size == counted.values.size == 0
    assert counted.m.tolist() == [0, 0]
