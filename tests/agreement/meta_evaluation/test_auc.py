import numpy as np
import pytest
from scipy import stats

from agreement.intervals.bootstrap import estimate
from agreement.meta_evaluation.auc import ONE_LABEL, auc_roc, auc_sums, hanley_mcneil

RISUM_TABLE_4 = [
    (78.5, 1.9), (71.8, 2.3), (79.5, 1.9), (71.1, 2.3), (39.5, 3.1), (42.2, 3.1), (68.4, 2.5), (69.7, 2.4), (71.9, 2.3),
    (74.0, 2.2), (77.8, 2.0), (67.2, 2.5), (81.7, 1.7), (79.7, 1.9), (75.0, 2.1), (69.0, 2.4), (80.4, 1.8), (78.2, 1.9),
    (66.4, 2.5), (67.1, 2.5),
]  # fmt: skip
"""AUC and standard error in percent; by Table 3a (81.3 + 86.8 + 96.7) % of 300 outputs have a majority of yes: 794."""


@pytest.mark.parametrize(("area", "se"), RISUM_TABLE_4)
def test_the_standard_errors_are_those_of_the_paper(area, se):
    assert 100 * hanley_mcneil(area / 100, 794, 106) == pytest.approx(se, abs=0.06)  # both are printed rounded


@pytest.mark.parametrize("seed", range(5))
def test_the_area_is_the_mann_whitney_statistic(seed):
    rng = np.random.default_rng(seed)
    yes, score = rng.integers(0, 2, 80).astype(float), rng.integers(0, 7, 80) / 3
    found = auc_roc(yes, score)
    u = stats.mannwhitneyu(score[yes == 1], score[yes == 0]).statistic
    assert found.value == pytest.approx(u / (yes.sum() * (1 - yes).sum()))
    assert (found.yes, found.no) == (yes.sum(), 80 - yes.sum())
    item = np.repeat(np.arange(20), 4)
    over_items = estimate([auc_sums(yes, score, item, 20)], 20, 100, seed)["auc_roc",]
    assert over_items.value == pytest.approx(found.value)
    assert over_items.interval[0] < found.value < over_items.interval[1]


def test_a_tied_majority_is_half_an_output_of_each_label():
    yes, score = np.array([1, 0.5, 0.5, 0, 1]), np.array([3.0, 2, 5, 1, 4])
    pairs = [(a, b) for a in range(5) for b in range(5)]
    above = sum(yes[a] * (1 - yes[b]) * (0.5 if a == b else score[a] > score[b]) for a, b in pairs)
    assert auc_roc(yes, score).value == pytest.approx(above / (yes.sum() * (1 - yes).sum()))


@pytest.mark.parametrize("shared", [0.0, 0.8])
def test_the_interval_covers_the_true_area_also_if_outputs_of_an_item_are_alike(shared):
    """`shared` is the correlation of the scores of an item's ten outputs, and of their labels."""
    rng = np.random.default_rng(1)
    truth, inside = stats.norm.cdf(1 / np.sqrt(2)), 0
    item = np.repeat(np.arange(60), 10)
    for _ in range(150):
        of_item = rng.normal(size=(2, 60, 1)) * np.sqrt(shared)
        latent, noise = of_item + rng.normal(size=(2, 60, 10)) * np.sqrt(1 - shared)
        yes = (latent.ravel() > 0).astype(float)
        found = estimate([auc_sums(yes, noise.ravel() + yes, item, 60)], 60, 200, 1)["auc_roc",]
        inside += found.interval[0] <= truth <= found.interval[1]
    assert 0.88 <= inside / 150 <= 0.99


def test_many_scores_are_counted_in_parts(monkeypatch):
    rng = np.random.default_rng(2)
    yes, score, item = rng.integers(0, 2, 90).astype(float), rng.random(90), np.repeat(np.arange(30), 3)
    sums, weights = auc_sums(yes, score, item, 30), rng.integers(0, 3, (50, 30)).astype(float)
    whole = sums.at(weights)
    monkeypatch.setattr("agreement.meta_evaluation.auc.CELLS_AT_ONCE", 300)
    assert sums.at(weights) == pytest.approx(whole)


def test_one_label_has_no_area():
    found = auc_roc(np.ones(3), np.arange(3.0))
    assert (found.value, found.reason) == (None, ONE_LABEL)
    over_items = estimate([auc_sums(np.ones(3), np.arange(3.0), np.arange(3), 3)], 3, 10, 1)["auc_roc",]
    assert (over_items.value, over_items.reason) == (None, ONE_LABEL)


def test_only_outputs_of_one_group_are_compared():
    rng = np.random.default_rng(3)
    yes, score, group = rng.integers(0, 2, 60).astype(float), rng.integers(0, 5, 60) * 1.0, np.repeat([0, 1, 2], 20)
    wins, pairs = 0.0, 0.0
    for one in range(3):
        own = group == one
        found = auc_roc(yes[own], score[own])
        wins, pairs = wins + found.value * found.yes * found.no, pairs + found.yes * found.no
    sums = auc_sums(yes, score, np.arange(60), 60, group)
    assert sums.at(np.ones((1, 60)))[0, 0] == pytest.approx(wins / pairs)
