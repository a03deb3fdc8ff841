"""Aggregated labels: counted by hand, and by models of raters whose answer is known."""

import json
import random

import pytest

from annotation.models import Guideline, Rating
from files.reading import import_study
from parts.datasets.unit_labels import aggregated_lines
from tests.parts.datasets.conftest import ORDERED, YES_NO, chosen, likert, ranked

pytestmark = pytest.mark.django_db
MODELS = ("dawid_skene", "mace", "glad")


def lines_of(study):
    return list(aggregated_lines(study))


def without_models(line):
    return {key: value for key, value in line.items() if not key.startswith(MODELS)}


@pytest.mark.thorough
def test_the_most_frequent_label_the_mean_and_ties_are_counted_per_output(answered):
    study = answered("rating", [ORDERED], [
        likert("one", "ada", "r1", 4), likert("one", "ada", "r2", 4), likert("one", "ada", "r3", 1),
        likert("one", "bea", "r1", 2), likert("one", "bea", "r2", 5), likert("two", "cyd", "r3", 3),
    ])  # fmt: skip
    about = {"question": "quality", "item": "one"}
    assert [without_models(line) for line in lines_of(study)] == [
        {**about, "output": "ada", "raters": 3, "agreement": 0.666667, "majority": 4, "mean": 3.0},
        {**about, "output": "bea", "raters": 2, "agreement": 0.5, "tied": [2, 5], "mean": 3.5},
        {"question": "quality", "item": "two", "output": "cyd", "raters": 1, "agreement": 1.0, "majority": 3,
         "mean": 3.0},
    ]  # fmt: skip


def test_answers_without_steps_have_a_mean_and_no_label(answered):
    slider = {"key": "quality", "type": "slider"}
    study = answered("rating", [slider], [likert("one", "ada", "r1", 4.5), likert("one", "ada", "r2", 7)])
    assert lines_of(study) == [{"question": "quality", "item": "one", "output": "ada", "raters": 2, "mean": 5.75}]


@pytest.mark.thorough
def test_yes_and_no_have_labels_and_the_share_of_yes(answered):
    given = [likert("one", "ada", name, value, "right") for name, value in (("r1", True), ("r2", True), ("r3", False))]
    (line,) = lines_of(answered("rating", [YES_NO], given))
    assert (line["majority"], line["agreement"], line["mean"]) == (True, 0.666667, 0.666667)


@pytest.mark.thorough
def test_several_choices_at_once_are_one_label(answered):
    many = {"key": "kinds", "type": "category", "choices": ["first", "second", "tie"], "multiple": True}
    given = [likert("one", "ada", name, value, "kinds")
             for name, value in (("r1", ["first", "tie"]), ("r2", ["first", "tie"]), ("r3", ["first"]))]  # fmt: skip
    (line,) = lines_of(answered("rating", [many], given))
    assert without_models(line) == {
        "question": "kinds", "item": "one", "output": "ada", "raters": 3, "agreement": 0.666667,
        "majority": ["first", "tie"],
    }  # fmt: skip


@pytest.mark.thorough
def test_choices_between_two_outputs_are_labels_by_system(answered):
    better = {"key": "better", "type": "preference"}
    study = answered("pairwise", [better], [
        chosen("one", ["bea", "ada"], "r1", "bea"), chosen("one", ["ada", "bea"], "r2", "bea"),
        chosen("one", ["ada", "bea"], "r3", "tie"), chosen("two", ["ada", "cyd"], "r1", "tie"),
    ])  # fmt: skip
    first, second = (without_models(line) for line in lines_of(study))
    assert first == {"question": "better", "item": "one", "outputs": ["ada", "bea"], "raters": 3,
                     "agreement": 0.666667, "majority": "bea"}  # fmt: skip
    assert second == {"question": "better", "item": "two", "outputs": ["ada", "cyd"], "raters": 1, "agreement": 1.0,
                      "majority": "tie"}  # fmt: skip


def test_rankings_give_each_output_its_most_frequent_and_mean_rank(answered):
    order = {"key": "order", "type": "rank", "ranks": 3}
    study = answered("listwise", [order], [
        ranked("one", "r1", {"ada": 1, "bea": 2, "cyd": 3}), ranked("one", "r2", {"ada": 1, "bea": 1, "cyd": 2}),
    ])  # fmt: skip
    about = {"question": "order", "item": "one"}
    assert lines_of(study) == [
        {**about, "output": "ada", "raters": 2, "agreement": 1.0, "majority": 1, "mean": 1.0},
        {**about, "output": "bea", "raters": 2, "agreement": 0.5, "tied": [1, 2], "mean": 1.5},
        {**about, "output": "cyd", "raters": 2, "agreement": 0.5, "tied": [2, 3], "mean": 2.5},
    ]


