"""Answers against gold: by type of question, within a distance, by spans found, and by alpha."""

import numpy as np
import pytest

from agreement.reliability.alpha import alpha
from annotation.models import Question
from parts.way_in.gold_checks import Pair, alpha_against_gold, gold_of, is_right

LIKERT = Question(key="well", type="likert", spec={"min": 1, "max": 5})
PREFERENCE = Question(key="better", type="preference", spec={})
SPANS = Question(key="errors", type="spans", spec={})
RANK = Question(key="rank", type="rank", spec={"ranks": 3})
PER_OUTPUT = Question(key="good", type="category", spec={"per": "output", "choices": ["good", "bad"]})


def span(start, end, output="a"):
    return {"output": output, "start": start, "end": end, "text": "x"}


@pytest.mark.parametrize(
    ("question", "given", "gold", "rule", "right"),
    [
        (LIKERT, 4, 5, {}, False), (LIKERT, 4, 5, {"within": 1}, True), (LIKERT, 3, 5, {"within": 1}, False),
        (LIKERT, None, 5, {"within": 1}, False), (PREFERENCE, "a", "a", {}, True), (PREFERENCE, "tie", "a", {}, False),
        (RANK, {"a": 1, "b": 2}, {"a": 1, "b": 2}, {}, True), (RANK, {"a": 2, "b": 1}, {"a": 1, "b": 2}, {}, False),
        (RANK, {"a": 2, "b": 2}, {"a": 1, "b": 2}, {"within": 1}, True),
        (SPANS, {"spans": [span(0, 4)]}, {"spans": [span(2, 6)]}, {}, True),
        (SPANS, {"spans": [span(0, 2)]}, {"spans": [span(2, 6)]}, {}, False),
        (SPANS, {"spans": [span(0, 4, "b")]}, {"spans": [span(2, 6)]}, {}, False),
        (SPANS, {"spans": [span(0, 4)]}, {"spans": [span(2, 6), span(9, 12)]}, {"found": 0.5}, True),
        (SPANS, {"spans": [span(0, 4)]}, {"spans": [span(2, 6), span(9, 12)]}, {}, False),
        (SPANS, {"spans": []}, {"spans": []}, {}, True),
        (SPANS, {"spans": []}, {"spans": [span(2, 6)]}, {}, False),
        (SPANS, {"spans": [span(0, 5000)]}, {"spans": [span(2, 6)]}, {"found": 1}, False),
        (SPANS, {"spans": [span(0, 5000)]}, {"spans": [span(2, 6), span(80, 90)]}, {"found": 0.5}, False),
        (SPANS, {"spans": [span(0, 8)]}, {"spans": [span(2, 6)]}, {}, True),
        (SPANS, {"spans": [span(0, 9)]}, {"spans": [span(2, 6)]}, {}, False),
        (SPANS, {"spans": [span(2, 6), span(2, 6), span(0, 9)]}, {"spans": [span(2, 6)]}, {}, False),
        (SPANS, {"spans": [span(2, 6), span(0, 9, "b")]}, {"spans": [span(2, 6)]}, {}, False),
        (PER_OUTPUT, {"a": "good", "b": "bad"}, {"a": "good"}, {}, True),
        (PER_OUTPUT, {"b": "bad"}, {"a": "good"}, {}, False),
    ],
)  # fmt: skip
def test_an_answer_agrees_with_gold(question, given, gold, rule, right):
    assert is_right(question, given, gold, rule) is right


def test_gold_takes_the_shape_of_the_answers():
    assert gold_of(PER_OUTPUT, {"good": "good"}, ["a", "b"], "task") == {"a": "good", "b": "good"}
    assert gold_of(PER_OUTPUT, {"good": {"a": "bad"}}, ["a", "b"], "task") == {"a": "bad"}
    assert gold_of(PER_OUTPUT, {"good": {"a": "bad"}}, ["a"], "task") == "bad"
    assert gold_of(PER_OUTPUT, {"good": {"c": "bad"}}, ["a"], "task") is None
    assert gold_of(RANK, {"rank": {"a": 1}}, ["a", "b"], "task") == {"a": 1}
    assert gold_of(LIKERT, {}, ["a"], "output") is None


@pytest.mark.parametrize("numeric", [True, False])
def test_alpha_is_that_of_the_reports(numeric):
    random = np.random.default_rng(7)
    for _ in range(20):
        gold = random.integers(1, 6, 12)
        given = np.where(random.random(12) < 0.6, gold, random.integers(1, 6, 12))
        pairs = [Pair(int(one), int(other)) for one, other in zip(given, gold, strict=True)]
        expected = reference(given, gold, numeric)
        assert alpha_against_gold(pairs, numeric) == pytest.approx(expected)


def reference(given, gold, numeric):
    units = np.concatenate([np.arange(len(gold)), np.arange(len(gold))])
    return alpha(units, np.concatenate([given, gold]).astype(float), "interval" if numeric else "nominal")


@pytest.mark.parametrize("numeric", [True, False])
def test_answers_that_are_missing_are_disagreements_in_alpha(numeric):
    answered, missing = [Pair(1, 1), Pair(5, 5)], [Pair(None, 3)] * 8
    assert alpha_against_gold(answered, numeric) == pytest.approx(1)
    assert alpha_against_gold(answered + missing, numeric) < 0.2
    assert alpha_against_gold([Pair(None, 3)] * 10, numeric) in (None, pytest.approx(-0.9))
    shares = [alpha_against_gold([Pair(1, 1), Pair(5, 5)] * 4 + [Pair(None, 3)] * n, numeric) for n in range(4)]
    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 4


def test_alpha_is_undefined_if_all_values_are_equal():
    assert alpha_against_gold([Pair(1, 1), Pair(1, 1)], is_numeric=True) is None
    assert alpha_against_gold([], is_numeric=True) is None
