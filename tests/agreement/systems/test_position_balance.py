from collections import Counter

import numpy as np
import pytest

from agreement.systems.position_balance import position_balance, uniformity


def test_even_sides_fit_perfectly():
    report = position_balance({("a", "b"): 10, ("b", "a"): 10})
    assert report["chi2"] == pytest.approx(0)
    assert (report["df"], report["p"]) == (1, 1.0)
    assert report["sizes"][0]["systems"] == {"a": [10, 10], "b": [10, 10]}


def test_for_two_systems_it_is_mcnemars_statistic():
    report = position_balance({("a", "b"): 15, ("b", "a"): 5})
    assert report["chi2"] == pytest.approx((15 - 5) ** 2 / 20)
    assert report["df"] == 1


def test_for_complete_rows_it_is_andersons_statistic():
    orders = {("a", "b", "c"): 9, ("b", "c", "a"): 4, ("c", "b", "a"): 2}
    counts = np.array([[9, 0, 6], [4, 11, 0], [2, 4, 9]])
    expected = counts.sum() / 9
    pearson = ((counts - expected) ** 2 / expected).sum()
    report = position_balance(orders)
    assert report["chi2"] == pytest.approx(2 / 3 * pearson)
    assert report["df"] == 4


def test_rows_of_different_sizes_add_up():
    report = position_balance({("a", "b"): 15, ("b", "a"): 5, ("a", "b", "c"): 3, ("c", "a", "b"): 3})
    assert report["chi2"] == pytest.approx(sum(one["chi2"] for one in report["sizes"]))
    assert report["df"] == 1 + 4


def test_without_two_outputs_there_is_no_test():
    assert "p" not in position_balance({("a",): 3})
    assert position_balance({})["undefined"]


def test_p_is_uniform_for_random_orders_of_some_of_the_systems():
    random = np.random.default_rng(5)
    found = []
    for _ in range(300):
        rows = [tuple(random.permutation(list("abcd"))[:2]) for _ in range(60)]
        found.append(position_balance(Counter(rows))["p"])
    assert abs(np.mean(found) - 0.5) < 0.06
    assert abs(np.mean(np.array(found) < 0.1) - 0.1) < 0.06


def test_systems_that_never_meet_are_tested_apart():
    statistic, freedom = uniformity(np.array([[3, 1], [1, 3], [2, 2], [2, 2]]), np.array(
        [[4, 4, 0, 0], [4, 4, 0, 0], [0, 0, 4, 4], [0, 0, 4, 4]]
    ))  # fmt: skip
    assert freedom == 2
    assert statistic == pytest.approx(1.0)
