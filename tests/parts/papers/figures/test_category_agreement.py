"""Leave-one-out agreement by category: every subset of people enumerated, and the worked cases of four people."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from agreement.meta_evaluation.compared_answers import Judge, people_who_chose, rerun_of_choices
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from parts.papers.figures.category_agreement import (
    NO_PAIR_IN_CATEGORY,
    ItemCategories,
    category_report,
    item_categories,
)
from tests.agreement.random_answers import random_choices, random_outputs


def match(answer, others):
    """How well an answer fits the modes of the others'."""
    counts = Counter(others)
    modes = [value for value, n in counts.items() if n == max(counts.values())]
    return (answer in modes) / len(modes)


def by_pair(choices):
    found = {}
    for one, other, choice in zip(choices.first, choices.second, choices.choice, strict=True):
        found.setdefault((one, other), []).append(choice)
    return found


def enumerated(people, judge, outputs, items):
    """Mean over pairs of the mean over all subsets that leave one person out; with judge None, of the one left out."""
    answers, scores = None if judge is None else by_pair(judge), []
    for pair, given in by_pair(people).items():
        if outputs.item[pair[0]] not in items or len(given) < 3 or (answers is not None and pair not in answers):
            continue
        subsets = list(combinations(range(len(given)), len(given) - 1))
        for_each = []
        for subset in subsets:
            rest = [given[n] for n in subset]
            (left_out,) = set(range(len(given))) - set(subset)
            for_each += [match(answer, rest) for answer in (answers[pair] if answers else [given[left_out]])]
        scores.append(np.mean(for_each))
    return np.mean(scores)


@pytest.fixture
def judged():
    rng = np.random.default_rng(31)
    outputs = random_outputs(rng, items=18, systems=("a", "b", "c"))
    people = random_choices(rng, outputs, raters=4)
    people = people.only(rng.random(people.choice.size) < 0.9)
    judges = [random_choices(rng, outputs, share=share) for share in (0.9, 0.6, 0.8)]
    kinds = [["qa"] if item % 3 else ["qa", "rewrite"] for item in range(17)]
    return people, judges, outputs, item_categories([*kinds, []])


def test_shares_are_those_of_all_subsets(judged):
    people, (first, again, other), outputs, categories = judged
    judges = [Judge("two runs", [rerun_of_choices(outputs, one) for one in (first, again)])]
    judges.append(Judge("other", [rerun_of_choices(outputs, other)]))
    report = category_report(people_who_chose(outputs, people), judges, categories, replicates=30)
    everything = set(range(18))
    parts = {"all": everything, "qa": set(range(17)), "rewrite": set(range(0, 17, 3))}
    assert report["items"] == {"qa": 17, "rewrite": 6}
    for part, items in parts.items():
        found = {
            name: entry if part == "all" else entry["categories"][part]
            for name, entry in (("people", report["people"]), *report["judges"].items())
        }
        of_runs = [enumerated(people, one, outputs, items) for one in (first, again)]
        assert found["people"]["leave_one_out"] == pytest.approx(enumerated(people, None, outputs, items))
        assert found["two runs"]["leave_one_out"] == pytest.approx(np.mean(of_runs))
        assert found["other"]["leave_one_out"] == pytest.approx(enumerated(people, other, outputs, items))
        assert found["other"]["leave_one_out_ci"][0] <= found["other"]["leave_one_out"]
        assert found["people"]["pairs"] >= found["other"]["pairs"] > 0
        judged_by_three = {pair for pair, given in by_pair(people).items() if len(given) > 2}
        of_items = {pair for pair in judged_by_three if outputs.item[pair[0]] in items}
        assert found["two runs"]["pairs"] == min(len(of_items & set(by_pair(one))) for one in (first, again))


def four_people(given, answer):
    """One pair that four people and a judge answered."""
    outputs = Outputs(np.array([0, 0]), np.array([0, 1]), np.ones(2), ("a", "b"), 1)
    zeros, codes = np.zeros(4, dtype=np.int64), np.arange(4)
    people = OutputChoices(zeros, zeros + 1, codes, np.array(given), zeros, tuple("wxyz"))
    judge = OutputChoices(zeros[:1], zeros[:1] + 1, zeros[:1], np.array([answer]), zeros[:1], ("j",))
    judges = [Judge("j", [rerun_of_choices(outputs, judge)])]
    categories = ItemCategories(("c", "none"), np.array([[True, False]]))
    return category_report(people_who_chose(outputs, people), judges, categories, replicates=0)


@pytest.mark.parametrize(
    ("given", "answer", "of_judge", "of_people"),
    [
        ([0, 0, 0, 0], 0, 1, 1),
        ([0, 0, 0, 1], 0, 1, 3 / 4),
        ([0, 0, 1, 1], 0, 1 / 2, 0),
        ([0, 0, 1, 2], 0, (1 + 1 + 1 / 3 + 1 / 3) / 4, (1 / 3 + 1 / 3) / 4),
        ([0, 0, 1, 2], 2, (1 / 3 + 1 / 3) / 4, (1 / 3 + 1 / 3) / 4),
    ],
)
def test_four_people_by_hand(given, answer, of_judge, of_people):
    report = four_people(given, answer)
    assert report["judges"]["j"]["categories"]["c"]["leave_one_out"] == pytest.approx(of_judge)
    assert report["people"]["categories"]["c"]["leave_one_out"] == pytest.approx(of_people)


def test_an_empty_category_is_undefined_and_wrong_shapes_are_refused(judged):
    report = four_people([0, 0, 0, 1], 0)
    assert report["people"]["categories"]["none"]["leave_one_out"] is None
    assert report["undefined"]["judges.j.categories.none.leave_one_out"] == NO_PAIR_IN_CATEGORY
    people, _, outputs, _ = judged
    with pytest.raises(ValueError, match="for each item"):
        category_report(people_who_chose(outputs, people), [], item_categories([["a"]]))
    with pytest.raises(ValueError, match="one column per category"):
        ItemCategories(("a",), np.zeros((2, 2), dtype=bool))
