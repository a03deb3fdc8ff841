from datetime import UTC, datetime

import numpy as np
import pytest

from agreement.disagreement.agreement_windows import (
    FEWEST_UNITS,
    NO_TIMES,
    ONE_MOMENT,
    TOO_FEW,
    TimedAnswers,
    agreement_of,
    agreement_windows,
)
from agreement.reliability.alpha import alpha, alpha_sums

pytestmark = pytest.mark.quick
START = datetime(2026, 1, 1, tzinfo=UTC).timestamp()


def answers_of(values, times, items=None):
    """Answers of two raters: `values` (U, 2), `times` (U, 2) in hours after START."""
    values, times = np.array(values, dtype=float), np.array(times, dtype=float)
    unit = np.repeat(np.arange(len(values)), 2)
    item = np.arange(len(values)) if items is None else np.array(items)
    return TimedAnswers(
        unit, np.tile([0, 1], len(values)), values.ravel(), START + 3600 * times.ravel(), item,
        lambda u, v, i, n: alpha_sums(u, v, i, n, ("nominal",)), "alpha_nominal",
    )  # fmt: skip


def random_answers(units, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (units, 2)), np.stack([np.arange(units), rng.permutation(units)], axis=1)


def test_units_are_in_the_order_of_their_last_answer_and_each_window_is_figured_alone():
    # 40 units: the first half agree, the second half differ; a late second answer moves unit 0 to the end
    values = [[number % 2, number % 2] for number in range(20)] + [[0, 1]] * 20
    times = [[number, number] for number in range(40)]
    times[0] = [0, 99]
    report = agreement_windows(answers_of(values, times), replicates=50)
    first, second = report["windows"]
    assert [one["units"] for one in (first, second)] == [20, 20]
    assert first["percent_agreement"] == pytest.approx(19 / 20)
    assert second["percent_agreement"] == pytest.approx(1 / 20)
    assert (first["from"], second["to"]) == ("2026-01-01T01:00:00+00:00", "2026-01-05T03:00:00+00:00")
    assert second["alpha"] < 0 < first["alpha"]
    assert report["undefined"] == ""


def test_every_unit_is_in_one_window_and_windows_have_nearly_equal_numbers():
    values, times = random_answers(107)
    windows = agreement_windows(answers_of(values, times), replicates=20)["windows"]
    assert sum(one["units"] for one in windows) == 107
    assert {one["units"] for one in windows} <= {21, 22}
    assert all(one["alpha_ci"][0] <= one["alpha_ci"][1] for one in windows)


def test_the_alpha_of_a_window_is_that_of_its_units():
    values, times = random_answers(2 * FEWEST_UNITS, seed=4)
    windows = agreement_windows(answers_of(values, times), replicates=0)["windows"]
    order = np.argsort(np.max(times, axis=1), kind="stable")
    for window, units in zip(windows, np.array_split(order, 2), strict=True):
        chosen = values[units]
        expected = alpha(np.repeat(np.arange(len(units)), 2), chosen.ravel().astype(float), "nominal")
        assert window["alpha"] == pytest.approx(expected)


def test_without_variation_alpha_is_undefined_and_percent_agreement_is_not():
    report = agreement_windows(answers_of([[1, 1]] * 40, [[n, n] for n in range(40)]), replicates=10)
    assert [one["alpha"] for one in report["windows"]] == [None, None]
    assert "same" in report["windows"][0]["undefined"]["alpha"]
    assert [one["percent_agreement"] for one in report["windows"]] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("units", "times", "reason"),
    [(39, None, TOO_FEW), (50, np.nan, NO_TIMES), (50, 3.0, ONE_MOMENT)],
)
def test_without_windows_the_report_says_why(units, times, reason):
    values, given = random_answers(units)
    given = given if times is None else np.full((units, 2), times)
    report = agreement_windows(answers_of(values, given), replicates=0)
    assert (report["windows"], report["undefined"]) == ([], reason)
    assert report["without_time"] == (units if times is not None and np.isnan(times) else 0)


def test_the_whole_is_counted_with_intervals():
    values, times = random_answers(30)
    whole = agreement_of(answers_of(values, times), 100, 0)
    assert (whole["ratings"], whole["units"], whole["items"], whole["raters"]) == (60, 30, 30, 2)
    assert whole["alpha_ci"][0] <= whole["alpha"] <= whole["alpha_ci"][1]
