import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from agreement.arrays.scored_outputs import ScoresOfOutputs
from agreement.comparisons import randomisation_tests as tests
from agreement.comparisons.holm import holm
from agreement.comparisons.randomisation_tests import DRAWS, NOTHING_SHARED, randomisation_p


def scores_of(table, systems):
    """Scores from {(item, system): score}."""
    items, names = sorted({item for item, _ in table}), list(systems)
    return ScoresOfOutputs(
        np.array([items.index(item) for item, _ in table]), np.array([names.index(name) for _, name in table]),
        np.array(list(table.values()), dtype=float), np.full(len(table), np.nan), tuple(names), len(items),
    )  # fmt: skip


def test_all_signs_of_three_differences_are_tried():
    # sums of +-1 +-2 +-3: 6, 4, 2, 0, 0, -2, -4, -6; |sum| >= 2 in six of eight
    assert randomisation_p([np.array([1.0, -2.0, 3.0])]) == [pytest.approx(0.75)]
    assert randomisation_p([np.array([-1.0, 2.0, 3.0])]) == [pytest.approx(0.5)]
    assert randomisation_p([np.array([1.0, 2.0, 3.0])]) == [pytest.approx(0.25)]


def test_differences_of_0_change_nothing_and_alone_have_no_p():
    assert randomisation_p([np.array([0.0, 1.0, 0.0, 2.0, 3.0]), np.zeros(4)]) == [pytest.approx(0.25), None]


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=10))
def test_exact_p_values_are_those_of_scipy(differences):
    [p] = randomisation_p([np.array(differences, dtype=float)])
    if not any(differences):
        assert p is None
        return
    theirs = permutation_test(
        (np.array(differences, dtype=float),), lambda x, axis: np.abs(x.sum(axis=axis)), permutation_type="samples",
        n_resamples=np.inf, alternative="greater", vectorized=True,
    )  # fmt: skip
    assert p == pytest.approx(theirs.pvalue)


@pytest.mark.parametrize("shift", [0.0, 0.2, 0.5])
def test_drawn_p_values_are_near_those_of_scipy_and_of_the_normal_distribution(shift, monkeypatch):
    differences = np.random.default_rng(3).normal(shift, 2, 60)
    theirs = permutation_test(
        (differences,), lambda x, axis: np.abs(x.sum(axis=axis)), permutation_type="samples", n_resamples=DRAWS,
        alternative="greater", vectorized=True, rng=np.random.default_rng(1),
    ).pvalue  # fmt: skip
    [drawn] = randomisation_p([differences])
    monkeypatch.setattr(tests, "MOST_DRAWN", 20)
    [normal] = randomisation_p([differences])
    assert drawn == pytest.approx(theirs, abs=0.02)
    assert normal == pytest.approx(drawn, abs=0.03)


def test_a_test_does_not_depend_on_the_pairs_beside_it():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0.2, 1, 40), rng.normal(0, 1, 90)
    assert randomisation_p([one])[0] == pytest.approx(randomisation_p([other, one])[1], abs=0.02)


def test_no_p_value_is_0_and_order_and_sign_do_not_matter():
    strong = np.full(500, 1.0)
    assert randomisation_p([strong, -strong]) == [1 / (1 + DRAWS)] * 2


def test_pairs_are_tested_over_shared_items_and_corrected():
    table = {(item, name): value for item in range(6) for name, value in (("a", 5), ("b", 3 + item % 2))}
    table |= {(item, "c"): 1 for item in range(6)} | {(9, "d"): 4}
    rows = tests.randomisation_tests(scores_of(table, "abcd"))
    found = {"".join(row["systems"]): row for row in rows}
    assert [found[pair]["items"] for pair in ("ab", "ac", "bc", "ad")] == [6, 6, 6, 0]
    assert found["ab"]["mean_difference"] == pytest.approx(1.5)
    assert [found[pair]["p"] for pair in ("ab", "ac", "bc")] == [pytest.approx(2 / 2**6)] * 3
    assert [found[pair]["p_holm"] for pair in ("ab", "ac", "bc")] == [pytest.approx(3 * 2 / 2**6)] * 3
    assert (found["ad"]["p"], found["ad"]["p_holm"], found["ad"]["undefined"]) == (None, None, NOTHING_SHARED)
    assert [row["p_holm"] for row in rows] == holm([row["p"] for row in rows])


def test_more_systems_than_draws_can_tell_apart_are_refused():
    names = [f"s{number}" for number in range(41)]
    with pytest.raises(ValueError, match="more than 40 systems"):
        tests.randomisation_tests(scores_of({(0, name): 1 for name in names}, names))
