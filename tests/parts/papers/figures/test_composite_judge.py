"""The composite judge: folds, a second computation in plain Python, and the optimism that folds remove."""

import numpy as np
import pytest

from agreement.meta_evaluation.compared_answers import Judge, people_who_chose, rerun_of_choices
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from parts.papers.figures.category_agreement import category_report, item_categories
from parts.papers.figures.composite_judge import (
    NOTHING_ANSWERED,
    NOTHING_CHOSEN,
    composed,
    composite_report,
    item_folds,
)
from tests.agreement.random_answers import random_choices, random_outputs

NAMES = ("x", "y", "z")


def pairs_of(items):
    """Two outputs per item."""
    return Outputs(np.repeat(np.arange(items), 2), np.tile([0, 1], items), np.ones(items * 2), ("a", "b"), items)


def choosing(columns):
    """Choices (R, I) by R raters between each item's two outputs."""
    raters, items = np.shape(columns)
    first = np.tile(np.arange(items) * 2, raters)
    shown = np.zeros(first.size, dtype=np.int64)
    return OutputChoices(
        first, first + 1, np.repeat(np.arange(raters), items), np.ravel(columns), shown, tuple(map(str, range(raters)))
    )


def judges_of(outputs, answers):
    return [Judge(name, [rerun_of_choices(outputs, choices)]) for name, choices in zip(NAMES, answers, strict=False)]


@pytest.fixture
def judged():
    rng = np.random.default_rng(6)
    outputs = random_outputs(rng, items=40, systems=("a", "b", "c"))
    people = people_who_chose(outputs, random_choices(rng, outputs, raters=4))
    judges = judges_of(outputs, [random_choices(rng, outputs, share=0.8) for _ in NAMES])
    kinds = [["qa"], ["rewrite"], ["qa", "rewrite"], []]
    return people, judges, item_categories([kinds[item % 4] for item in range(40)])


def rate(people, judge, items):
    """The judge's agreement over some items, by the report on categories."""
    own = item_categories([["own"] if item in items else [] for item in range(people.outputs.items)])
    found = category_report(people, [judge], own, replicates=0)["judges"][judge.name]["categories"]["own"]
    return found["leave_one_out"] or 0.0, found["pairs"]


def best_of(people, judges, items):
    return max(judges, key=lambda judge: rate(people, judge, items)[0])


def test_each_fold_is_judged_by_the_method_that_is_best_on_the_others(judged):
    people, judges, categories = judged
    report = composite_report(people, judges, categories, folds=3, seed=5, replicates=20)
    fold = item_folds(categories.member, 3, 5)
    overall, of_all = 0.0, 0.0
    for code, name in enumerate(categories.names):
        own, total, pairs, chosen = set(np.flatnonzero(categories.member[:, code])), 0.0, 0, []
        for number in range(3):
            inside = {item for item in own if fold[item] == number}
            best = best_of(people, judges, own - inside)
            value, n = rate(people, best, inside)
            total, pairs, chosen = total + value * n, pairs + n, [*chosen, best.name]
            for item in inside:
                value, n = rate(people, best, {item})
                part = n / categories.member[item].sum()
                overall, of_all = overall + value * part, of_all + part
        found = report["composite"]["categories"][name]
        assert found["leave_one_out"] == pytest.approx(total / pairs)
        assert found["chosen"] == chosen
        best = best_of(people, judges, own)
        assert found["in_sample"] == {"judge": best.name, "leave_one_out": pytest.approx(rate(people, best, own)[0])}
    assert report["composite"]["leave_one_out"] == pytest.approx(overall / of_all)
    assert report["uncategorised"] == 10
    expected = report["composite"]["leave_one_out"] - report["single"]["leave_one_out"]
    assert report["difference"] == pytest.approx(expected)
    assert report["composite"]["leave_one_out_ci"][0] <= report["composite"]["leave_one_out"]


def test_a_category_is_spread_evenly_over_folds(judged):
    _, _, categories = judged
    fold = item_folds(categories.member, 2, 1)
    kinds = categories.member @ [1, 2]
    counts = [[int(((fold == number) & (kinds == kind)).sum()) for number in range(2)] for kind in range(4)]
    assert counts == [[5, 5]] * 4
    assert (item_folds(categories.member, 2, 1) == fold).all()
    assert (item_folds(categories.member, 2, 2) != fold).any()


def test_a_method_for_each_category_beats_one_for_all():
    """Each judge is right in one category and wrong in the other."""
    outputs = pairs_of(40)
    kind = np.arange(40) % 2
    people = people_who_chose(outputs, choosing(np.zeros((3, 40), dtype=int)))
    judges = judges_of(outputs, [choosing([kind]), choosing([1 - kind])])
    categories = item_categories([["even", "odd"][one : one + 1] for one in kind])
    report = composite_report(people, judges, categories, replicates=100)
    assert report["composite"]["leave_one_out"] == 1
    assert report["composite"]["categories"]["even"]["chosen"] == ["x", "x"]
    assert report["composite"]["categories"]["odd"]["chosen"] == ["y", "y"]
    assert report["single"]["leave_one_out"] == pytest.approx(0.5)
    assert report["difference_ci"][0] > 0


def test_guessing_judges_gain_nothing_out_of_sample():
    rng = np.random.default_rng(3)
    outputs = pairs_of(60)
    people = people_who_chose(outputs, choosing(np.zeros((3, 60), dtype=int)))
    categories = item_categories([[f"c{item % 10}"] for item in range(60)])
    found = [
        composite_report(
            people, judges_of(outputs, [choosing(rng.integers(0, 2, (1, 60))) for _ in NAMES]), categories,
            replicates=0, seed=seed,
        )["composite"]
        for seed in range(30)
    ]  # fmt: skip
    assert np.mean([one["leave_one_out"] for one in found]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([one["in_sample"]["leave_one_out"] for one in found]) > 0.6


def test_composed_choices_are_those_of_each_items_method():
    outputs = pairs_of(4)
    choices = composed([choosing([[0] * 4]), choosing([[1] * 4])], np.array([0, 1, -1, 1]), outputs)
    assert dict(zip(outputs.item[choices.first].tolist(), choices.choice.tolist(), strict=True)) == {0: 0, 1: 1, 3: 1}
    assert choices.raters == ("composite",)
    assert composed([], np.zeros(4, dtype=int), outputs).choice.size == 0


def test_what_is_undefined_says_why(judged):
    people, judges, categories = judged
    silent = Judge("silent", [rerun_of_choices(people.outputs, judges[0].reruns[0].choices.only(np.zeros(0, int)))])
    report = composite_report(people, [silent], categories)
    assert report["composite"]["leave_one_out"] is None
    assert report["single"]["chosen"] == [None, None]
    assert report["undefined"]["composite.categories.qa.leave_one_out"] == NOTHING_CHOSEN
    assert report["undefined"]["composite.in_sample.leave_one_out"] == NOTHING_ANSWERED
    nowhere = item_categories([[] for _ in range(40)])
    assert composite_report(people, judges, nowhere)["composite"]["leave_one_out"] is None
    for folds, given in ((1, judges), (2, [])):
        with pytest.raises(ValueError, match="two or more folds"):
            composite_report(people, given, categories, folds=folds)
