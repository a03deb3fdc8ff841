import numpy as np
import pytest

from agreement.intervals.bounded_intervals import clustered_mean
from agreement.intervals.clustered_errors import sums_of_items, variance_of
from agreement.meta_evaluation.corrected_means import (
    ALL_THE_SAME,
    NEAR_CHANCE,
    NO_ANSWERS,
    NO_BETTER_THAN_CHANCE,
    NO_JUDGMENTS,
    NOTHING_MORE,
    corrected_means,
    plain_mean,
    prediction_powered_mean,
    rogan_gladen_mean,
    share_mean,
)
from agreement.meta_evaluation.output_answers import Outputs

# ppi_mean_pointestimate and ppi_mean_ci of ppi-python 0.2.3, by seed and lambda; None chooses lambda.
PPI_PYTHON = [
    (1, 1, 2.99777132, (2.77768349, 3.21785916)),
    (1, 0.5, 3.00631691, (2.79844733, 3.2141865)),
    (1, None, 3.00502231, (2.79922638, 3.21081823)),
    (2, 1, 2.7739917, (2.54358819, 3.00439521)),
    (2, 0.5, 2.86455468, (2.63851045, 3.09059891)),
    (2, None, 2.83659542, (2.61607991, 3.05711093)),
]


@pytest.mark.parametrize(("seed", "weight", "value", "interval"), PPI_PYTHON)
def test_it_gives_what_ppi_python_gives(seed, weight, value, interval):
    rng = np.random.default_rng(seed)
    truth = rng.normal(3, 1, 400)
    people, judge = truth + rng.normal(0, 0.5, 400), 0.7 * truth + rng.normal(0, 0.6, 400)
    people[60:] = np.nan
    found, _ = prediction_powered_mean(people, judge, np.arange(400), weight=weight)
    exact = weight is not None
    assert found.value == pytest.approx(value, abs=1e-8 if exact else 0.02)  # lambda is pooled differently
    assert found.interval == pytest.approx(interval, abs=0.02 if exact else 0.04)  # normal there, Student's t here


def test_lambda_is_the_weight_with_the_smallest_variance():
    rng = np.random.default_rng(5)
    item, truth = np.repeat(np.arange(80), 3), np.repeat(rng.normal(0, 1, 80), 3) + rng.normal(0, 0.5, 240)
    judge = truth + rng.normal(0, 1, 240)
    truth[item >= 20] = np.nan
    found, weight = prediction_powered_mean(truth, judge, item)
    others = [prediction_powered_mean(truth, judge, item, weight=one)[0].se for one in np.linspace(0, 1, 101)]
    assert 0 < weight < 1
    assert found.se == pytest.approx(min(others), rel=1e-4)


def test_the_clustered_variance_is_the_one_written_out():
    item, value = np.array([3, 3, 5, 9, 9, 9]), np.array([1.0, 2, 4, 3, 3, 5])
    deviations = value - value.mean()
    by_item = [deviations[item == one].sum() / 6 for one in (3, 5, 9)]
    found = plain_mean(value, item)
    assert found.se**2 == pytest.approx(3 / 2 * sum(one**2 for one in by_item))
    one_each = plain_mean(value, np.arange(6))
    assert one_each.se == pytest.approx(value.std(ddof=1) / np.sqrt(6))
    assert np.isnan(variance_of(sums_of_items(np.zeros(3, dtype=int), np.ones((3, 1)))[:, 0]))


def drawn_scores(rng, items=300, labelled=40):
    """Two outputs per item, of which whole items are answered; the judge is biased and noisy."""
    item = np.repeat(np.arange(items), 2)
    people = np.repeat(rng.normal(3, 0.7, items), 2) + rng.normal(0, 0.5, 2 * items)
    judge = 1 + 0.8 * people + rng.normal(0, 0.4, 2 * items)
    people[item >= labelled] = np.nan
    return people, judge, item


def test_intervals_of_both_methods_cover_the_mean_and_the_judges_alone_does_not():
    rng = np.random.default_rng(11)
    inside, narrower = np.zeros(3), 0
    for _ in range(400):
        people, judge, item = drawn_scores(rng)
        alone, alone_of_judge = plain_mean(people, item), plain_mean(judge, item)
        powered, _ = prediction_powered_mean(people, judge, item)
        inside += [low <= 3 <= high for low, high in (alone.interval, powered.interval, alone_of_judge.interval)]
        narrower += powered.se < alone.se
    assert 0.92 <= inside[0] / 400 <= 0.98
    assert 0.92 <= inside[1] / 400 <= 0.98
    assert inside[2] == 0
    assert narrower > 380


def test_without_clusters_the_interval_would_be_too_short():
    rng = np.random.default_rng(12)
    inside = 0
    for _ in range(300):
        people, judge, item = drawn_scores(rng)
        low, high = prediction_powered_mean(people, judge, np.arange(item.size))[0].interval
        inside += low <= 3 <= high
    assert inside / 300 < 0.92


