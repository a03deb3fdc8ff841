import numpy as np
import pytest

from agreement.intervals.bootstrap import Ratios
from agreement.meta_evaluation.reruns import AveragedReruns


def ratios(numbers, counts=None):
    numbers = np.array(numbers, dtype=float)
    counts = np.ones_like(numbers) if counts is None else np.array(counts, dtype=float)
    return Ratios((("a",), ("b",)), numbers, counts, ("no a", "no b"))


def test_figures_are_computed_per_rerun_and_then_averaged():
    reruns = [ratios([[1, 2], [3, 4]]), ratios([[2, 2], [2, 8]])]
    averaged = AveragedReruns(reruns)
    assert averaged.at(np.ones((1, 2)))[0].tolist() == [2, 4]
    assert averaged.at(np.array([[2.0, 0]]))[0].tolist() == [1.5, 2]
    assert averaged.spread(2) == pytest.approx([0, np.std([3, 5], ddof=1)])
    assert averaged.keys == (("a",), ("b",))
    assert averaged.reason(("b",)) == "no b"


def test_undefined_reruns_are_left_out():
    averaged = AveragedReruns([ratios([[1, 2]]), ratios([[0, 0]], [[0, 1]])])
    assert averaged.at(np.ones((1, 1)))[0].tolist() == [1, 1]
    nothing = AveragedReruns([ratios([[0, 0]], [[0, 0]])] * 2)
    assert np.isnan(nothing.at(np.ones((1, 1)))).all()


def test_one_rerun_has_no_spread():
    averaged = AveragedReruns([ratios([[1, 2]])])
    assert averaged.at(np.ones((1, 1)))[0].tolist() == [1, 2]
    assert np.isnan(averaged.spread(1)).all()
