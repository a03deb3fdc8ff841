"""Best and worst: counts by hand, and every figure again in plain loops."""

import json
from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from agreement.arrays.best_worst_answers import collect_best_worst
from agreement.question_figures.best_worst_report import NOT_SHARED, describe_best_worst
from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE
from tests.agreement.exchangeable_alpha import exchangeable_alpha

ABCD = ("a", "b", "c", "d")
ROWS = [
    ("i", "ann", "a", "d", ABCD), ("i", "bob", "a", "c", ABCD), ("i", "cat", "b", "d", ABCD),
    ("j", "ann", "a", "b", ABCD), ("j", "bob", "c", "b", ABCD), ("k", "ann", "b", "a", ("a", "b")),
]  # fmt: skip
"""Item, rater, best, worst, shown."""


def collected(rows):
    return collect_best_worst(*(zip(*rows, strict=True) if rows else ((), (), (), (), ())))


def described(rows, **more):
    return describe_best_worst(collected(rows), replicates=20, **more)


def drawn(seed, items=30, raters=4):
    """Answers of raters who see the same order of quality with noise, to sets of three to five outputs."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(items):
        shown = tuple("abcdefg"[: 3 + item % 3])
        for rater in range(int(rng.integers(1, raters + 1))):
            order = np.argsort(np.arange(len(shown)) + rng.normal(0, 2, len(shown)))
            rows.append((item, f"r{rater}", shown[order[0]], shown[order[-1]], shown))
    return rows


def test_counts_of_a_small_case_worked_by_hand():
    report = described(ROWS)
    assert report["system_best_share"] == {"a": 3 / 6, "b": 2 / 6, "c": 1 / 5, "d": 0}
    assert report["system_worst_share"] == {"a": 1 / 6, "b": 2 / 6, "c": 1 / 5, "d": 2 / 5}
    assert report["system_best_worst"] == pytest.approx({"a": 2 / 6, "b": 0, "c": 0, "d": -2 / 5})
    low, high = report["system_best_worst_ci"]["d"]
    assert -1 <= low <= -0.4 <= high <= 0
    assert [report[key] for key in ("ratings", "repeats", "raters", "items", "sets", "sets_with_two_or_more")] == [
        6, 0, 3, 3, 3, 2,
    ]  # fmt: skip
    assert report["percent_agreement_best"] == 1 / 4  # one of three pairs of raters on i, none of one on j
    assert report["percent_agreement_worst"] == 2 / 4
    # Chance is 1/4 for each of the three pairs of raters on i and the one on j.
    assert report["free_kappa_best"] == pytest.approx((1 - 4 / 4) / (4 - 4 / 4))
    assert report["free_kappa_worst"] == pytest.approx((2 - 4 / 4) / (4 - 4 / 4))
    assert report["level"] == "extremes"
    json.dumps(report, allow_nan=False)


def alpha_by_pairs(units):
    """Krippendorff's nominal alpha from all pairs of values, {unit: values}."""
    units = [values for values in units.values() if len(values) > 1]
    pooled = [value for values in units for value in values]
    observed = sum(
        sum(one != other for one, other in permutations(values, 2)) / (len(values) - 1) for values in units
    ) / len(pooled)
    expected = sum(one != other for one, other in permutations(pooled, 2)) / (len(pooled) * (len(pooled) - 1))
    return 1 - observed / expected


def implied(best, worst, shown):
    """The order of each pair of outputs that an answer implies: whether the one first by name is better."""
    for one, other in combinations(sorted(shown), 2):
        if best in (one, other) or worst in (one, other):
            yield (one, other), best == one or worst == other


@pytest.mark.parametrize("seed", range(3))
def test_alphas_agree_with_alpha_from_all_pairs_of_values(seed):
    rows = drawn(seed)
    best, worst, pairs = {}, {}, {}
    for item, _, top, bottom, shown in rows:
        best.setdefault(item, []).append(top)
        worst.setdefault(item, []).append(bottom)
        for pair, first in implied(top, bottom, shown):
            pairs.setdefault((item, pair), []).append(0 if first else 1)
    report = described(rows)
    assert report["alpha_best"] == pytest.approx(alpha_by_pairs(best))
    assert report["alpha_worst"] == pytest.approx(alpha_by_pairs(worst))
    assert report["alpha_implied_pairs"] == pytest.approx(exchangeable_alpha(pairs.values()))


