"""Taus between two raters' scores, against scipy, item by item."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from agreement.intervals.interval_report import PART_UNDEFINED
from agreement.meta_evaluation.output_answers import Outputs
from parts.papers.figures.protocol_consistency import NO_ORDER, consistency_report
from tests.agreement.random_answers import random_outputs


def naive(first, second, outputs):
    """System tau and mean item tau, with 0 if one rater ties all outputs of an item."""
    both = ~np.isnan(first) & ~np.isnan(second)
    means, taus = [], []
    for code in range(len(outputs.systems)):
        own = both & (outputs.system == code)
        means.append((first[own].mean(), second[own].mean()))
    for item in range(outputs.items):
        own = both & (outputs.item == item)
        constant = [len(set(scores[own])) < 2 for scores in (first, second)]
        if own.sum() > 1 and not all(constant):
            taus.append(0.0 if any(constant) else kendalltau(first[own], second[own]).statistic)
    return kendalltau(*zip(*means, strict=True)).statistic, np.mean(taus)


def two_raters(rng, outputs, steps=3):
    scores = rng.integers(0, steps, (2, outputs.size)).astype(float)
    scores[rng.random(scores.shape) < 0.1] = np.nan
    return scores[0], scores[1]


@pytest.mark.parametrize("seed", range(5))
def test_taus_are_those_of_scipy_and_means_run_over_dimensions(seed):
    rng = np.random.default_rng(seed)
    outputs = random_outputs(rng, items=15, missing=0.1)
    scores = {name: two_raters(rng, outputs) for name in ("overall", "missing", "irrelevant")}
    report = consistency_report(scores, outputs, replicates=20)
    expected = {name: naive(*pair, outputs) for name, pair in scores.items()}
    for name, (of_systems, of_items) in expected.items():
        found = report["dimensions"][name]
        assert found["system_kendall_tau_b"] == pytest.approx(of_systems)
        assert found["item_kendall_tau_b"] == pytest.approx(of_items)
    means = np.mean(list(expected.values()), axis=0)
    assert (report["system_kendall_tau_b"], report["item_kendall_tau_b"]) == pytest.approx(tuple(means))
    low, high = report["item_kendall_tau_b_ci"]
    assert low <= high


def test_neither_rater_comes_first():
    rng = np.random.default_rng(9)
    outputs = random_outputs(rng, items=30)
    first, second = two_raters(rng, outputs, steps=2)
    one, other = (consistency_report({"d": pair}, outputs, replicates=0) for pair in ((first, second), (second, first)))
    assert one == other
    assert one["dimensions"]["d"]["items_one_constant"] > 0


def test_items_without_an_order_are_counted():
    outputs = Outputs(np.repeat(np.arange(3), 2), np.tile([0, 1], 3), np.ones(6), ("a", "b"), 3)
    first = np.array([1.0, 2, 1, 1, 1, 1])
    second = np.array([1.0, 2, 1, 2, 1, 1])
    found = consistency_report({"d": (first, second)}, outputs, replicates=0)["dimensions"]["d"]
    assert (found["items_used"], found["items_one_constant"], found["items_both_constant"]) == (2, 1, 1)
    assert found["item_kendall_tau_b"] == 0.5


def test_a_mean_is_undefined_if_a_dimension_is():
    outputs = Outputs(np.array([0, 0]), np.array([0, 1]), np.ones(2), ("a", "b"), 1)
    good, flat = np.array([1.0, 2.0]), np.array([1.0, 1.0])
    report = consistency_report({"good": (good, good), "flat": (flat, flat)}, outputs, replicates=0)
    assert report["dimensions"]["good"]["item_kendall_tau_b"] == 1
    assert report["item_kendall_tau_b"] is None
    assert report["undefined"]["dimensions.flat.item_kendall_tau_b"] == NO_ORDER
    assert report["undefined"]["item_kendall_tau_b"] == PART_UNDEFINED
    with pytest.raises(ValueError, match="at least one dimension"):
        consistency_report({}, outputs)
