import numpy as np
import pytest

from agreement.intervals import bootstrap
from agreement.intervals.bootstrap import (
    NO_VARIATION,
    TOO_FEW_ITEMS,
    Balances,
    Discrete,
    Ratios,
    RekeyedSums,
    Shares,
    estimate,
    item_weights,
)
from agreement.intervals.bounded_intervals import clustered_mean

pytestmark = pytest.mark.quick
KEY = ("figure",)


class RarelyDefined:
    """A figure that is defined for the data and for draws with item 0 at least twice."""

    keys = (KEY,)

    def at(self, weights):
        defined = (weights[:, 0] > 1) | (weights == 1).all(axis=1)
        return np.where(defined, 1.0, np.nan)[:, None]


def ratio(numerator, denominator):
    columns = (np.array(part, dtype=float)[:, None] for part in (numerator, denominator))
    return Ratios((KEY,), *columns, reasons=("nothing to divide by",))


def test_weights_draw_as_many_items_as_there_are():
    weights = np.concatenate(list(item_weights(7, 50, seed=0)))
    assert weights.shape == (50, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert len(np.unique(weights, axis=0)) > 40


def test_the_seed_decides_the_draws_and_the_size_of_blocks_does_not(monkeypatch):
    whole = np.concatenate(list(item_weights(7, 50, seed=4)))
    monkeypatch.setattr(bootstrap, "DRAWS_AT_ONCE", 30)
    assert (np.concatenate(list(item_weights(7, 50, seed=4))) == whole).all()
    assert (np.concatenate(list(item_weights(7, 50, seed=5))) != whole).any()


def test_the_interval_is_the_middle_95_percent_of_the_replicates():
    values = np.array([1.0, 4.0, 9.0, 2.0])
    figure = estimate([ratio(values, np.ones(4))], 4, 200, seed=0)[KEY]
    means = [weights @ values / 4 for weights in np.concatenate(list(item_weights(4, 200, seed=0)))]
    assert figure.value == 4
    assert figure.interval == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))
    assert figure.left_out == 0


def test_replicates_without_the_figure_are_left_out_and_counted():
    figure = estimate([ratio([1, 0, 0], [1, 0, 1])], 3, 300, seed=0)[KEY]
    weights = np.concatenate(list(item_weights(3, 300, seed=0)))
    defined = weights[:, [0, 2]].sum(axis=1) > 0
    assert figure.left_out == (~defined).sum() > 0
    replicates = weights[defined, 0] / weights[defined][:, [0, 2]].sum(axis=1)
    assert figure.interval == pytest.approx(tuple(np.percentile(replicates, [2.5, 97.5])))


def test_a_figure_undefined_for_most_replicates_has_no_interval():
    figure = estimate([RarelyDefined()], 10, 200, seed=0)[KEY]
    assert figure.value == 1
    assert figure.interval is None
    assert "half" in figure.interval_reason
    assert figure.left_out > 100


def test_an_undefined_figure_has_a_reason_and_no_interval():
    figure = estimate([ratio([0, 0], [0, 0])], 2, 10, seed=0)[KEY]
    assert (figure.value, figure.interval) == (None, None)
    assert figure.reason == "nothing to divide by"


@pytest.mark.parametrize(("items", "replicates"), [(1, 100), (2, 0)])
def test_one_item_or_no_replicate_gives_no_interval(items, replicates):
    figure = estimate([ratio([3] * items, [1] * items)], items, replicates, seed=0)[KEY]
    assert figure.value == 3
    assert figure.interval is None
    assert "two items" in figure.interval_reason


def test_a_mean_that_does_not_vary_has_no_interval_but_the_number_of_its_items():
    figure = estimate([ratio([10, 15, 0], [2, 3, 0])], 3, 100, seed=0)[KEY]
    assert (figure.value, figure.interval, figure.interval_reason, figure.items) == (5, None, NO_VARIATION, 2)


def test_a_figure_of_one_of_many_items_has_no_interval():
    figure = estimate([ratio([0, 5, 0], [0, 1, 0])], 3, 100, seed=0)[KEY]
    assert (figure.value, figure.interval, figure.interval_reason, figure.items) == (5, None, TOO_FEW_ITEMS, 1)


@pytest.mark.parametrize("kind", [Shares, Balances])
def test_shares_have_intervals_of_their_own_under_any_key(kind):
    won, of = np.array([[2.0], [3], [1]]), np.array([[2.0], [3], [1]])
    sums = kind((KEY,), won, of, ("nothing",))
    ends = (0.0, 1.0) if kind is Shares else (-1.0, 1.0)
    for one in (sums, RekeyedSums(sums, (KEY,))):
        figure = estimate([one], 3, 50, seed=0)[KEY]
        assert figure.interval == pytest.approx(clustered_mean(1.0, won[:, 0], of[:, 0], ends))
        assert figure.interval[0] < 0.7 < figure.interval[1] == 1


class Always(Discrete):
    keys = (KEY,)

    def at(self, weights):
        return np.ones((weights.shape[0], 1))


def test_a_place_that_never_changes_has_an_interval_all_the_same():
    figure = estimate([RekeyedSums(Always(), (KEY,))], 3, 50, seed=0)[KEY]
    assert figure.interval == (1, 1)


def test_ratios_have_the_same_figures_alone_and_together():
    rng = np.random.default_rng(2)
    shared = rng.integers(0, 3, 6)
    ratios = [ratio(rng.random(6) * shared, shared), ratio(rng.random(6), np.ones(6)), ratio(shared, np.ones(6))]
    renamed = [Ratios(((f"{n}",),), one.numerator, one.denominator, one.reasons) for n, one in enumerate(ratios)]
    together = estimate([*renamed, RarelyDefined()], 6, 100, seed=3)
    for number, one in enumerate(ratios):
        alone, among_others = estimate([one], 6, 100, seed=3)[KEY], together[(f"{number}",)]
        assert among_others.value == pytest.approx(alone.value)
        assert among_others.interval == pytest.approx(alone.interval)
    assert together[KEY] == estimate([RarelyDefined()], 6, 100, seed=3)[KEY]


def test_an_interval_without_width_is_none_though_a_few_resamples_differ():
    values = np.array([1.0] * 200)

    class Nearly:
        keys = (KEY,)

        def at(self, weights):
            return np.where(weights[:, 0] > 4, 0.5, (weights @ values) / 200)[:, None]

    figure = estimate([Nearly()], 200, 2000, seed=0)[KEY]
    assert (figure.interval, figure.interval_reason) == (None, NO_VARIATION)
    assert figure.deviation > 0