@pytest.mark.parametrize(
    ("share", "sensitivity", "specificity", "labelled", "most", "most_naive"),
    [
        (0.4, 0.9, 0.8, 100, 0.98, 0.1),
        (0.8, 0.95, 0.7, 60, 0.99, 0.8),
        (0.1, 0.8, 0.95, 150, 0.99, 0.8),
        (0.5, 0.99, 0.99, 40, 1, 1),  # 40 labels without an error leave room for some
    ],
)
def test_the_corrected_share_covers_the_true_one(share, sensitivity, specificity, labelled, most, most_naive):
    rng = np.random.default_rng(13)
    inside, naive, drawn = 0, 0, 400
    values = []
    for _ in range(drawn):
        truth = (rng.random(600) < share).astype(float)
        judge = np.where(truth == 1, rng.random(600) < sensitivity, rng.random(600) > specificity).astype(float)
        truth[labelled:] = np.nan
        found = rogan_gladen_mean(truth, judge, np.arange(600))
        low, high = found.interval or (0, 1)
        inside += low <= share <= high
        low, high = plain_mean(judge, np.arange(600)).interval
        naive += low <= share <= high
        values.append(found.value)
    assert 0.92 <= inside / drawn <= most
    assert np.mean([one for one in values if one is not None]) == pytest.approx(share, abs=0.02)
    assert naive / drawn <= most_naive


def test_the_worked_correction():
    # 30 of 40 yes and 54 of 60 no are recognised; 35 of 100 others are called yes.
    truth = np.array([1] * 40 + [0] * 60 + [np.nan] * 100)
    judge = np.array([1] * 30 + [0] * 10 + [1] * 6 + [0] * 54 + [1] * 35 + [0] * 65, dtype=float)
    found = rogan_gladen_mean(truth, judge, np.arange(200))
    assert found.value == pytest.approx((71 / 200 + 0.9 - 1) / (0.75 + 0.9 - 1))
    assert found.labels == 100


def test_a_judge_that_guesses_corrects_nothing():
    rng = np.random.default_rng(3)
    truth, judge = (rng.random(200) < 0.5).astype(float), np.zeros(200)
    assert rogan_gladen_mean(truth, judge, np.arange(200)).reason == NO_BETTER_THAN_CHANCE
    judge[np.flatnonzero(truth)[:1]] = 1
    found = rogan_gladen_mean(truth, judge, np.arange(200))
    assert (found.interval, found.interval_reason) == (None, NEAR_CHANCE)


def two_systems(items):
    return Outputs(np.repeat(np.arange(items), 2), np.tile([0, 1], items), np.ones(2 * items), ("a", "b"), items)


def test_the_report_has_every_method_per_system():
    rng = np.random.default_rng(7)
    outputs = two_systems(200)
    truth = (rng.random(400) < 0.6).astype(float)
    judge = np.clip(np.where(truth == 1, 0.8, 0.2) + rng.normal(0, 0.25, 400), 0, 1)
    people = np.where(outputs.item < 50, truth, np.nan)
    found = corrected_means(people, judge, outputs, yes_or_no=True)["b"]
    assert found["labels"] == 50
    assert found["people"] == truth[1:100:2].mean()
    assert found["judge"] == (judge[1::2] > 0.5).mean()
    assert found["prediction_powered_worth"] == pytest.approx(
        50 * (found["people_se"] / found["prediction_powered_se"]) ** 2
    )
    assert found["prediction_powered_worth"] > 70
    assert found["sensitivity_specificity_ci"][0] <= found["sensitivity_specificity"]
    assert found["undefined"] == {}


def test_the_worth_is_the_number_of_labels_that_people_alone_need():
    rng = np.random.default_rng(8)
    truth = rng.normal(0, 1, 4000)
    judge = truth + rng.normal(0, 0.5, 4000)
    people = np.where(np.arange(4000) < 200, truth, np.nan)
    outputs = Outputs(np.arange(4000), np.zeros(4000, dtype=int), np.ones(4000), ("a",), 4000)
    found = corrected_means(people, judge, outputs)["a"]
    enough = round(found["prediction_powered_worth"])
    more = plain_mean(truth[:enough], np.arange(enough))
    assert more.se == pytest.approx(found["prediction_powered_se"], rel=0.1)


def test_undefined_figures_have_a_reason():
    outputs = two_systems(3)
    nothing = np.full(6, np.nan)
    found = corrected_means(nothing, np.ones(6), outputs, yes_or_no=True)["a"]
    assert found["people"] is None
    assert {"people", "people_ci", "lambda", "prediction_powered", "sensitivity_specificity"} <= set(found["undefined"])
    assert found["undefined"]["people"] == NO_ANSWERS
    assert corrected_means(np.ones(6), nothing, outputs)["a"]["undefined"]["judge"] == NO_JUDGMENTS
    found = corrected_means(np.arange(6.0), np.arange(6.0), outputs)["a"]
    assert found["undefined"]["prediction_powered"] == NOTHING_MORE


@pytest.mark.parametrize(("share", "units"), [(0.5, 30), (0.95, 40), (0.02, 100)])
def test_intervals_of_shares_cover_them_and_stay_within_0_and_1(share, units):
    rng = np.random.default_rng(9)
    intervals = [share_mean((rng.random(units) < share).astype(float), np.arange(units)).interval for _ in range(400)]
    assert 0.93 <= np.mean([low <= share <= high for low, high in intervals]) <= 1
    assert all(0 <= low < high <= 1 for low, high in intervals)


def test_the_interval_of_a_share_is_that_of_all_shares():
    value = np.array([1.0] * 8 + [0] * 12)
    found = share_mean(value, np.arange(20)).interval
    assert found == pytest.approx(clustered_mean(0.4, value, np.ones(20), (0.0, 1.0)))


def test_answers_that_are_all_the_same_have_no_standard_error():
    same = plain_mean(np.full(5, 4.0), np.arange(5))
    assert (same.value, same.interval, same.interval_reason) == (4, None, ALL_THE_SAME)
    low, high = share_mean(np.ones(10), np.arange(10)).interval
    assert 0.6 < low < high == 1
