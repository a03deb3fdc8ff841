"""McNemar's tests of shares between systems: the source study's figure, an enumeration of signs, and edge cases."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from agreement.comparisons.holm import holm
from agreement.comparisons.mean_comparisons import NO_DIFFERENCE
from agreement.comparisons.share_comparisons import (
    MOST_INTERVALS,
    TOO_MANY_PAIRS,
    SharedOutputs,
    share_comparisons,
    share_differences,
)
from agreement.intervals.bootstrap import NO_VARIATION, estimate, item_weights

pytestmark = pytest.mark.quick


def outputs_of(columns):
    """Outputs from {system: one character per item, 1 without errors, 0 with errors, blank if left out}."""
    table = np.array([list(column) for column in columns.values()]).T
    counts, free = (table != " ").astype(float), (table == "1").astype(float)
    return SharedOutputs(counts, free, np.zeros_like(counts), tuple(columns))


def compared(columns, replicates=0):
    outputs = outputs_of(columns)
    differences = share_differences(outputs)
    estimates = {} if differences is None else estimate([differences], len(outputs.free), replicates, 0)
    return share_comparisons(outputs, estimates)


def instrusum():
    """86 and 80 of 100 summaries without an error, with 10 on which the two systems differ."""
    return {"gpt-4": "1" * 78 + "1" * 8 + "0" * 2 + "0" * 12, "gpt-3.5": "1" * 78 + "0" * 8 + "1" * 2 + "0" * 12}


def test_the_p_value_of_the_source_study_is_reproduced():
    (row,), undefined = compared(instrusum(), replicates=200)
    assert (row["items"], row["first_only"], row["second_only"]) == (100, 8, 2)
    assert row["mean_difference"] == pytest.approx(0.06)
    assert round(row["mcnemar_p"], 3) == 0.058
    assert row["exact_p"] == pytest.approx(2 * (1 + 10 + 45) / 2**10)
    free = outputs_of(instrusum()).free
    assert round(ttest_rel(*free.T).pvalue, 3) == 0.057
    low, high = row["mean_difference_ci"]
    assert low < 0.06 < high
    assert undefined == {}


def test_the_asymptotic_value_is_that_of_the_signed_ranks_without_correction():
    rng = np.random.default_rng(2)
    first, second = (rng.random(60) < share for share in (0.8, 0.6))
    columns = {name: "".join("01"[int(one)] for one in column) for name, column in (("a", first), ("b", second))}
    (row,), _ = compared(columns)
    expected = wilcoxon(first.astype(float) - second, method="approx", correction=False).pvalue
    assert row["mcnemar_p"] == pytest.approx(expected)


@pytest.mark.parametrize(("first_only", "second_only"), [(0, 1), (3, 0), (4, 2), (3, 3), (1, 7), (6, 6)])
def test_the_exact_value_is_the_share_of_sign_changes_as_far_apart(first_only, second_only):
    (row,), _ = compared({"a": "1" * first_only + "0" * second_only, "b": "0" * first_only + "1" * second_only})
    sums = [sum(signs) for signs in product((-1, 1), repeat=first_only + second_only)]
    expected = np.mean([abs(one) >= abs(first_only - second_only) for one in sums])
    assert row["exact_p"] == pytest.approx(expected)


def test_only_items_with_both_outputs_count():
    rows, _ = compared({"a": "11 0", "b": "0 01", "c": "   1"})
    assert [(row["systems"], row["items"]) for row in rows] == [(["a", "b"], 2), (["a", "c"], 1), (["b", "c"], 1)]
    assert [(row["first_only"], row["second_only"]) for row in rows] == [(1, 1), (0, 1), (0, 0)]
    assert compared({"a": "1 ", "b": " 1"}) == ([], {})


def test_systems_that_never_differ_have_no_p_value():
    (row,), undefined = compared({"a": "101", "b": "101"}, replicates=20)
    assert (row["mean_difference"], row["mean_difference_ci"]) == (0, None)
    assert undefined.pop("comparisons.a.b.mean_difference_ci") == NO_VARIATION
    assert [row[name] for name in ("mcnemar_p", "exact_p", "mcnemar_p_holm", "exact_p_holm")] == [None] * 4
    assert undefined == {f"comparisons.a.b.{test}": NO_DIFFERENCE for test in ("mcnemar_p", "exact_p")}


def test_values_are_corrected_for_the_number_of_pairs():
    rows, _ = compared({"a": "1111110", "b": "0000011", "c": "1010101"})
    for test in ("mcnemar_p", "exact_p"):
        assert [row[f"{test}_holm"] for row in rows] == holm([row[test] for row in rows])


def test_the_interval_equals_that_of_resampled_items():
    columns = {"a": "1101101 11", "b": "100110111 "}
    (row,), _ = compared(columns, replicates=300)
    table = outputs_of(columns)
    drawn = []
    for weights in np.concatenate(list(item_weights(10, 300, 0))):
        both = weights * table.counts.prod(axis=1)
        drawn.append((both * (table.free[:, 0] - table.free[:, 1])).sum() / both.sum())
    assert row["mean_difference_ci"] == pytest.approx(np.percentile(drawn, [2.5, 97.5]).tolist())


def test_too_many_pairs_have_tests_and_no_intervals():
    systems = next(n for n in range(100) if n * (n - 1) / 2 > MOST_INTERVALS)
    rows, undefined = compared({f"s{n}": "10" if n % 2 else "11" for n in range(systems)}, replicates=20)
    assert len(rows) == systems * (systems - 1) / 2
    assert {row["mean_difference_ci"] for row in rows} == {None}
    assert undefined["comparisons.s0.s1.mean_difference_ci"] == TOO_MANY_PAIRS
