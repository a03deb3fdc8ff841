"""Paired t-tests of all pairs of systems, and the curve of p-values by sample size."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from agreement.comparisons.holm import holm
from parts.papers.figures.system_separation import (
    NO_TEST,
    ONE_SUBSET,
    TOO_FEW_ITEMS,
    TOO_FEW_SYSTEMS,
    TOO_SMALL,
    paired_t_p,
    separation_report,
)
from parts.papers.figures.win_rates import PreferenceTable


def table_of(rates, items, seed=1):
    rng = np.random.default_rng(seed)
    value = (rng.random((items, len(rates))) < np.array(rates)).astype(float)
    return PreferenceTable(value, tuple("abcdefgh"[: len(rates)]))


def test_p_values_are_those_of_scipy():
    values = table_of([0.3, 0.4, 0.5, 0.9], 40).value
    expected = [ttest_rel(values[:, a], values[:, b]).pvalue for a, b in combinations(range(4), 2)]
    assert paired_t_p(values) == pytest.approx(np.array(expected))


def test_systems_that_never_differ_and_those_that_always_do():
    same, opposite = np.array([1.0, 0, 1, 0]), np.array([0.0, 0, 0, 0])
    assert paired_t_p(np.stack([same, same], axis=1)) == 1
    assert paired_t_p(np.stack([opposite + 1, opposite], axis=1)) == 0


def test_all_pairs_are_tested_with_holms_correction():
    table = table_of([0.2, 0.5, 0.55], 80)
    table.value[:10, 2] = np.nan
    report = separation_report(table, [])
    p = []
    for row, (a, b) in zip(report["comparisons"], combinations(range(3), 2), strict=True):
        both = table.value[~np.isnan(table.value[:, [a, b]]).any(axis=1)]
        p.append(ttest_rel(both[:, a], both[:, b]).pvalue)
        assert row["systems"] == ["abc"[a], "abc"[b]]
        assert row["t_p"] == pytest.approx(p[-1])
    assert [row["t_p_holm"] for row in report["comparisons"]] == pytest.approx(holm(p))
    assert report["share_below_05"] == np.mean(np.array(p) < 0.05)
    assert report["share_below_05_holm"] == np.mean(np.array(holm(p)) < 0.05)
    assert (report["tested"], report["complete_items"]) == (3, 70)


def test_the_curve_pools_p_values_of_subsets_without_replacement():
    table = table_of([0.2, 0.4, 0.5, 0.7], 120)
    report = separation_report(table, [20, 60, 120], subsets=30, seed=7)
    rng = np.random.default_rng(7)
    for entry, size in zip(report["curve"][:2], (20, 60), strict=True):
        drawn = [table.value[rng.permutation(120)[:size]] for _ in range(30)]
        p = [[ttest_rel(own[:, a], own[:, b]).pvalue for a, b in combinations(range(4), 2)] for own in drawn]
        assert entry["p_quantile_90"] == pytest.approx(np.quantile(p, 0.9))
        assert entry["share_below_05"] == pytest.approx(np.mean(np.array(p) < 0.05))
        assert entry["share_below_05_sd"] == pytest.approx(np.std(np.mean(np.array(p) < 0.05, axis=1), ddof=1))
        assert (entry["size"], entry["subsets"]) == (size, 30)
    whole = report["curve"][2]
    assert whole["subsets"] == 1
    assert whole["share_below_05"] == report["share_below_05"]
    assert report["undefined"] == {"curve.2.share_below_05_sd": ONE_SUBSET}


def test_more_items_tell_more_systems_apart():
    curve = separation_report(table_of([0.3, 0.45, 0.6], 400), [20, 100, 300], subsets=40)["curve"]
    shares, quantiles = ([entry[name] for entry in curve] for name in ("share_below_05", "p_quantile_90"))
    assert shares == sorted(shares)
    assert shares[0] < shares[-1]
    assert quantiles == sorted(quantiles, reverse=True)


def test_equal_systems_are_told_apart_by_chance_only():
    rng = np.random.default_rng(0)
    below = [paired_t_p((rng.random((100, 5)) < 0.5).astype(float)) < 0.05 for _ in range(200)]
    assert np.mean(below) == pytest.approx(0.05, abs=0.02)


def test_what_is_undefined_says_why():
    report = separation_report(table_of([0.3, 0.6], 30), [1, 31])
    assert report["undefined"]["curve.0.share_below_05"] == TOO_SMALL
    assert report["undefined"]["curve.1.p_quantile_90"] == TOO_FEW_ITEMS
    alone = separation_report(table_of([0.3], 30), [10])
    assert alone["undefined"]["curve.0.p_quantile_90"] == TOO_FEW_SYSTEMS
    assert alone["undefined"]["share_below_05"] == NO_TEST
    nobody = separation_report(PreferenceTable(np.zeros((3, 0)), ()), [2])
    assert (nobody["comparisons"], nobody["complete_items"]) == ([], 0)
