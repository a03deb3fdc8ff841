import numpy as np
import pytest

from agreement.systems.aggregates import aggregates

pytestmark = pytest.mark.quick
GIVEN = {
    ("i", "A"): {"r": 5, "s": 5, "t": 1},
    ("i", "B"): {"r": 3, "s": 1},
    ("j", "A"): {"r": 1},
    ("j", "B"): {"r": 5},
}
# Scores, their standard errors, n, ranks and theirs, for A and B, worked by hand on the scale 1..5. The majority of
# B in i is 50 or 0: its squared error is the mean of 1250 / 2 and 5000 / 2.
EXPECTED = {
    "mean": ([100 / 3, 62.5], [100 / 3, 37.5], [2, 2], [1.5, 1.5], [0.5, 0.5]),
    "majority": ([50, 62.5], [50, np.sqrt(3125 / 2)], [2, 2], [1.5, 1.5], [0.5, 0.5]),
    "none": ([50, 50], [100 / np.sqrt(12), 50 / np.sqrt(3)], [4, 3], [1.625, 1.375], [np.sqrt(0.1875)] * 2),
}


def test_every_aggregation_of_a_case_worked_by_hand(ratings_of):
    for aggregate in aggregates(ratings_of(GIVEN), 2, (1, 5)):
        score, score_se, n, rank, rank_se = EXPECTED[aggregate.method]
        np.testing.assert_allclose(aggregate.score.at(np.ones((1, 2)))[0], score)
        np.testing.assert_allclose(aggregate.score_se, score_se)
        assert aggregate.n.tolist() == n
        np.testing.assert_allclose(aggregate.rank.at(np.ones((1, 2)))[0], rank)
        np.testing.assert_allclose(aggregate.rank_se, rank_se)
        assert aggregate.items.tolist() == [2, 2]


def test_standard_errors_of_random_ties_are_those_of_simulation(ratings_of):
    rng = np.random.default_rng(5)
    given = {(i, "A"): {"r": rng.integers(0, 2), "s": rng.integers(0, 2)} for i in range(12)}
    majority = aggregates(ratings_of(given), 12, (0, 1))[1]
    chance = np.array([np.mean(list(answers.values())) for answers in given.values()])
    drawn = 100 * (rng.random((40_000, 12)) < chance)
    simulated = np.sqrt((drawn.var(axis=1, ddof=1) / 12).mean())
    assert majority.score_se[0] == pytest.approx(simulated, rel=0.01)


def test_values_off_the_scale_are_not_clamped(ratings_of):
    mean = aggregates(ratings_of({("i", "A"): {"r": 7}}), 1, (1, 5))[0]
    assert mean.score.at(np.ones((1, 1)))[0, 0] == 150


def test_one_value_has_no_standard_error(ratings_of):
    for aggregate in aggregates(ratings_of({("i", "A"): {"r": 2}}), 1, (1, 5)):
        assert np.isnan(aggregate.score_se).all()
        assert np.isnan(aggregate.rank_se).all()


def test_a_scale_out_of_order_is_refused(ratings_of):
    with pytest.raises(ValueError, match="scale"):
        aggregates(ratings_of(GIVEN), 2, (5, 1))
