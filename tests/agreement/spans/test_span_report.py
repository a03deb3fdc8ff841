import json
from itertools import combinations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.arrays.rating_arrays import collect
from agreement.arrays.tally import tally
from agreement.intervals.bootstrap import item_weights
from agreement.question_figures.by_category import by_category
from agreement.reliability.alpha import NO_VARIATION
from agreement.reliability.leave_one_out import leave_one_out
from agreement.reliability.percent_agreement import percent_agreement
from agreement.spans.span_figures import NO_OUTPUT, NO_VERDICT, NOT_TWICE
from agreement.spans.span_marks import Mark, collect_spans
from agreement.spans.span_report import NO_TOKENS, describe_spans

pytestmark = pytest.mark.quick
LENGTH = 12
WORDS = [(0, 3), (4, 6), (6, 7), (8, 12)]


def build(rows, length=LENGTH, tokens=None):
    """Spans from rows (item, output, rater, marks); every text is equally long."""
    items, outputs, raters, marks = zip(*rows, strict=True) if rows else ((), (), (), ())
    texts = set(zip(items, outputs, strict=True))
    words = None if tokens is None else dict.fromkeys(texts, tokens)
    return collect_spans(items, outputs, raters, marks, dict.fromkeys(texts, length), words)


marks = st.builds(
    lambda start, size, label: Mark(start, min(LENGTH, start + size), label),
    st.integers(0, LENGTH - 1),
    st.integers(1, LENGTH),
    st.sampled_from(["x", "y"]),
)
answers = st.dictionaries(
    st.tuples(st.sampled_from("ij"), st.sampled_from("ab"), st.sampled_from("rst")),
    st.lists(marks, max_size=3),
    min_size=1,
)


def characters(given_marks):
    return [frozenset(mark.label for mark in given_marks if mark.start <= at < mark.end) for at in range(LENGTH)]


def f1(a, b):
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


