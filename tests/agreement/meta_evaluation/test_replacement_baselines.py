"""A verdict that a judge may replace a person says nothing if a judge that knows nothing passes, too."""

import json
from dataclasses import replace

import numpy as np
import pytest

from agreement.arrays.pair_choices import FIRST, SECOND, SIDES, TIE
from agreement.meta_evaluation.alternative_annotator import alternative_annotator_test
from agreement.meta_evaluation.replacement_baselines import (
    CONSTANT_PASSES,
    NO_AGREEMENT,
    ReplacementInputs,
    replacement_baselines,
    with_baselines,
)

ITEMS, PEOPLE = 80, 3
NAMES = ("p0", "p1", "p2")


def inputs(value, judge, by, constants, level, sides=None, per_item=1):
    """Everybody's answers, (units, people), and the judge's, (units,)."""
    units = judge.size
    return ReplacementInputs(
        np.repeat(np.arange(units), PEOPLE),
        np.tile(np.arange(PEOPLE), units),
        value.ravel(),
        judge.astype(float),
        np.arange(units) // per_item,
        NAMES,
        by,
        constants,
        level,
        sides,
    )


def outcome(one, epsilon=0.1):
    found = alternative_annotator_test(
        one.unit,
        one.rater,
        one.value,
        one.judge,
        one.item,
        one.raters,
        scores=one.scores,
        epsilon=epsilon,
        replicates=100,
    )
    beside = replacement_baselines(one, epsilon=epsilon, replicates=200, seed=1)
    return found, beside, with_baselines(found, beside)


def agreeing(seed, noise=0.6):
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, ITEMS).astype(float)
    return truth[:, None] + rng.normal(size=(ITEMS, PEOPLE)) * noise, truth


def test_a_judge_of_people_who_agree_may_replace_one_and_the_baselines_may_not():
    value, truth = agreeing(1)
    found, beside, told = outcome(inputs(value, truth, "scores", (3.0,), "interval"))
    assert found.passes is told.passes is True
    assert not beside.constant.passes
    assert not beside.shuffled.passes
    assert beside.shuffled.rho < found.rho.value
    assert beside.alpha.interval[0] > 0.5
    assert beside.withheld() is None


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_no_substitute_for_people_who_do_not_agree(seed):
    rng = np.random.default_rng(seed)
    noise = inputs(rng.integers(1, 6, (ITEMS, PEOPLE)).astype(float), np.full(ITEMS, 3.0), "scores", (3.0,), "interval")
    found, beside, told = outcome(noise, epsilon=0.2)
    assert found.passes is True
    assert beside.constant.passes
    assert told.passes is None
    assert told.reason == CONSTANT_PASSES


def test_people_without_agreement_alone_are_a_reason():
    value, truth = agreeing(2)
    beside = outcome(inputs(value, truth, "scores", (3.0,), "interval"))[1]
    around_zero = replace(beside, alpha=replace(beside.alpha, interval=(-0.01, 0.3)))
    assert around_zero.withheld() == NO_AGREEMENT


def test_a_constant_answer_is_the_expectation_over_both_labels():
    rng = np.random.default_rng(3)
    truth = rng.random(ITEMS) < 0.5
    value = np.where(rng.random((ITEMS, PEOPLE)) < 0.1, ~truth[:, None], truth[:, None]).astype(float)
    both = outcome(inputs(value, truth, "labels", (0.0, 1.0), "nominal"))[1].constant
    yes, no = (outcome(inputs(value, truth, "labels", (answer,), "nominal"))[1].constant.rho for answer in (1.0, 0.0))
    assert both.rho == pytest.approx((yes + no) / 2)
    assert 0 < both.rho < 1


def test_shuffled_choices_do_not_depend_on_which_output_is_first():
    rng = np.random.default_rng(4)
    truth = rng.choice([FIRST, SECOND, TIE], 120, p=[0.5, 0.3, 0.2])
    value = np.where(rng.random((120, PEOPLE)) < 0.3, rng.integers(0, 3, (120, PEOPLE)), truth[:, None]).astype(float)
    judge = np.where(rng.random(120) < 0.3, rng.integers(0, 3, 120), truth).astype(float)
    turned = rng.random(120) < 0.5
    mirror = np.array([SECOND, FIRST, TIE], dtype=float)
    swapped = np.where(turned[:, None], mirror[value.astype(int)], value)
    judge_swapped = np.where(turned, mirror[judge.astype(int)], judge)
    within = np.arange(120).reshape(40, 3)[:, ::-1].ravel()  # the pairs of each item in another order
    one = outcome(inputs(value, judge, "choices", (TIE,), "nominal", SIDES, per_item=3))[1]
    other = outcome(inputs(swapped[within], judge_swapped[within], "choices", (TIE,), "nominal", SIDES, per_item=3))[1]
    assert (other.constant, other.shuffled) == (one.constant, one.shuffled)
    assert other.alpha.value == pytest.approx(one.alpha.value)


def test_too_few_items_have_no_baselines():
    value, truth = agreeing(5)
    few = inputs(value[:10], truth[:10], "scores", (3.0,), "interval")
    found, beside, told = outcome(few)
    assert (beside.constant.omega, beside.shuffled.omega, beside.constant.passes) == (None, None, False)
    assert told == found


def test_uniform_noise_on_hannas_coherence_gets_no_yes(reference_data):
    rows = map(json.loads, (reference_data / "hanna" / "ratings.jsonl").read_text("utf-8").splitlines())
    rows = [row for row in rows if row["question"] == "coherence"]
    outputs, people, items = (
        {name: code for code, name in enumerate(sorted({key(row) for row in rows}))}
        for key in (lambda row: (row["item"], row["output"]), lambda row: row["rater"], lambda row: row["item"])
    )
    rng = np.random.default_rng(7)
    noise = ReplacementInputs(
        np.array([outputs[row["item"], row["output"]] for row in rows]),
        np.array([people[row["rater"]] for row in rows]),
        np.array([float(row["value"]) for row in rows]),
        rng.uniform(1, 5, len(outputs)),
        np.array([items[item] for item, _ in outputs]),
        tuple(people),
        "scores",
        (3.0,),
        "interval",
    )
    found, beside, told = outcome(noise, epsilon=0.2)
    assert found.passes is True
    assert (told.passes, beside.withheld() is not None) == (None, True)
    assert beside.alpha.value == pytest.approx(-0.0547, abs=5.001e-5)
