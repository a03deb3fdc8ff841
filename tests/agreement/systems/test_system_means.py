import numpy as np

from agreement.systems.system_means import system_mean


def test_units_count_the_same_whatever_their_number_of_raters(ratings_of):
    ratings = ratings_of({("i", "a"): {"r": 1, "s": 1, "t": 4}, ("j", "a"): {"r": 4}, ("j", "b"): {"r": 5, "s": 2}})
    sums = system_mean(ratings, 2)
    assert sums.keys == (("system_mean", "a"), ("system_mean", "b"))
    np.testing.assert_allclose(sums.at(np.ones((1, 2)))[0], [3, 3.5])
    np.testing.assert_allclose(sums.at(np.array([[2.0, 0.0]]))[0], [2, np.nan])


def test_repeats_count_in_the_mean(ratings_of):
    ratings = ratings_of([("i", "a", "r", 1), ("i", "a", "r", 2), ("i", "a", "s", 6)])
    assert system_mean(ratings, 1).at(np.ones((1, 1)))[0, 0] == 3