@pytest.mark.thorough
@settings(max_examples=100)
@given(answers)
def test_figures_by_character_equal_those_of_single_characters(given_answers):
    rows = [(*key, value) for key, value in given_answers.items()]
    report = describe_spans(build(rows, tokens=WORDS), replicates=0)
    flat = [((i, o, at), r, labels) for i, o, r, own in rows for at, labels in enumerate(characters(own))]
    code = {labels: float(n) for n, labels in enumerate(dict.fromkeys(labels for *_, labels in flat))}
    units, raters, values = zip(*flat, strict=True)
    ratings = collect(units, [None] * len(flat), raters, [code[labels] for labels in values])
    counted = tally(ratings.unit, ratings.value)
    ones = np.ones((1, ratings.item.size))
    for name, sums in (("percent_agreement", percent_agreement), ("leave_one_out", leave_one_out)):
        expected = sums(counted, ratings.item, ratings.item.size).at(ones)[0, 0]
        assert report[name] is None if np.isnan(expected) else report[name] == pytest.approx(expected)
    table = np.full((3, ratings.item.size), np.nan)
    table[["rst".index(ratings.raters[r]) for r in ratings.rater], ratings.unit] = ratings.value
    paired = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if np.unique(paired[~np.isnan(paired)]).size < 2:
        assert report["span_alpha"] is None
    else:
        expected = krippendorff.alpha(reliability_data=paired, level_of_measurement="nominal")
        assert report["span_alpha"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.thorough
@settings(max_examples=100)
@given(answers)
def test_f1_equals_that_of_sets_of_characters_and_words(given_answers):
    rows = [(*key, value) for key, value in given_answers.items()]
    report = describe_spans(build(rows, tokens=WORDS), replicates=0)
    expected = {"span_f1": [], "span_f1_marked": [], "span_f1_labels": [], "span_f1_tokens": []}
    for (*text, _, a), (*other, _, b) in combinations(rows, 2):
        if text != other:
            continue
        at = [{n for n, labels in enumerate(characters(own)) if labels} for own in (a, b)]
        words = [{n for n, (start, end) in enumerate(WORDS) if own & set(range(start, end))} for own in at]
        expected["span_f1"].append(f1(*at))
        labelled = [{(n, label) for n, labels in enumerate(characters(own)) for label in labels} for own in (a, b)]
        expected["span_f1_labels"].append(f1(*labelled))
        expected["span_f1_tokens"].append(f1(*words))
        if at[0] or at[1]:
            expected["span_f1_marked"].append(f1(*at))
    for name, values in expected.items():
        assert report[name] == (pytest.approx(np.mean(values)) if values else None), name


CHECKED = [
    ("i", "a", "r", [Mark(0, 4, "x", True), Mark(6, 8, "x", False)]),
    ("i", "a", "s", [Mark(2, 4, "x", None)]),
    ("i", "b", "r", []),
    ("i", "b", "s", []),
    ("j", "a", "r", [Mark(0, 12, "", None)]),
    ("j", "b", "r", [Mark(0, 1, "", False)]),
]


def test_a_case_worked_by_hand():
    report = describe_spans(build(CHECKED), replicates=0)
    counts = ("ratings", "raters", "items", "texts", "texts_with_two_or_more", "repeats", "outputs_undecided")
    assert [report[name] for name in counts] == [6, 2, 2, 4, 2, 0, 1]
    verdicts = ("spans", "spans_confirmed", "spans_rejected", "spans_undecided")
    assert [report[name] for name in verdicts] == [5, 1, 2, 2]
    # On i's a: 6 characters against 2, of which both share 2; on i's b nobody marked anything.
    assert report["span_f1"] == pytest.approx((2 * 2 / 8 + 1) / 2)
    assert report["span_f1_marked"] == pytest.approx(2 * 2 / 8)
    # 24 characters by two: n = 48, 8 marked, 4 characters with one mark.
    assert report["span_alpha"] == pytest.approx(1 - (2 * 4 / 48) / (2 * 8 * 40 / (48 * 47)))
    assert report["percent_agreement"] == pytest.approx(20 / 24)
    assert report["span_accuracy"] == pytest.approx(1 / 3)
    # a: confirmed on i, undecided on j. b: none on i, rejected on j.
    assert report["system_without_confirmed_span"] == {"a": 0, "b": 1}
    assert report["system_undecided"] == {"a": 1, "b": 0}
    assert report["system_error_free_least"] == {"a": 0, "b": 1}
    assert report["system_error_free_most"] == {"a": 0.5, "b": 1}
    # On i the second alone is free of errors; on j the first is left out.
    (compared,) = report["comparisons"]
    assert [compared[name] for name in ("systems", "items", "first_only", "second_only")] == [["a", "b"], 1, 0, 1]
    assert (compared["mean_difference"], compared["exact_p"]) == (-1, 1)
    assert report["span_f1_tokens"] is None
    assert report["undefined"]["span_f1_tokens"] == NO_TOKENS


def test_the_last_answer_counts_in_agreement():
    rows = [("i", "a", "r", [Mark(0, 3)]), ("i", "a", "s", []), ("i", "a", "r", [])]
    report = describe_spans(build(rows), replicates=0)
    assert (report["repeats"], report["span_f1"], report["span_alpha"]) == (1, 1, None)
    assert report["undefined"]["span_alpha"] == NO_VARIATION
    assert report["spans"] == 1


def test_undefined_figures_have_reasons():
    report = describe_spans(build([("i", "a", "r", [Mark(0, 3)])]), replicates=10)
    for name in ("span_f1", "percent_agreement"):
        assert report["undefined"][name] == NOT_TWICE
    assert report["undefined"]["span_accuracy"] == NO_VERDICT
    assert report["system_without_confirmed_span"] == {"a": None}
    assert report["undefined"]["system_without_confirmed_span.a"] == NO_OUTPUT
    nothing = describe_spans(build([]))
    assert (nothing["ratings"], nothing["spans"], nothing["span_alpha"]) == (0, 0, None)
    json.dumps([report, nothing], allow_nan=False)


def test_a_document_has_agreement_and_no_system():
    report = describe_spans(build([("i", None, "r", [Mark(0, 3)]), ("i", None, "s", [Mark(0, 3)])]), replicates=0)
    assert report["span_alpha"] == 1
    assert report["system_without_confirmed_span"] == {}
    assert report["comparisons"] == []


def random_rows(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(6):
        for output in "ab":
            for rater in "rst":
                own = []
                for _ in range(rng.integers(0, 3)):
                    start = int(rng.integers(0, LENGTH - 1))
                    end = int(rng.integers(start + 1, LENGTH + 1))
                    own.append(Mark(start, end, "x", [None, True, False][rng.integers(3)]))
                rows.append((f"i{item}", output, rater, own))
    return rows


def test_intervals_are_those_of_reports_on_resampled_items():
    rows, replicates, seed = random_rows(1), 40, 3
    report = describe_spans(build(rows, tokens=WORDS), replicates=replicates, seed=seed)
    names = ["span_alpha", "span_f1", "span_f1_labels", "span_f1_tokens"]  # shares have Wilson's interval
    drawn = {name: [] for name in names}
    for weights in np.concatenate(list(item_weights(6, replicates, seed))):
        again = [(f"{r[0]}/{n}", *r[1:]) for r in rows for n in range(int(weights[int(r[0][1:])]))]
        figures = describe_spans(build(again, tokens=WORDS), replicates=0)
        for name in names:
            drawn[name].append(figures[name])
    for name in names:
        assert report[f"{name}_ci"] == pytest.approx(np.percentile(drawn[name], [2.5, 97.5]).tolist()), name


def test_spans_can_be_split_by_category():
    parts = by_category(build(CHECKED), [["x"], ["y"]], lambda spans: describe_spans(spans, replicates=0)["spans"])
    assert parts == {"x": 3, "y": 2}


@pytest.mark.parametrize("mark", [Mark(3, 3), Mark(5, 4), Mark(-1, 2), Mark(0, LENGTH + 1)])
def test_marks_that_are_empty_or_beyond_the_text_are_refused(mark):
    with pytest.raises(ValueError, match="span"):
        build([("i", "a", "r", [mark])])


def test_more_labels_than_bits_are_refused():
    with pytest.raises(ValueError, match="labels"):
        build([("i", "a", "r", [Mark(0, 1, str(n)) for n in range(61)])])


def test_before_the_first_review_the_share_is_known_to_lie_between_two_ends():
    rows = [
        (f"i{n}", system, "r", [Mark(0, 2)] if n < marked else [])
        for n in range(10)
        for system, marked in (("a", 4), ("b", 1))
    ]
    report = describe_spans(build(rows), replicates=50)
    assert report["system_without_confirmed_span"] == {"a": 1, "b": 1}  # which says nothing
    assert (report["system_undecided"], report["outputs_undecided"]) == ({"a": 4, "b": 1}, 5)
    assert report["system_error_free_least"] == {"a": 0.6, "b": 0.9}
    assert report["system_error_free_most"] == {"a": 1, "b": 1}
    assert report["system_error_free_least_items"] == {"a": 10, "b": 10}
