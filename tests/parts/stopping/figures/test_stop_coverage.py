"""Stop rules are wrong at most as often as they say, although the data are looked at again and again.

`python -m benchmarks.stop_rules` prints the whole table.
"""

import pytest
from scipy.stats import binom

from parts.stopping.figures.sequential_looks import METHODS, SequentialDesign, StopRule
from tests.parts.stopping.figures.coverage_simulation import (
    UncorrectedDesign,
    agreeing_raters,
    scored_systems,
    simulate_plans,
    simulate_stops,
    two_systems,
)

ALPHA = 0.05
LOOKS = tuple(range(40, 401, 40))
SURE = 0.999
RUNS = 100
"""Made-up studies per test, enough to find looks without correction; `make thorough` makes up to 1,000."""


def most_wrong(runs):
    """As many wrong results as a rule with an error of exactly ALPHA exceeds with probability 0.001."""
    return int(binom.ppf(SURE, runs, ALPHA))


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
def test_looking_ten_times_finds_a_difference_that_is_not_there_at_most_as_often_as_planned(method):
    study = two_systems(0.5, StopRule(null=0.5, low=0.0, high=1.0))
    got = simulate_stops(study, SequentialDesign(LOOKS, ALPHA, method), RUNS, seed=3)
    assert got["wrong"] <= most_wrong(RUNS)


@pytest.mark.thorough
def test_without_correction_the_same_looks_are_wrong_far_more_often():
    study = two_systems(0.5, StopRule(null=0.5, low=0.0, high=1.0))
    got = simulate_stops(study, UncorrectedDesign(LOOKS, ALPHA, "uncorrected"), RUNS, seed=3)
    assert got["wrong"] > most_wrong(RUNS)


@pytest.mark.parametrize(
    "study",
    [
        two_systems(0.8, StopRule(width=0.2, low=0.0, high=1.0)),
        scored_systems((2.5, 3.5), StopRule(width=0.6)),
        agreeing_raters(0.9, StopRule(width=0.35, high=1.0)),
    ],
    ids=lambda one: one.name,
)
def test_intervals_hold_when_a_width_stops_the_study(study):
    got = simulate_stops(study, SequentialDesign(LOOKS, ALPHA, "pocock"), RUNS, seed=4)
    assert got["wrong"] <= most_wrong(RUNS)
    assert got["stopped"] > RUNS // 2
    assert got["mean_answers"] < LOOKS[-1]


SEVERAL = [two_systems(rate, StopRule(width=0.135, low=0.0, high=1.0)) for rate in (0.45, 0.5, 0.5, 0.55)]
TWO_LOOKS = SequentialDesign((200, 400), ALPHA, "obrien_fleming")


@pytest.mark.thorough
def test_intervals_of_several_rules_on_widths_hold_together_when_the_plan_stops():
    got = simulate_plans(SEVERAL, TWO_LOOKS, RUNS, seed=6)
    assert got["wrong"] <= most_wrong(RUNS)
    assert got["stopped"] == RUNS


@pytest.mark.thorough
def test_rules_that_each_spend_all_of_alpha_are_wrong_more_often():
    got = simulate_plans(SEVERAL, TWO_LOOKS, RUNS, seed=6, is_split=False)
    assert got["wrong"] > most_wrong(RUNS)


@pytest.mark.thorough
def test_rules_of_different_kinds_hold_together_and_stop_before_the_end():
    questions = [
        two_systems(0.8, StopRule(width=0.3, low=0.0, high=1.0)),
        scored_systems((2.5, 3.5), StopRule(width=0.8)),
        agreeing_raters(0.9, StopRule(width=0.5, high=1.0)),
    ]
    got = simulate_plans(questions, SequentialDesign(LOOKS, ALPHA, "pocock"), 200, seed=7)
    assert got["wrong"] <= most_wrong(200)
    assert got["stopped"] > 100
    assert got["mean_answers"] < LOOKS[-1]


@pytest.mark.thorough
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "study",
    [
        two_systems(0.5, StopRule(null=0.5, low=0.0, high=1.0)),
        scored_systems((3.0, 3.0), StopRule(null=0.0)),
        scored_systems((3.0, 3.3, 3.6), StopRule(null=0.0)),
        two_systems(0.95, StopRule(width=0.12, low=0.0, high=1.0)),
        agreeing_raters(0.95, StopRule(width=0.2, high=1.0)),
    ],
    ids=lambda one: one.name,
)
def test_rules_of_all_kinds_hold_under_all_corrections(study, method):
    got = simulate_stops(study, SequentialDesign(LOOKS, ALPHA, method), 1000, seed=5)
    assert got["wrong"] <= most_wrong(1000)
