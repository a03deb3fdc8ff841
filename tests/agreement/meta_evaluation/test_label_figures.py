import itertools

import numpy as np
import pytest

from agreement.meta_evaluation.label_figures import (
    NO_LABEL,
    NO_TEST,
    NO_TRAINING,
    TEST,
    TRAINING,
    human_row,
    label_report,
    random_figures,
)
from agreement.turns.second_rating_figures import second_ratings
from judges.turn_split import TurnSplit

pytestmark = pytest.mark.quick
NAMES = ("good", "neutral", "bad")
PART = {"training": TRAINING, "validation": 1, "test": TEST}


def by_definition(people, predicted, positive=None):
    """Accuracy, precision, recall, F1 and kappa of two lists; means over the three labels without `positive`."""
    n = len(people)
    right = sum(a == b for a, b in zip(people, predicted, strict=True)) / n
    rows = []
    for label in range(3) if positive is None else [positive]:
        hits = sum(a == b == label for a, b in zip(people, predicted, strict=True))
        given, owned = list(predicted).count(label), list(people).count(label)
        precision, recall = hits / given if given else 0, hits / owned if owned else 0
        rows.append((precision, recall, 2 * precision * recall / (precision + recall) if hits else 0))
    chance = sum(list(people).count(c) * list(predicted).count(c) for c in {*people, *predicted}) / n**2
    kappa = (right - chance) / (1 - chance) if chance < 1 else np.nan
    return [right, *np.mean(rows, axis=0), kappa]


def two_way(labels):
    return [0 if label == 0 else 1 for label in labels]


def drawn(seed, units=240):
    """Labels of people, and a judge that is right two times of three; three splits of the turns of 40 sessions."""
    rng = np.random.default_rng(seed)
    people = rng.choice(3, units, p=[0.5, 0.3, 0.2])
    judge = np.where(rng.random(units) < 0.67, people, rng.integers(0, 3, units))
    item = np.arange(units) // 6
    splits = [TurnSplit(by="turn", seed=number) for number in range(3)]
    parts = [np.array([PART[split.part(f"q{n // 6}", f"s{n // 6}", n % 6)] for n in range(units)]) for split in splits]
    return judge, people, item, parts


def figures(row):
    return [row[name] for name in ("accuracy", "precision", "recall", "f1", "cohen_kappa")]


@pytest.mark.parametrize("seed", range(4))
def test_figures_are_those_of_the_definition_averaged_over_the_judges_own_splits(seed):
    judge, people, item, parts = drawn(seed)
    judge[::17] = NO_LABEL
    report = label_report(judge, people, item, NAMES, parts, positive="good", replicates=100)
    expected = {"two_way": [], "all_labels": []}
    for part in parts:
        own = (part == TEST) & (judge != NO_LABEL)
        expected["two_way"].append(by_definition(two_way(people[own]), two_way(judge[own]), 0))
        expected["all_labels"].append(by_definition(people[own].tolist(), judge[own].tolist()))
    for way, rows in expected.items():
        row = report[way]["judge"]
        assert figures(row) == pytest.approx(np.mean(rows, axis=0))
        assert row["accuracy_ci"][0] < row["accuracy"] < row["accuracy_ci"][1]
        assert report[f"{way}_spread"]["f1"] == pytest.approx(np.std(rows, axis=0, ddof=1)[3])
        assert sum(value for name, value in row["labels"].items() if not name.endswith("_ci")) == pytest.approx(1)
    assert report["splits"] == 3
    assert 0.1 < report["units"] / 240 < 0.2


def test_the_majority_baseline_has_zeros_if_the_positive_class_is_not_the_majority():
    people = np.array([1] * 40 + [0] * 20 + [1] * 6 + [0] * 4)
    part = np.array([TRAINING] * 60 + [TEST] * 10)
    report = label_report(people, people, np.arange(70), NAMES, [part], positive="good", replicates=0)
    assert figures(report["two_way"]["majority"])[:4] == [0.6, 0, 0, 0]
    labels = report["two_way"]["majority"]["labels"]
    assert (labels["good"], labels["others"]) == (0, 1)
    macro = report["all_labels"]["majority"]
    assert (macro["precision"], macro["recall"]) == pytest.approx((0.6 / 3, 1 / 3))
    assert figures(report["two_way"]["judge"]) == [1] * 5
    assert "two_way_spread" not in report


