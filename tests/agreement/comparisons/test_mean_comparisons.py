import numpy as np
import pytest
from scipy.stats import ttest_rel, wilcoxon

from agreement.arrays.large_figures import TOO_LARGE
from agreement.comparisons import mean_comparisons as mean_comparisons_module
from agreement.comparisons.holm import holm
from agreement.comparisons.mean_comparisons import CONSTANT, NO_DIFFERENCE, TOO_FEW, mean_comparisons
from tests.fewer import first_cases

RNG = np.random.default_rng(5)
TABLE = np.round(RNG.normal([3, 3.4, 3.1], 1, (40, 3)), 1)


def compared(table, names="abc"):
    item, system = np.nonzero(~np.isnan(table))
    return mean_comparisons(item, system, table[item, system], tuple(names[: table.shape[1]]))


def test_tests_are_those_of_scipy_on_shared_items():
    table = TABLE.copy()
    table[:5, 0] = np.nan
    rows, undefined = compared(table)
    assert [row["systems"] for row in rows] == [["a", "b"], ["a", "c"], ["b", "c"]]
    assert [row["items"] for row in rows] == [35, 35, 40]
    for row in rows:
        x, y = (table[:, "abc".index(name)] for name in row["systems"])
        both = ~np.isnan(x) & ~np.isnan(y)
        expected = ttest_rel(x[both], y[both])
        assert (row["t"], row["t_p"]) == pytest.approx((expected.statistic, expected.pvalue))
        assert row["wilcoxon_p"] == pytest.approx(wilcoxon(np.round(x[both] - y[both], 12)).pvalue)
        assert row["mean_difference"] == pytest.approx((x[both] - y[both]).mean())
    assert undefined == {}


def test_holm_of_a_published_example():
    # Four hypotheses at 0.01, 0.04, 0.03 and 0.005: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 raised to 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_ignores_missing_values_and_stays_within_one():
    assert holm([None, 0.6, 0.7]) == [None, 1.0, 1.0]
    assert holm([]) == []


def test_rows_carry_the_corrected_values():
    rows, _ = compared(TABLE)
    for test in ("t_p", "wilcoxon_p"):
        assert [row[f"{test}_holm"] for row in rows] == holm([row[test] for row in rows])


@pytest.mark.parametrize(
    ("table", "reasons"),
    [
        ([[1, 2]], {"t_p": TOO_FEW, "wilcoxon_p": TOO_FEW}),
        ([[1, 1], [2, 2]], {"t_p": NO_DIFFERENCE, "wilcoxon_p": NO_DIFFERENCE}),
        ([[1, 2], [2, 3], [0.1, 1.1]], {"t_p": CONSTANT}),
    ],
)
def test_undefined_tests_have_reasons(table, reasons):
    rows, undefined = compared(np.array(table, dtype=float))
    assert undefined == {f"comparisons.a.b.{name}": why for name, why in reasons.items()}
    assert all(rows[0][name] is None for name in reasons)


def test_scaling_the_values_changes_no_test():
    rows = compared(TABLE)[0]
    for factor in (1e-200, 1e300):
        for row, again in zip(rows, compared(TABLE * factor)[0], strict=True):
            assert [again[name] for name in ("t", "t_p", "wilcoxon_p")] == pytest.approx(
                [row[name] for name in ("t", "t_p", "wilcoxon_p")]
            )


def test_a_difference_too_large_for_a_float_is_still_tested():
    rows, undefined = compared(np.array([[1.7, -1.7], [1.6, -1.7], [1.7, -1.5]]) * 1e308)
    assert rows[0]["mean_difference"] is None
    assert undefined == {"comparisons.a.b.mean_difference": TOO_LARGE}
    assert rows[0]["t"] > 0
    assert compared(np.array([[np.inf, 1.0]]).repeat(3, 0))[0] == []


def test_systems_without_a_shared_item_are_not_compared():
    assert compared(np.array([[1, np.nan], [np.nan, 2]]))[0] == []


def test_many_systems_are_compared_as_any_two_of_them(monkeypatch):
    table = np.where(RNG.random((60, 30)) < 0.4, np.round(RNG.normal(3, 1, (60, 30)), 1), np.nan)
    names = [f"s{n:02}" for n in range(30)]
    together = compared(table, names)
    monkeypatch.setattr(mean_comparisons_module, "AT_ONCE", 100)
    assert compared(table, names) == together
    for row in together[0]:
        two = table[:, [names.index(name) for name in row["systems"]]]
        alone = compared(two[~np.isnan(two).all(axis=1)], row["systems"])[0][0]
        assert {name: row[name] for name in ("items", "mean_difference", "t", "t_p", "wilcoxon_p")} == pytest.approx(
            {name: alone[name] for name in ("items", "mean_difference", "t", "t_p", "wilcoxon_p")}
        )


@pytest.mark.parametrize("seed", first_cases(range(12), 3))
def test_few_tied_differences_give_the_p_value_of_scipy(seed):
    rng = np.random.default_rng(seed)
    n = 2 + seed % 12
    differences = rng.integers(-2, 3, n).astype(float)
    differences[0] = 1  # one that differs, so that there is a test
    values = np.concatenate([differences, np.zeros(n)])
    rows, _ = mean_comparisons(np.tile(np.arange(n), 2), np.repeat([0, 1], n), values, ("a", "b"))
    assert rows[0]["wilcoxon_p"] == pytest.approx(wilcoxon(differences).pvalue)
