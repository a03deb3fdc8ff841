"""Pairwise agreement of judge, people and the length oracle: alpha from its coincidences, and plain extremes."""

import numpy as np
import pytest

from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from agreement.reliability.masi import masi
from parts.papers.figures.length_oracle import NOTHING_SHARED, ONE_CHOICE, length_oracle_report
from tests.agreement.exchangeable_alpha import exchangeable_alpha, masi_distance
from tests.agreement.random_answers import random_choices, random_outputs

pytestmark = pytest.mark.quick


def alpha(pairs):
    return exchangeable_alpha(pairs, masi_distance)


def preferred(scores, one, other):
    return 0 if scores[one] > scores[other] else 1 if scores[one] < scores[other] else 2


@pytest.fixture
def answers():
    rng = np.random.default_rng(17)
    outputs = random_outputs(rng, items=15)
    length = outputs.length // 8
    length[3] = np.nan
    outputs = Outputs(outputs.item, outputs.system, length, outputs.systems, outputs.items)
    people = rng.integers(3, 8, outputs.size) / 3
    people[20] = np.nan
    return people, random_choices(rng, outputs, share=0.7, repeats=2), outputs


def test_alphas_are_those_of_their_coincidences(answers):
    people, judge, outputs = answers
    columns = []
    for one, other, choice in zip(judge.first, judge.second, judge.choice, strict=True):
        if not np.isnan([*people[[one, other]], *outputs.length[[one, other]]]).any():
            columns.append((preferred(people, one, other), preferred(outputs.length, one, other), choice))
    of_people, of_oracle, of_judge = zip(*columns, strict=True)
    report = length_oracle_report(people, judge, outputs, replicates=50)
    assert report["people_oracle"] == pytest.approx(alpha(list(zip(of_people, of_oracle, strict=True))))
    assert report["judge_oracle"] == pytest.approx(alpha(list(zip(of_judge, of_oracle, strict=True))))
    assert report["judge_people"] == pytest.approx(alpha(list(zip(of_judge, of_people, strict=True))))
    assert (report["judgments"], report["pairs"]) == (len(columns), len(columns) // 2)
    assert report["left_out"] == judge.choice.size - len(columns) > 0
    assert report["judge_people_ci"][0] <= report["judge_people"] <= report["judge_people_ci"][1]


def test_a_judge_that_counts_words_agrees_with_the_oracle(answers):
    people, judge, outputs = answers
    known = ~np.isnan(outputs.length[judge.first]) & ~np.isnan(outputs.length[judge.second])
    judge = judge.only(known)
    longer = [preferred(outputs.length, one, other) for one, other in zip(judge.first, judge.second, strict=True)]
    copied = OutputChoices(judge.first, judge.second, judge.rater, np.array(longer), judge.shown_first, judge.raters)
    report = length_oracle_report(people, copied, outputs, replicates=0)
    assert report["judge_oracle"] == 1
    assert report["judge_people"] == report["people_oracle"]


def test_what_is_undefined_says_why(answers):
    people, judge, outputs = answers
    report = length_oracle_report(np.full(people.size, np.nan), judge, outputs)
    assert report["judge_people"] is None
    assert report["undefined"]["judge_people"] == NOTHING_SHARED
    flat = Outputs(outputs.item, outputs.system, np.ones(outputs.size), outputs.systems, outputs.items)
    report = length_oracle_report(np.ones(people.size), judge, flat, replicates=10)
    assert report["undefined"] == {"people_oracle": ONE_CHOICE, "people_oracle_ci": "the figure itself is undefined"}


def test_distances_are_those_of_masi():
    from scipy.sparse import csr_array

    rows = csr_array(np.array([[1, 0], [0, 1], [1, 1]]))
    assert masi(rows, rows) == pytest.approx(np.array([[masi_distance(c, k) for k in range(3)] for c in range(3)]))