def test_figures_that_a_split_does_not_have_have_no_spread():
    """Everything is good in the test part of one split, so there is no kappa."""
    people = np.array([0, 0, 0, 1, 0, 1])
    parts = [np.array([TRAINING, TRAINING, TEST, TEST, TEST, TEST]), np.array([TEST, TEST, TEST, *[TRAINING] * 3])]
    report = label_report(people, people, np.arange(6), NAMES, parts, positive="good", replicates=0)
    assert report["two_way_spread"] == {"accuracy": 0, "precision": 0, "recall": 0, "f1": 0, "cohen_kappa": None}
    assert report["undefined"]["two_way_spread.cohen_kappa"]
    assert report["two_way"]["judge"]["cohen_kappa"] == 1


def test_random_figures_are_expectations_over_all_labellings():
    people, share = [0, 0, 1, 2], np.array([0.5, 0.3, 0.2])
    rows, chances = [], []
    for predicted in itertools.product(range(3), repeat=4):
        rows.append(by_definition(people, predicted)[:4])
        chances.append(np.prod(share[list(predicted)]))
    assert random_figures(np.array([2, 1, 1]), share, None)[:4] == pytest.approx(np.array(chances) @ rows)
    for positive in (0, 1):
        counts = np.bincount([0 if label == positive else 1 for label in people])
        rows = [by_definition(people, labels, positive)[1:4] for labels in itertools.product(range(3), repeat=4)]
        two = np.array([share[positive], 1 - share[positive]])
        assert random_figures(counts, two, 0)[1:4] == pytest.approx(np.array(chances) @ rows)


def test_random_labels_give_the_papers_shares():
    # KIWI, Table 7: with the shares 40, 36 and 24 in training and test alike, all macro figures are near 1/3.
    found = random_figures(np.array([76, 68, 45]), np.array([0.40, 0.36, 0.24]), None)
    assert found[:4] == pytest.approx([0.35, 0.34, 0.34, 0.34], abs=0.01)
    assert found[4] == 0
    # Table 5: P(good) 0.38 in training, 42 % good in the test part.
    found = random_figures(np.array([42, 58]), np.array([0.38, 0.62]), 0)
    assert found[1:4] == pytest.approx([0.42, 0.38, 0.40], abs=0.01)


def test_the_human_row_equals_the_figures_of_second_ratings():
    judge, people, *_ = drawn(1, units=65)
    found = human_row(judge, people, np.arange(65), NAMES, positive="good", replicates=1000)
    own = second_ratings([(n, NAMES[a], NAMES[b]) for n, (a, b) in enumerate(zip(people, judge, strict=True))])
    for way, other in (("two_way", "two_way"), ("all_labels", "three_way")):
        assert figures(found[way]) == pytest.approx(figures(own[other]))
        assert found[way]["f1_sd"] == pytest.approx(own[other]["f1_sd"], rel=0.15)
    assert found["units"] == 65


@pytest.mark.thorough
def test_the_deviation_is_that_of_new_samples():
    def row(seed):
        judge, people, *_ = drawn(seed, units=120)
        return human_row(judge, people, np.arange(120), NAMES, positive="good", replicates=200)["two_way"]

    rows = [row(seed) for seed in range(150)]
    deviations = [one["cohen_kappa_sd"] for one in rows]
    assert np.mean(deviations) == pytest.approx(np.std([one["cohen_kappa"] for one in rows], ddof=1), rel=0.15)


def test_undefined_figures_have_a_reason():
    labels, item = np.array([0, 1, 2]), np.arange(3)
    report = label_report(labels, labels, item, NAMES, [np.full(3, TEST)], positive="good", replicates=0)
    assert report["two_way"]["random"] is None
    assert report["undefined"]["all_labels.majority"] == NO_TRAINING
    report = label_report(labels, labels, item, NAMES, [np.full(3, TRAINING)], positive="good", replicates=0)
    assert report["two_way"]["judge"]["f1"] is None
    assert report["undefined"]["two_way.judge.f1"] == NO_TEST
    assert report["two_way"]["random"]["f1"] is None
    for positive, parts in (("fine", [labels]), ("good", [])):
        with pytest.raises(ValueError, match="positive class"):
            label_report(labels, labels, item, NAMES, parts, positive=positive)


def test_a_split_without_a_test_unit_leaves_the_spread_undefined():
    people = np.array([0, 1, 0, 1])
    parts = [np.array([TRAINING, TRAINING, TEST, TEST]), np.full(4, TRAINING)]
    report = label_report(people, people, np.arange(4), NAMES, parts, positive="good", replicates=0)
    assert report["two_way"]["judge"]["accuracy"] == 1
    assert report["two_way_spread"]["accuracy"] is None
    assert "test part of a split" in report["undefined"]["two_way_spread.accuracy"]
