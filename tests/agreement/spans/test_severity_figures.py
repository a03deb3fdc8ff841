"""Weighted scores of spans: by hand, and again in plain loops."""

import numpy as np
import pytest

from agreement.reliability.alpha import alpha
from agreement.spans.span_marks import Mark, collect_spans
from agreement.spans.span_report import describe_spans

MINOR, MAJOR, CRITICAL = 1.0, 5.0, 25.0


def described(answers, words=10, **more):
    """The report of {(item, output, rater): marks} about texts of 100 code points with `words` words."""
    items, outputs, raters = zip(*answers, strict=True)
    texts = {(item, output) for item, output, _ in answers}
    lengths = dict.fromkeys(texts, 100)
    tokens = {text: [(10 * place, 10 * place + 9) for place in range(words)] for text in texts}
    spans = collect_spans(items, outputs, raters, list(answers.values()), lengths, tokens)
    return describe_spans(spans, weighted=True, replicates=20, **more)


def mark(weight, confirmed=None):
    return Mark(0, 5, "wrong", confirmed, weight)


SMALL = {
    ("i", "a", "ann"): [mark(MAJOR), Mark(20, 30, "wrong", None, MINOR)],
    ("i", "a", "bob"): [mark(MAJOR)],
    ("i", "b", "ann"): [],
    ("i", "b", "bob"): [mark(CRITICAL, False)],
    ("j", "a", "ann"): [mark(0.0)],
}


def test_scores_of_a_small_case_worked_by_hand():
    report = described(SMALL)
    assert report["system_severity"] == {"a": (6 + 5 + 0) / 3, "b": 0}  # a rejected span does not count
    assert report["system_severity_per_100_words"] == {"a": 100 * 11 / 30, "b": 0}
    low, high = report["system_severity_ci"]["a"]
    assert 0 <= low <= 11 / 3 <= high <= 5.5
    assert report["severity_alpha"] == pytest.approx(
        alpha(np.array([0, 0, 1, 1]), np.array([6.0, 5.0, 0.0, 25.0]), "interval")
    )


def test_raters_who_mark_other_places_with_equal_weight_agree_on_severity_and_not_on_spans():
    same = {
        (item, "a", rater): [Mark(start, start + 5, "wrong", None, weight)]
        for item, weight in (("i", MINOR), ("j", MAJOR), ("k", CRITICAL))
        for rater, start in (("ann", 0), ("bob", 50))
    }
    report = described(same)
    assert report["severity_alpha"] == 1
    assert report["span_f1"] == 0


def test_the_figures_are_there_only_if_spans_have_severities_and_say_why_they_are_undefined():
    spans = collect_spans(["i"], ["a"], ["ann"], [[]], {("i", "a"): 5}, {})
    assert not {"severity_alpha", "system_severity"} & set(describe_spans(spans))
    report = describe_spans(spans, weighted=True)
    assert (report["system_severity"], report["system_severity_per_100_words"]) == ({"a": 0}, {"a": None})
    assert set(report["undefined"]) >= {"severity_alpha", "system_severity_per_100_words.a"}
    document = collect_spans(["i"], [None], ["ann"], [[]], {("i", None): 5}, {})
    assert describe_spans(document, weighted=True)["system_severity"] == {}


@pytest.mark.parametrize("seed", range(3))
def test_scores_agree_with_plain_loops(seed):
    rng = np.random.default_rng(seed)
    answers = {
        (item, output, rater): [
            Mark(10 * place, 10 * place + 5, "wrong", [None, True, False][rng.integers(3)], float(rng.choice([1, 5])))
            for place in np.flatnonzero(rng.random(9) < 0.3)
        ]
        for item in range(12) for output in "abc" for rater in ("ann", "bob", "cat") if rng.random() < 0.8
    }  # fmt: skip
    report = described(answers)
    for system in "abc":
        own = [marks for (_, output, _), marks in answers.items() if output == system]
        scores = [sum(one.weight for one in marks if one.confirmed is not False) for marks in own]
        assert report["system_severity"][system] == pytest.approx(np.mean(scores))
        assert report["system_severity_per_100_words"][system] == pytest.approx(10 * np.mean(scores))
    units = sorted({(item, output) for item, output, _ in answers})
    unit = np.array([units.index((item, output)) for item, output, _ in answers])
    given = np.array([sum(one.weight for one in marks) for marks in answers.values()])
    assert report["severity_alpha"] == pytest.approx(alpha(unit, given, "interval"))