def test_a_person_who_judged_a_unit_twice_counts_once_with_the_latest_answer(answered):
    at = "2026-03-0{}T12:00:00Z"
    study = answered("rating", [ORDERED], [
        {**likert("one", "ada", "r1", 5), "submitted_at": at.format(2)},
        {**likert("one", "ada", "r1", 1), "submitted_at": at.format(1)},
        likert("one", "ada", "r2", 5),
    ])  # fmt: skip
    (line,) = lines_of(study)
    assert (line["raters"], line["majority"], line["mean"]) == (2, 5, 5.0)


def test_only_people_under_the_latest_guidelines_count(answered):
    study = answered("rating", [ORDERED], [likert("one", "ada", "r1", 5), likert("one", "bea", "r2", 2)],
                     guidelines="Read.")  # fmt: skip
    Guideline.objects.create(study=study, number=2, text="Read twice.")
    judge = study.raters.create(name="judge", kind="model")
    old, new = Rating.objects.filter(study=study).order_by("output__key")  # their primary keys are mixed
    new.pk, new.rater, new.guidelines_version = None, judge, 2
    new.save(force_insert=True)
    new.pk, new.rater, new.output = None, old.rater, old.output
    new.save(force_insert=True)
    (line,) = lines_of(study)
    assert (line["output"], line["raters"], line["majority"]) == ("ada", 1, 2)


@pytest.mark.thorough
def test_models_of_raters_outvote_two_who_guess(answered):
    """Three careful raters and two who copy each other's guesses.

    Of the outputs that only one careful rater and both guessers judged, the guessers have the majority; the models know
    from the other outputs that they guess.
    """
    chance, truth, given = random.Random(7), {}, []
    items = [f"item-{number:02}" for number in range(40)]
    for number, item in enumerate(items):
        truth[item] = number % 2 == 0
        guess = chance.random() < 0.5
        careful = ["r1", "r2", "r3"] if number < 36 else [f"r{number % 3 + 1}"]
        given += [likert(item, "ada", name, truth[item], "right") for name in careful]
        given += [likert(item, "ada", name, guess if number < 36 else not truth[item], "right") for name in ("x", "y")]
    study = answered("rating", [YES_NO], given, items=items)
    lines = lines_of(study)
    assert json.dumps(lines_of(study)) == json.dumps(lines)  # the same each time
    outvoted = [line for line in lines if line["majority"] != truth[line["item"]]]
    assert [line["item"] for line in outvoted] == items[36:]
    for line in lines:
        for model in ("dawid_skene", "glad"):
            assert line[model] == truth[line["item"]]
            assert 0.5 < line[f"{model}_probability"] <= 1
    assert all(line["mace"] == truth[line["item"]] for line in lines[:36])
    assert all(line["dawid_skene_probability"] > 0.99 for line in lines[:36])


def test_models_say_nothing_if_no_unit_has_two_raters_or_all_say_the_same(answered):
    alone = [likert("one", "ada", "r1", 4), likert("one", "bea", "r2", 3)]
    same = [likert("one", "ada", "r1", 4, "same"), likert("one", "ada", "r2", 4, "same")]
    study = answered("rating", [ORDERED, {**ORDERED, "key": "same"}], alone + same)
    lines = lines_of(study)
    assert len(lines) == 3
    assert [without_models(line) for line in lines] == lines


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["pandalm", "hanna"])
def test_public_studies_have_labels_of_all_units_the_same_each_time(reference_data, name):
    study = import_study(reference_data / name).study
    lines = lines_of(study)
    units = {(line["question"], line["item"], line.get("output"), *line.get("outputs", ())) for line in lines}
    assert len(units) == len(lines) == {"hanna": 2112, "pandalm": 999}[name]
    assert all(line[model] is not None for line in lines for model in MODELS)
    decided = [line for line in lines if "majority" in line and line["agreement"] == 1]
    same = sum(line["dawid_skene"] == line["majority"] for line in decided) / len(decided)
    assert same > 0.9
    if name == "pandalm":
        assert json.dumps(lines) == json.dumps(lines_of(study))
