"""Agreement between raters who labelled the same turns: by hand, by another implementation, and in edge cases."""

import json

import krippendorff
import numpy as np
import pytest

from agreement.reliability.alpha import NO_VARIATION, NOTHING_PAIRABLE
from agreement.reliability.kappa import NO_CHANCE
from agreement.turns.label_agreement import MOST_RATERS, TOO_MANY_RATERS, label_agreement

pytestmark = pytest.mark.quick
TABLE = {
    ("condense", "condense"): 20,
    ("condense", "remove"): 5,
    ("remove", "condense"): 10,
    ("remove", "remove"): 15,
}
"""Two raters of 50 turns: the worked example of Cohen's kappa, with p_o = 0.7, p_e = 0.5 and kappa = 0.4."""


def example():
    cells = [pair for pair, times in TABLE.items() for _ in range(times)]
    return [(turn, rater, value) for turn, pair in enumerate(cells) for rater, value in zip("ab", pair, strict=True)]


def test_kappa_of_the_worked_example_is_reproduced():
    report = label_agreement(example(), replicates=200)
    assert (report["raters"], report["labels"], report["turns"]) == (["a", "b"], 100, 50)
    assert (report["turns_with_two_or_more"], report["percent_agreement"]) == (50, pytest.approx(0.7))
    (pair,) = report["pairs"]
    assert (pair["raters"], pair["turns"]) == (["a", "b"], 50)
    assert (pair["percent_agreement"], pair["cohen_kappa"]) == (pytest.approx(0.7), pytest.approx(0.4))
    low, high = pair["cohen_kappa_ci"]
    assert low < 0.4 < high
    assert report["undefined"] == {}


def random_labels(seed):
    """Three raters of 40 turns, who each leave some out."""
    rng = np.random.default_rng(seed)
    table = rng.choice(["x", "y", "z"], (40, 3))
    return [(turn, "abc"[r], str(table[turn, r])) for turn in range(40) for r in range(3) if rng.random() < 0.7]


@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_a_second_implementation(seed):
    labels = random_labels(seed)
    by_rater = {name: {turn: value for turn, rater, value in labels if rater == name} for name in "abc"}
    report = label_agreement(labels, replicates=0)
    table = np.array([[("xyz".index(own[turn]) if turn in own else np.nan) for turn in range(40)]
                      for own in by_rater.values()])  # fmt: skip
    expected = krippendorff.alpha(reliability_data=table, level_of_measurement="nominal")
    assert report["alpha_nominal"] == pytest.approx(expected)
    for pair in report["pairs"]:
        one, other = (by_rater[name] for name in pair["raters"])
        both = sorted(set(one) & set(other))
        confusion = np.zeros((3, 3))
        for turn in both:
            confusion["xyz".index(one[turn]), "xyz".index(other[turn])] += 1 / len(both)
        chance = confusion.sum(axis=0) @ confusion.sum(axis=1)
        assert pair["turns"] == len(both)
        assert pair["cohen_kappa"] == pytest.approx((confusion.trace() - chance) / (1 - chance))


def test_the_last_label_of_a_rater_counts():
    report = label_agreement([(1, "a", "x"), (1, "b", "y"), (1, "a", "y"), (2, "a", "x"), (2, "b", "x")], replicates=0)
    assert (report["labels"], report["percent_agreement"], report["pairs"][0]["cohen_kappa"]) == (4, 1, 1)


def test_raters_without_a_shared_turn_are_no_pair():
    report = label_agreement([(1, "a", "x"), (1, "b", "x"), (2, "b", "y"), (2, "c", "x")], replicates=0)
    assert [pair["raters"] for pair in report["pairs"]] == [["a", "b"], ["b", "c"]]
    assert report["undefined"]["pairs.0.cohen_kappa"] == NO_CHANCE


@pytest.mark.parametrize(
    ("labels", "reason"),
    [([], NOTHING_PAIRABLE), ([(1, "a", "x")], NOTHING_PAIRABLE), ([(1, "a", "x"), (1, "b", "x")], NO_VARIATION)],
)
def test_undefined_figures_have_reasons(labels, reason):
    report = label_agreement(labels)
    assert report["alpha_nominal"] is None
    assert report["undefined"]["alpha_nominal"] == reason
    json.dumps(report, allow_nan=False)


def test_pairs_of_many_raters_are_not_listed():
    labels = [(turn, f"r{rater}", "xy"[(turn + rater) % 2]) for turn in range(3) for rater in range(MOST_RATERS + 1)]
    report = label_agreement(labels, replicates=0)
    assert report["pairs"] is None
    assert report["undefined"]["pairs"] == TOO_MANY_RATERS
    assert report["alpha_nominal"] is not None
