import json

import numpy as np
import pytest
from scipy.stats import kendalltau

from agreement.intervals.bootstrap import NO_VARIATION
from agreement.reliability.alpha import alpha
from agreement.reliability.dimensions import NO_ORDER, by_annotator, by_mean, describe_dimensions, tau_b

pytestmark = pytest.mark.quick


@pytest.fixture
def two_of(rankings_of):
    """Two dimensions with shared codes, from rows (item, rater, ranks in one, ranks in the other)."""

    def build(rows):
        both = rankings_of([row[:3] for row in rows] + [(*row[:2], row[3]) for row in rows])
        return both.only(np.arange(len(rows))), both.only(np.arange(len(rows), 2 * len(rows)))

    return build


def random_rows(seed):
    rng = np.random.default_rng(seed)
    draw = lambda: {name: int(rng.integers(1, 4)) for name in "abcd"}  # noqa: E731
    return [(f"i{item}", f"r{rater}", draw(), draw()) for item in range(6) for rater in range(2)]


def test_a_case_worked_by_hand(two_of):
    rows = [
        ("i", "r", {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 3, "c": 2}),
        ("i", "s", {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 2, "c": 3}),
        ("j", "r", {"a": 1, "b": 1}, {"a": 1, "b": 2}),
    ]
    report = describe_dimensions(*two_of(rows), replicates=0)
    assert (report["annotator"]["groups"], report["annotator"]["left_out"]) == (3, 1)
    assert report["annotator"]["item_tau_b"] == pytest.approx((1 / 3 + 1) / 2)
    # On i the means are 3, 2, 1 and 3, 1.5, 1.5; on j one dimension ties both outputs.
    assert report["mean"]["item_tau_b"] == pytest.approx(2 / np.sqrt(3 * 2))
    assert (report["mean"]["groups"], report["mean"]["left_out"]) == (2, 1)
    values = np.array([3, 3, 2, 1.5, 1, 1.5, 2, 2, 2, 1])
    unit = np.repeat(np.arange(5), 2)
    assert report["mean"]["alpha_interval_ranks"] == pytest.approx(alpha(unit, values, "interval"))
    assert report["mean"]["alpha_ordinal_ranks"] == pytest.approx(alpha(unit, values, "ordinal"))


@pytest.mark.parametrize("match", [by_mean, by_annotator])
def test_tau_b_is_that_of_scipy(two_of, match):
    matched = match(*two_of(random_rows(1)))
    for group, tau in enumerate(tau_b(matched)):
        own = matched.group == group
        first, second = matched.first[own], matched.second[own]
        if np.ptp(first) and np.ptp(second):
            assert tau == pytest.approx(kendalltau(first, second).statistic)
        else:
            assert np.isnan(tau)


def test_a_dimension_agrees_with_itself(two_of):
    rows = [(item, rater, ranks, ranks) for item, rater, ranks, _ in random_rows(2)]
    report = describe_dimensions(*two_of(rows), replicates=5)
    for part in ("mean", "annotator"):
        for name in ("alpha_masi_rankings", "alpha_ordinal_ranks", "alpha_interval_ranks", "item_tau_b"):
            assert report[part][name] == pytest.approx(1)
            assert report[part][f"{name}_ci"] is None
            assert report["undefined"][f"{part}.{name}_ci"] == NO_VARIATION


def test_annotators_count_by_their_last_ranking_and_the_mean_uses_all(two_of):
    rows = [("i", "r", {"a": 1, "b": 2}, {"a": 1, "b": 2}), ("i", "r", {"a": 2, "b": 1}, {"a": 2, "b": 1})]
    first, second = two_of(rows)
    assert by_annotator(first, second).first.tolist() == [1, 2]
    assert by_mean(first, second).first.tolist() == [1.5, 1.5]


def test_dimensions_without_an_order_or_rankings_are_undefined(two_of):
    report = describe_dimensions(*two_of([("i", "r", {"a": 1, "b": 1}, {"a": 1, "b": 2})]), replicates=0)
    assert report["mean"]["item_tau_b"] is None
    assert report["undefined"]["mean.item_tau_b"] == NO_ORDER
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_dimensions_with_different_names_are_refused(rankings_of):
    a, b = rankings_of([("i", "r", {"a": 1})]), rankings_of([("i", "r", {"b": 1})])
    with pytest.raises(ValueError, match="share"):
        describe_dimensions(a, b)