@pytest.mark.parametrize("seed", range(3))
def test_free_marginal_kappas_agree_with_a_count_of_all_pairs_of_raters(seed):
    rows = drawn(seed)
    for name, place in (("free_kappa_best", 2), ("free_kappa_worst", 3)):
        met = [(one, other) for one, other in combinations(rows, 2) if one[0] == other[0]]
        agreed, chance = sum(one[place] == other[place] for one, other in met), sum(1 / len(one[4]) for one, _ in met)
        assert described(rows)[name] == pytest.approx((agreed - chance) / (len(met) - chance))


def halves(rows, rng):
    """The points of each output in two random halves of the raters of its set."""
    sets = {}
    for item, _, best, worst, shown in rows:
        sets.setdefault((item, shown), []).append((best, worst))
    one, other = [], []
    for (_, shown), given in sets.items():
        if len(given) < 2:
            continue
        order = rng.permutation(len(given))
        for half, points in ((order[: len(given) // 2], one), (order[len(given) // 2 :], other)):
            counts = Counter()
            for place in half:
                counts[given[place][0]] += 1
                counts[given[place][1]] -= 1
            points.extend(counts[output] / len(half) for output in shown)
    return one, other


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_split_half_reliability_is_the_mean_correlation_over_random_splits(seed):
    rows, rng = drawn(seed, items=60, raters=5), np.random.default_rng(seed)
    correlations = [np.corrcoef(*halves(rows, rng))[0, 1] for _ in range(300)]
    report = described(rows)
    assert report["split_half"] == pytest.approx(np.mean(correlations), abs=0.02)
    low, high = report["split_half_ci"]
    assert low < report["split_half"] < high


def test_split_half_reliability_of_two_raters_is_their_correlation():
    rows = [row for row in ROWS if row[1] != "cat"]
    points = {"ann": [], "bob": []}
    for item in "ij":
        for _, rater, best, worst, shown in (row for row in rows if row[0] == item):
            points[rater] += [(output == best) - (output == worst) for output in shown]
    # Which half a rater is in is drawn for every set, so the correlation is that of both orders together.
    both = [points["ann"] + points["bob"], points["bob"] + points["ann"]]
    assert described(rows)["split_half"] == pytest.approx(np.corrcoef(*both)[0, 1])


def test_raters_who_agree_have_the_highest_figures_and_those_who_guess_have_none():
    same = [(item, rater, ABCD[item % 4], ABCD[(item + 1) % 4], ABCD) for item in range(8) for rater in ("ann", "bob")]
    report = described(same)
    for name in ("alpha_best", "alpha_worst", "alpha_implied_pairs", "split_half", "free_kappa_best"):
        assert report[name] == pytest.approx(1)
    rng = np.random.default_rng(1)
    guessed = [
        (item, rater, *rng.choice(ABCD, 2, replace=False), ABCD) for item in range(800) for rater in ("ann", "bob")
    ]
    report = described(guessed)
    for name in ("alpha_best", "alpha_worst", "alpha_implied_pairs", "split_half", "free_kappa_worst"):
        assert abs(report[name]) < 0.1


def test_an_undefined_figure_says_why():
    alone = described([row for row in ROWS if row[1] == "ann"])
    assert alone["undefined"]["split_half"] == NOT_SHARED
    assert alone["undefined"]["alpha_best"] == NOTHING_PAIRABLE
    constant = described([("i", rater, "a", "b", ABCD) for rater in ("ann", "bob")])
    assert constant["undefined"]["alpha_best"] == NO_VARIATION
    empty = described([])
    assert (empty["ratings"], empty["system_best_worst"], empty["split_half"]) == (0, {}, None)
    json.dumps([alone, constant, empty], allow_nan=False)


def test_a_repeat_counts_for_systems_and_its_last_answer_for_agreement():
    again = [*ROWS, ("i", "ann", "b", "c", ABCD)]
    report = described(again)
    assert (report["ratings"], report["repeats"]) == (7, 1)
    assert report["system_best_share"]["b"] == 3 / 7
    assert report["percent_agreement_best"] == 1 / 4  # on i: a, b and b


def test_items_can_be_chosen_and_keep_their_figures():
    answers = collected(ROWS)
    some = describe_best_worst(answers.of_items(np.array([False, True, False])), replicates=0)
    assert some["system_best_share"] == {"a": 0.5, "b": 0, "c": 0.5, "d": 0}


def test_answers_that_do_not_fit_their_sets_are_refused():
    with pytest.raises(ValueError, match="in the set shown"):
        collected([("i", "ann", "a", "e", ABCD)])
    with pytest.raises(ValueError, match="different outputs"):
        collected([("i", "ann", "a", "a", ABCD)])
    with pytest.raises(ValueError, match="differ in length"):
        collect_best_worst(["i"], [], [], [], [])
