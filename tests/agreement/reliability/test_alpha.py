import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from agreement.arrays import tally
from agreement.reliability import alpha as module
from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE, alpha, alpha_sums

LEVELS = ("nominal", "ordinal", "interval")
GAP = np.nan

# Krippendorff 2011, Computing Krippendorff's Alpha-Reliability, section E: 4 observers (rows), 12 units.
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
        [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
    ]
)

tables = arrays(
    np.float64,
    st.tuples(st.integers(2, 4), st.integers(1, 8)),
    elements=st.sampled_from([GAP, 1.0, 2.0, 3.0, 4.5, -7.25]),
)


def flat(table):
    unit, rater = np.nonzero(~np.isnan(table.T))
    return unit, table.T[unit, rater]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_the_published_example_with_missing_values(level, published):
    assert alpha(*flat(PUBLISHED), level) == pytest.approx(published, abs=5e-4)


def test_a_case_worked_by_hand():
    # Units {1,1}, {1,3}, {3,3}: n_1 = n_3 = 3, D_o = 2/6, nominal D_e = 18/30, and both times 4 for interval.
    unit, value = np.array([0, 0, 1, 1, 2, 2]), np.array([1.0, 1, 1, 3, 3, 3])
    for level in LEVELS:
        assert alpha(unit, value, level) == pytest.approx(1 - (2 / 6) / (18 / 30))


def test_levels_weight_disagreements_by_distance():
    # Units {1,2}, {9,9}. n_1 = n_2 = 1, n_9 = 2, n = 4. Interval: D_o = 2 * 1 / 4, D_e = 2 (1 + 2 * 64 + 2 * 49) / 12.
    # Ordinal: midranks 0.5, 1.5, 3: D_o = 2 * 1 / 4, D_e = 2 (1 + 2 * 6.25 + 2 * 2.25) / 12.
    unit, value = np.array([0, 0, 1, 1]), np.array([1.0, 2, 9, 9])
    assert alpha(unit, value, "nominal") == pytest.approx(1 - (2 / 4) / (10 / 12))
    assert alpha(unit, value, "ordinal") == pytest.approx(1 - 0.5 / (36 / 12))
    assert alpha(unit, value, "interval") == pytest.approx(1 - 0.5 / (454 / 12))


@settings(max_examples=150)
@given(table=tables, level=st.sampled_from(LEVELS))
def test_alpha_equals_an_independent_implementation(table, level):
    paired = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    ours = alpha(*flat(table), level)
    if np.unique(paired[~np.isnan(paired)]).size < 2:
        assert ours is None
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = krippendorff.alpha(reliability_data=paired, level_of_measurement=level)
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
def test_units_rated_once_change_nothing(level):
    unit, value = flat(PUBLISHED)
    more = alpha(np.append(unit, [40, 41]), np.append(value, [1, 17.0]), level)
    assert more == alpha(unit, value, level)


def test_a_large_offset_loses_no_precision():
    unit, value = flat(PUBLISHED)
    assert alpha(unit, value + 1e8, "interval") == pytest.approx(alpha(unit, value, "interval"), abs=1e-9)


@pytest.mark.parametrize("factor", [1e-200, 1e307])
@pytest.mark.parametrize("level", LEVELS)
def test_values_near_the_limits_of_floats_have_the_same_alpha(level, factor):
    unit, value = flat(PUBLISHED)
    assert alpha(unit, value * factor, level) == pytest.approx(alpha(unit, value, level), abs=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("unit", "value", "reason"),
    [
        ([], [], NOTHING_PAIRABLE),
        ([0, 1, 2], [1.0, 2.0, 3.0], NOTHING_PAIRABLE),
        ([0, 0, 1, 1], [0.1, 0.1, 0.1, 0.1], NO_VARIATION),
        ([0, 0, 1], [0.1, 0.1, 5.0], NO_VARIATION),
    ],
)
def test_undefined_alpha_has_a_reason(level, unit, value, reason):
    unit, value = np.array(unit, dtype=np.int64), np.array(value)
    assert alpha(unit, value, level) is None
    sums = alpha_sums(unit, value, np.zeros(3, dtype=np.int64), 1, (level,))
    assert sums.reason((f"alpha_{level}",)) == reason


def test_an_unknown_level_is_refused():
    with pytest.raises(ValueError, match="ratio"):
        alpha(np.array([0, 0]), np.array([1.0, 2.0]), "ratio")


def test_a_draw_without_variation_is_undefined():
    unit, value = np.repeat(np.arange(4), 2), np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.7, 0.3, 0.7])
    sums = alpha_sums(unit, value, np.array([0, 1, 2, 2]), 3, LEVELS)
    at = sums.at(np.array([[3.0, 0, 0], [1, 2, 0], [1, 1, 1]]))
    assert np.isnan(at).tolist() == [[True] * 3, [True] * 3, [False] * 3]


@pytest.mark.parametrize("step", [0.0, 1.0])
@pytest.mark.parametrize("limit", [(tally, "DENSE_CELLS", 0), (module, "CELLS_AT_ONCE", 1)])
def test_memory_limits_change_no_figure(limit, step, monkeypatch):
    rng = np.random.default_rng(3)
    unit, value, item = np.repeat(np.arange(20), 3), rng.integers(1, 6, 60) + step * rng.random(60), np.arange(20) // 4
    weights = rng.integers(0, 3, size=(7, 5)).astype(np.float64)
    expected = alpha_sums(unit, value, item, 5, LEVELS).at(weights)
    monkeypatch.setattr(*limit)
    np.testing.assert_allclose(alpha_sums(unit, value, item, 5, LEVELS).at(weights), expected, rtol=1e-12)


@pytest.mark.parametrize("scale", [3, 40, 10_000])
@pytest.mark.parametrize("raters", [(3, 3), (2, 4)])
def test_replicates_of_any_scale_are_the_alphas_of_the_drawn_items(scale, raters, monkeypatch):
    # With many values the sums over values of one item alone, and over the others, are taken in different ways.
    rng = np.random.default_rng(scale)
    m = rng.integers(raters[0], raters[1] + 1, 30)
    unit, item = np.repeat(np.arange(30), m), np.repeat(np.arange(10), 3)
    value = np.rint(rng.normal(0, 1, 30)[unit] * scale / 4 + rng.normal(0, scale / 5, unit.size))
    weights = rng.multinomial(10, np.full(10, 0.1), 5).astype(float)
    expected = []
    for drawn in weights.astype(int):
        kept = [np.flatnonzero(item[unit] == code) for code in np.repeat(np.arange(10), drawn)]
        again = np.concatenate([unit[rows] + 30 * copy for copy, rows in enumerate(kept)])
        _, again = np.unique(again, return_inverse=True)
        expected.append([alpha(again, value[np.concatenate(kept)], level) for level in LEVELS])
    monkeypatch.setattr(tally, "DENSE_CELLS", 0)
    found = alpha_sums(unit, value, item, 10, tuple(LEVELS)).at(weights)
    assert found == pytest.approx(np.array(expected, dtype=float), abs=1e-12)


def test_ordinal_alpha_of_weights_that_are_hardly_whole_is_that_of_whole_ones():
    rng = np.random.default_rng(8)
    sums = alpha_sums(np.repeat(np.arange(20), 3), rng.normal(size=60), np.repeat(np.arange(10), 2), 10, ("ordinal",))
    weights = rng.integers(0, 4, (5, 10)).astype(float)
    assert sums.at(weights + 1e-9) == pytest.approx(sums.at(weights), abs=1e-6)
