"""Alphas of rankings, best-worst answers and spans in stop rules: those of the report, and intervals that hold."""

import numpy as np
import pytest
from scipy.stats import binom

from agreement.arrays.best_worst_answers import collect_best_worst
from agreement.arrays.rankings import collect_rankings
from agreement.question_figures.best_worst_report import describe_best_worst
from agreement.question_figures.pair_report import describe_rankings
from agreement.spans.span_marks import Mark, collect_spans
from agreement.spans.span_report import describe_spans
from parts.stopping.figures.agreement_targets import (
    best_worst_target,
    masi_target,
    ranking_alpha_target,
    span_target,
)
from parts.stopping.figures.sequential_looks import SequentialDesign, StopRule
from parts.stopping.figures.stop_targets import alpha_target, best_worst_targets
from tests.parts.stopping.figures.coverage_simulation import SimulatedStudy, simulate_stops

SYSTEMS, LENGTH = ("a", "b", "c", "d"), 30
DESIGN = SequentialDesign((60, 120, 180), 0.05, "pocock")


def orders(rng, items, raters=3):
    """The outputs from the best to the worst, as raters of the same quality with noise see them."""
    quality = rng.normal(0, 1, (items, 1, len(SYSTEMS))) - np.arange(len(SYSTEMS)) * 0.3
    return np.argsort(-(quality + rng.normal(0, 0.8, (items, raters, len(SYSTEMS)))), axis=2)


def ranked(drawn):
    rows = [(item, f"r{rater}", {SYSTEMS[one]: place + 1 for place, one in enumerate(order)})
            for item, own in enumerate(drawn) for rater, order in enumerate(own)]  # fmt: skip
    return collect_rankings(*zip(*rows, strict=True))


def extremes(drawn):
    rows = [(item, f"r{rater}", SYSTEMS[order[0]], SYSTEMS[order[-1]], SYSTEMS)
            for item, own in enumerate(drawn) for rater, order in enumerate(own)]  # fmt: skip
    return collect_best_worst(*zip(*rows, strict=True))


def marks(rng, items, raters=3):
    """Starts and ends of one span per answer; raters are near each other."""
    start = rng.integers(0, LENGTH - 12, (items, 1)) + rng.integers(0, 4, (items, raters))
    return np.stack([start, start + rng.integers(4, 9, (items, raters))], axis=2)


def spans(drawn, weight=1.0):
    rows = [(item, "a", f"r{rater}", [Mark(int(start), int(end), "", None, weight * (1 + end % 2))])
            for item, own in enumerate(drawn) for rater, (start, end) in enumerate(own)]  # fmt: skip
    texts = {(row[0], "a") for row in rows}
    return collect_spans(*zip(*rows, strict=True), dict.fromkeys(texts, LENGTH), None)


def value_of(found):
    items, [target] = found
    assert (items, target.for_logs) == (40, True)
    return target.value


@pytest.mark.parametrize("name", ["alpha_masi_rankings", "alpha_ordinal_ranks", "alpha_interval_ranks"])
def test_alphas_of_rankings_are_those_of_the_report(name):
    given = ranked(orders(np.random.default_rng(1), 40))
    report = describe_rankings(given, replicates=0)
    assert value_of(ranking_alpha_target(name, given)) == pytest.approx(report[name])


def test_alphas_of_the_pairs_of_rankings_are_those_of_the_report():
    given = ranked(orders(np.random.default_rng(2), 40))
    report = describe_rankings(given, replicates=0)
    assert value_of(masi_target(given.choices())) == pytest.approx(report["alpha_masi"])
    assert value_of(alpha_target(given.choices().ratings(), "nominal")) == pytest.approx(report["alpha_nominal"])


@pytest.mark.parametrize("name", ["alpha_best", "alpha_worst", "alpha_implied_pairs"])
def test_alphas_of_best_and_worst_are_those_of_the_report(name):
    given = extremes(orders(np.random.default_rng(3), 40))
    assert value_of(best_worst_target(name, given)) == pytest.approx(describe_best_worst(given, replicates=0)[name])


def test_best_worst_scores_are_those_of_the_report():
    given = extremes(orders(np.random.default_rng(4), 40))
    items, targets = best_worst_targets(given)
    assert items == 40
    report = describe_best_worst(given, replicates=0)["system_best_worst"]
    assert {one.name: one.value for one in targets} == pytest.approx({(name,): report[name] for name in SYSTEMS})


@pytest.mark.parametrize("name", ["span_alpha", "severity_alpha"])
def test_alphas_of_spans_are_those_of_the_report(name):
    given = spans(marks(np.random.default_rng(5), 40))
    assert value_of(span_target(name, given)) == pytest.approx(describe_spans(given, weighted=True, replicates=0)[name])


def test_items_that_one_rater_judged_do_not_count():
    rng = np.random.default_rng(6)
    alone, drawn, marked = orders(rng, 8, raters=1), orders(rng, 8, raters=1), marks(rng, 8, raters=1)
    assert ranking_alpha_target("alpha_ordinal_ranks", ranked(alone)) == (0, [])
    assert best_worst_target("alpha_best", extremes(drawn)) == (0, [])
    assert span_target("span_alpha", spans(marked)) == (0, [])
    assert masi_target(ranked(alone).choices()) == (0, [])


def study_of(name, draw, target):
    """A simulated study of three raters; the truth is the figure of 20,000 items."""
    _, [long] = target(draw(np.random.default_rng(99), 20_000))
    return SimulatedStudy(
        name, 3, draw, lambda drawn, items: target(drawn[:items]), lambda _: long.value, StopRule(width=0.4, high=1.0)
    )


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "draw", "target"),
    [
        ("ranks", orders, lambda drawn: ranking_alpha_target("alpha_ordinal_ranks", ranked(drawn))),
        ("whole", orders, lambda drawn: ranking_alpha_target("alpha_masi_rankings", ranked(drawn))),
        ("pairs", orders, lambda drawn: best_worst_target("alpha_implied_pairs", extremes(drawn))),
        ("spans", marks, lambda drawn: span_target("span_alpha", spans(drawn))),
    ],
    ids=["ranks", "whole rankings", "implied pairs", "spans"],
)
def test_intervals_of_these_alphas_hold_when_the_study_stops(name, draw, target):
    got = simulate_stops(study_of(name, draw, target), DESIGN, 200, seed=8)
    assert got["wrong"] <= int(binom.ppf(0.999, 200, DESIGN.alpha))
