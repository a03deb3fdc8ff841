"""Leaderboards by expected win rate: counts in plain Python, ranks under resampling, and the two sets of items."""

import numpy as np
import pytest
from scipy.stats import pearsonr, rankdata, spearmanr

from agreement.intervals.bootstrap import item_weights
from parts.papers.figures.category_agreement import item_categories
from parts.papers.figures.item_set_correlation import CONSTANT, TOO_FEW, set_correlation_report
from parts.papers.figures.system_outcomes import system_outcomes
from parts.papers.figures.win_rates import NOT_JUDGED, PreferenceTable, preference_table, win_rate_report
from tests.agreement.random_answers import random_choices, random_outputs

pytestmark = pytest.mark.quick


def random_table(seed, items=60, systems=5, missing=0.2):
    rng = np.random.default_rng(seed)
    value = (rng.random((items, systems)) < np.linspace(0.2, 0.8, systems)).astype(float)
    value[rng.random(value.shape) < missing] = np.nan
    return PreferenceTable(value, tuple("abcdefghij"[:systems]))


def test_an_item_counts_once_and_ties_count_as_wins():
    rng = np.random.default_rng(4)
    outputs = random_outputs(rng, items=12, missing=0.1)
    choices = random_choices(rng, outputs, share=0.8, repeats=2)
    table = preference_table(system_outcomes(choices, outputs), "b")
    assert table.systems == ("a", "c", "d")
    judged = {}
    for one, other, choice in zip(choices.first, choices.second, choices.choice, strict=True):
        pair = [outputs.systems[outputs.system[code]] for code in (one, other)]
        if "b" in pair:
            target = pair[1] if pair[0] == "b" else pair[0]
            not_lost = choice == 2 or pair[choice] == target
            judged.setdefault((outputs.item[one], target), []).append(not_lost)
    for item in range(12):
        for column, name in enumerate(table.systems):
            expected = np.mean(judged[item, name]) if (item, name) in judged else np.nan
            assert table.value[item, column] == pytest.approx(expected, nan_ok=True)


def test_rates_are_means_overall_and_by_category():
    table = random_table(1)
    kinds = [["qa"] if item % 2 else ["qa", "rewrite"] if item % 4 else [] for item in range(60)]
    report = win_rate_report(table, "base", item_categories(kinds), replicates=50)
    parts = {name: np.array([name in own for own in kinds]) for name in ("qa", "rewrite")}
    rates = {}
    for column, name in enumerate(table.systems):
        found, own = report["systems"][name], table.value[:, column]
        assert found["expected_win_rate"] == pytest.approx(np.nanmean(own))
        assert found["items"] == np.isfinite(own).sum()
        assert found["expected_win_rate_ci"][0] < found["expected_win_rate"] < found["expected_win_rate_ci"][1]
        for part, member in parts.items():
            assert found["categories"][part]["expected_win_rate"] == pytest.approx(np.nanmean(own[member]))
            assert found["categories"][part]["items"] == np.isfinite(own[member]).sum()
        rates[name] = np.nanmean(own)
    assert list(report["systems"]) == sorted(rates, key=lambda name: -rates[name])
    assert [found["rank"] for found in report["systems"].values()] == [1, 2, 3, 4, 5]


def test_rank_intervals_are_those_of_the_resampled_items():
    table = random_table(2, missing=0.0)
    report = win_rate_report(table, "base", replicates=300, seed=9)
    (weights,) = item_weights(60, 300, 9)
    resampled = [table.value[np.repeat(np.arange(60), own.astype(int))].mean(axis=0) for own in weights]
    ranks = np.array([rankdata(np.round(-rates, 12), method="min") for rates in resampled])
    for column, name in enumerate(table.systems):
        low, high = np.percentile(ranks[:, column], [2.5, 97.5])
        assert report["systems"][name]["rank_ci"] == [np.floor(low), np.ceil(high)]


def test_equal_rates_share_a_rank_and_a_system_without_an_item_has_none():
    value = np.array([[1, 1, 0, np.nan], [0, 0, 0, np.nan]])
    report = win_rate_report(PreferenceTable(value, ("a", "b", "c", "d")), "base", replicates=0)
    assert {name: found["rank"] for name, found in report["systems"].items()} == {"a": 1, "b": 1, "c": 3, "d": None}
    assert report["undefined"]["systems.d.expected_win_rate"] == NOT_JUDGED
    with pytest.raises(ValueError, match="for each item"):
        win_rate_report(random_table(1), "base", item_categories([["x"]]))
    nobody = win_rate_report(PreferenceTable(np.zeros((3, 0)), ()), "base", replicates=5)
    assert nobody["systems"] == {}


def test_correlations_between_sets_are_those_of_scipy():
    table = random_table(3, systems=8)
    first = np.arange(60) % 3 == 0
    report = set_correlation_report(table, first, ~first, replicates=200)
    rates = [np.nanmean(table.value[own], axis=0) for own in (first, ~first)]
    assert report["pearson"] == pytest.approx(pearsonr(*rates).statistic)
    assert report["spearman"] == pytest.approx(spearmanr(*np.round(rates, 12)).statistic)
    assert report["items"] == [20, 40]
    for column, name in enumerate(table.systems):
        assert report["rates"][name] == pytest.approx([own[column] for own in rates])
    for name in ("pearson", "spearman"):
        low, high = report[f"{name}_ci"]
        assert -1 <= low < high <= 1


def test_intervals_of_correlations_resample_items():
    table = random_table(5, missing=0.0)
    first = np.arange(60) < 30
    report = set_correlation_report(table, first, ~first, replicates=100, seed=3)
    (weights,) = item_weights(60, 100, 3)
    drawn = []
    for own in weights:
        items = np.repeat(np.arange(60), own.astype(int))
        drawn.append(pearsonr(*(table.value[items[part[items]]].mean(axis=0) for part in (first, ~first))).statistic)
    assert report["pearson_ci"] == pytest.approx(list(np.percentile(drawn, [2.5, 97.5])))


def test_an_undefined_correlation_says_why():
    table = random_table(6, systems=4)
    first = np.arange(60) < 30
    table.value[first, 0] = table.value[first, 1] = np.nan
    report = set_correlation_report(table, first, ~first, replicates=10)
    assert report["pearson"] is None
    assert report["undefined"]["spearman"] == TOO_FEW
    assert list(report["rates"]) == ["c", "d"]
    flat = PreferenceTable(np.ones((4, 3)), ("a", "b", "c"))
    report = set_correlation_report(flat, np.arange(4) < 2, np.arange(4) >= 2, replicates=10)
    assert report["undefined"]["pearson"] == CONSTANT
    with pytest.raises(ValueError, match="share an item"):
        set_correlation_report(flat, np.ones(4, dtype=bool), np.ones(4, dtype=bool))
    with pytest.raises(ValueError, match="one entry per item"):
        set_correlation_report(flat, np.ones(3, dtype=bool), np.zeros(3, dtype=bool))
