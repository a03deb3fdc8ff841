"""What a look concludes: repeated intervals, their rules, and errors of figures by the jackknife."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm, t

from agreement.arrays.rating_arrays import collect
from agreement.arrays.scored_outputs import scores_of_ratings
from agreement.intervals.bootstrap import Ratios
from parts.stopping.figures.jackknife import jackknife
from parts.stopping.figures.sequential_looks import (
    LEAST_ITEMS,
    SequentialDesign,
    StopRule,
    StopTarget,
    judge_look,
    student_boundary,
)
from parts.stopping.figures.stop_targets import alpha_target, difference_targets, score_targets, win_targets

pytestmark = pytest.mark.quick
DESIGN = SequentialDesign((100, 200, 300), 0.05, "obrien_fleming")


def scores(rows):
    """Scores of (item, system, value) rows."""
    data = collect(*zip(*((item, system, "ann", value) for item, system, value in rows), strict=True))
    return scores_of_ratings(data, np.full(data.item.size, np.nan))


def test_a_late_look_spends_what_its_own_number_of_answers_allows():
    late, planned = DESIGN.boundary([130], 65), DESIGN.boundary([100], 50)
    assert norm.isf(0.025) < late < planned
    assert DESIGN.boundary([100, 200, 340], 170) == pytest.approx(DESIGN.boundary([100, 200, 300], 150))


def test_students_t_has_the_tail_of_the_boundary():
    assert t.sf(student_boundary(2.5, 12), 12) == pytest.approx(norm.sf(2.5))
    assert np.isinf(student_boundary(float("inf"), 100))
    assert np.isinf(student_boundary(2.0, 0))


def test_several_targets_share_alpha():
    one, three = (DESIGN.boundary([300], 100, targets) for targets in (1, 3))
    assert one == pytest.approx(norm.isf(0.025))
    assert three == pytest.approx(norm.isf(0.025 / 3))


def test_rules_share_alpha_too_and_so_do_the_figures_of_a_width():
    plan = replace(DESIGN, rules=2)
    assert plan.boundary([300], 100, 3) == pytest.approx(norm.isf(0.025 / 6))
    means = [StopTarget((name,), 3.0, 0.1, 60) for name in "abc"]
    found = judge_look(plan, StopRule(width=1), [300], 60, means)
    assert found["boundary"] == pytest.approx(norm.isf(0.025 / 6))


def look(rule, *targets, items=60):
    return judge_look(DESIGN, rule, [100, 200, 300], items, targets)


def test_a_width_is_reached_only_by_all_targets():
    narrow, wide = StopTarget(("a",), 0.5, 0.02, 60), StopTarget(("b",), 0.5, 0.05, 60)
    rule = StopRule(width=0.15)
    assert look(rule, narrow)["met"]
    both = look(rule, narrow, wide)
    assert [row["met"] for row in both["targets"]] == [True, False]
    assert not both["met"]


def test_systems_are_separated_if_the_interval_excludes_the_value():
    rule = StopRule(null=0.5)
    assert look(rule, StopTarget(("a", "b"), 0.6, 0.03, 60))["met"]
    assert not look(rule, StopTarget(("a", "b"), 0.6, 0.06, 60))["met"]


@pytest.mark.parametrize(
    "target",
    [StopTarget(("a",), float("nan"), 0.1, 60), StopTarget(("a",), 1.0, 0.0, 60),
     StopTarget(("a",), 1.0, float("nan"), 60)]
)  # fmt: skip
def test_an_undefined_figure_and_one_without_variation_never_stop(target):
    found = look(StopRule(width=0.5), target)
    assert not found["met"]
    assert found["targets"][0]["interval"] is None


def test_few_items_never_stop_and_the_look_says_so():
    found = look(StopRule(width=0.5), StopTarget(("a",), 1.0, 0.01, LEAST_ITEMS - 1), items=LEAST_ITEMS - 1)
    assert (found["met"], found["targets"][0]["met"]) == (False, True)
    assert "fewer than" in found["reason"]
    assert look(StopRule(width=0.5))["reason"]


def test_the_jackknife_of_a_mean_is_its_standard_error():
    values = np.random.default_rng(1).normal(size=(37, 1))
    found = jackknife(Ratios((("mean",),), values, np.ones((37, 1)), ("",)), 37)
    assert found.error[0] == pytest.approx(values.std(ddof=1) / np.sqrt(37))
    assert found.groups.tolist() == [37]


def test_many_items_are_left_out_in_groups():
    values = np.random.default_rng(2).normal(size=(5000, 1))
    found = jackknife(Ratios((("mean",),), values, np.ones((5000, 1)), ("",)), 5000)
    assert found.groups.tolist() == [400]
    assert found.error[0] == pytest.approx(values.std(ddof=1) / np.sqrt(5000), rel=0.15)


def test_targets_of_scores_and_of_their_differences():
    given = scores([(item, system, value + item % 3) for item in range(12) for system, value in (("a", 1), ("b", 3))])
    items, means = score_targets(given)
    assert (items, [one.name for one in means]) == (12, [("a",), ("b",)])
    assert means[1].value - means[0].value == pytest.approx(2)
    items, gaps = difference_targets(given)
    assert (items, gaps[0].name, gaps[0].value, gaps[0].error) == (
        12,
        ("a", "b"),
        pytest.approx(-2),
        pytest.approx(0, abs=1e-12),
    )


def test_a_win_rate_of_one_has_an_error():
    items, rows = win_targets(
        scores([(item, system, value) for item in range(20) for system, value in (("a", 2), ("b", 1))])
    )
    assert (items, rows[0].name, rows[0].value) == (20, ("a", "b"), 1)
    assert rows[0].error > 0
    assert rows[0].centre == pytest.approx(22 / 24)


def test_alpha_uses_only_items_that_two_raters_judged():
    rows = [
        (item, None, rater, (item + (rater == "bob" and item == 3)) % 2)
        for item in range(12)
        for rater in ("ann", "bob")
    ]
    alone = [(100 + item, None, "ann", 1) for item in range(5)]
    both = collect(*zip(*rows, strict=True))
    more = collect(*zip(*rows, *alone, strict=True))
    assert alpha_target(both, "nominal") == alpha_target(more, "nominal")
    assert alpha_target(both, "nominal")[0] == 12
    assert alpha_target(collect(*zip(*alone, strict=True)), "nominal") == (0, [])
