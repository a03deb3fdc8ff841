"""Simulated widths and powers against closed forms, and the sizes that follow from them."""

import numpy as np
import pytest
from scipy.stats import binom, nct, t

from parts.power.figures.needed_items import plan_sizes, simulated_value, size_as_planned
from parts.power.figures.simulated_samples import CONFIDENCE, AssumedValues, sign_test_p, wilson_width
from parts.power.figures.stated_costs import StatedCosts


def sign_test_power(share, items):
    """The exact power of the sign test of `items` items, each won with probability `share`."""
    won = np.arange(items + 1, dtype=np.float64)
    found = sign_test_p(won, items - won) < 1 - CONFIDENCE
    return float(binom.pmf(won, items, share)[found].sum())


def test_the_width_of_a_share_is_that_of_wilsons_interval():
    assumed = AssumedValues(share=0.7, correlation=0.0)
    for n in (50, 400):
        successes = np.arange(n + 1.0)
        expected = float((binom.pmf(successes, n, 0.7) * wilson_width(successes, n)).sum())
        assert simulated_value("share", "width", assumed, n, 1, 4000, 1) == pytest.approx(expected, rel=0.005)


def test_wilsons_interval_of_8_of_10_is_the_published_one():
    """0.4902 to 0.9433 (Newcombe 1998, method 3)."""
    assert float(wilson_width(np.array(8.0), 10)) == pytest.approx(0.9433 - 0.4902, abs=2e-4)


def test_raters_who_agree_completely_tell_what_one_tells():
    one = simulated_value("share", "width", AssumedValues(share=0.5, correlation=0.0), 200, 1, 2000, 2)
    three = simulated_value("share", "width", AssumedValues(share=0.5, correlation=0.99), 200, 3, 2000, 2)
    free = simulated_value("share", "width", AssumedValues(share=0.5, correlation=0.0), 200, 3, 2000, 2)
    assert three == pytest.approx(one, rel=0.03)
    assert free == pytest.approx(one / np.sqrt(3), rel=0.03)


@pytest.mark.parametrize(("share", "items"), [(0.6, 100), (0.7, 40), (0.5, 60)])
def test_the_power_of_a_win_rate_is_that_of_the_sign_test(share, items):
    assumed = AssumedValues(share=share, correlation=0.0)
    runs = 6000
    expected = sign_test_power(share, items)
    error = 4 * np.sqrt(expected * (1 - expected) / runs)
    assert simulated_value("win_rate", "power", assumed, items, 1, runs, 3) == pytest.approx(expected, abs=error)


def test_the_sign_test_of_15_of_20_is_the_published_one():
    """The critical value of 20 at 5 % is 15 wins: power at 0.5 is 2 P(X <= 5) = 0.0414."""
    assert sign_test_power(0.5, 20) == pytest.approx(0.0414, abs=1e-4)


def test_the_power_of_a_difference_is_that_of_the_t_test():
    n, difference = 60, 0.35
    critical, shift = t.isf(0.025, n - 1), difference * np.sqrt(n)
    expected = nct.sf(critical, n - 1, shift) + nct.cdf(-critical, n - 1, shift)
    assumed = AssumedValues(difference=difference, deviation=1.0, correlation=0.3)
    assert simulated_value("score", "power", assumed, n, 1, 6000, 4) == pytest.approx(expected, abs=0.025)


def test_the_width_of_a_mean_is_that_of_students_interval():
    assumed = AssumedValues(deviation=2.0, correlation=0.4)
    spread = 2.0 * np.sqrt(0.4 + 0.6 / 3)
    expected = 2 * t.isf(0.025, 99) * spread / np.sqrt(100)
    assert simulated_value("score", "width", assumed, 100, 3, 3000, 5) == pytest.approx(expected, rel=0.02)


def sizes(**more):
    given = {
        "figure": "win_rate", "aim": "power", "goal": 0.8, "assumed": AssumedValues(share=0.65, correlation=0.3),
        "raters": (1, 3), "most_items": 2000, "runs": 400, "seed": 7, "costs": StatedCosts(2.0, 0.5),
    }  # fmt: skip
    return plan_sizes(**{**given, **more})


def test_more_raters_need_fewer_items_and_each_answer_costs():
    one, three = sizes()
    assert one["items"] > three["items"]
    assert 0.78 <= sign_test_power(0.65, one["items"]) <= 0.88  # an exact test's power rises and falls with its size
    assert (three["answers"], three["minutes"], three["pay"]) == (
        three["items"] * 3, three["items"] * 6.0, three["items"] * 1.5,
    )  # fmt: skip


def test_pay_by_the_hour_the_recruiters_fee_and_what_is_paid_once_add_up():
    costs = StatedCosts(3.0, pay_per_task=0.5, pay_per_hour=12.0, fee_percent=40, fixed_cost=100)
    assert costs.of(200) == {"people": 1, "minutes": 600, "pay": 100 + 120, "fee": 88, "total": 408}
    assert StatedCosts(2.0).of(10) == {"people": 1, "minutes": 20, "pay": 0, "fee": 0, "total": 0}


def test_each_person_spends_the_minutes_of_the_steps_which_pay_per_hour_pays():
    costs = StatedCosts(2.0, pay_per_task=1.0, pay_per_hour=6.0, step_minutes=15, tasks_per_person=30)
    assert costs.of(100, 2) == {"people": 4, "minutes": 260, "pay": 100 + 26, "fee": 0, "total": 126}
    assert costs.of(40, 5)["people"] == 5  # an item needs different people
    everything = StatedCosts(2.0, step_minutes=15)
    assert (everything.of(300, 3)["people"], everything.of(300, 3)["minutes"]) == (3, 645)
    row = sizes(costs=costs)[1]
    assert row["people"] == max(3, -(-row["answers"] // 30))
    assert row["minutes"] == row["answers"] * 2 + row["people"] * 15


def test_the_power_of_a_study_of_its_own_size_is_said_with_its_cost():
    given = {"runs": 4000, "seed": 3, "costs": StatedCosts(2.0, pay_per_hour=30)}
    row = size_as_planned("win_rate", "power", AssumedValues(share=0.65, correlation=0.0), 100, 1, **given)
    assert row["reached"] == pytest.approx(sign_test_power(0.65, 100), abs=0.04)
    assert (row["items"], row["answers"], row["minutes"], row["total"]) == (100, 100, 200, 100)
    assert size_as_planned("alpha", "width", AssumedValues(), 100, 1, **given) is None
    assert size_as_planned("win_rate", "power", AssumedValues(), 9, 1, **given) is None


def test_the_same_seed_gives_the_same_sizes():
    assert sizes() == sizes()


def test_what_cannot_be_reached_says_what_the_most_items_reach():
    row = sizes(goal=0.99, most_items=50, raters=(1,))[0]
    assert row["items"] is None
    assert 0 < row["reached"] < 0.99


def test_alpha_needs_two_raters_and_a_narrower_interval_more_items():
    wide, narrow = (
        sizes(figure="alpha", aim="width", goal=goal, raters=(1, 2), runs=20, most_items=1000) for goal in (0.5, 0.25)
    )
    assert [row["raters"] for row in wide] == [2]
    assert wide[0]["items"] < narrow[0]["items"]


def test_a_share_has_no_power():
    with pytest.raises(ValueError, match="no power"):
        sizes(figure="share")
