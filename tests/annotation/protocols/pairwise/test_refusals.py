"""Study files and imported lines about pairs that are refused."""

import pytest

from annotation.models import Item, Rating, Study
from files.reading import import_study
from tests.annotation.protocols.pairwise.conftest import item, problems_of

pytestmark = [pytest.mark.quick, pytest.mark.django_db]
LINE = {"item": "one", "outputs": ["system-north", "system-west"], "rater": "r", "question": "better", "value": "tie"}


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"value": "system-south"}, "value", 'must be one of the outputs compared, or "tie"'),
        ({"value": "A"}, "value", "must be one of the outputs compared"),
        ({"value": 1}, "value", "must be the id of the better output"),
        ({"value": None}, "value", "is missing"),
        ({"outputs": ["system-north", "nobody"]}, "output", "is not an output of item"),
        ({"outputs": ["system-north"]}, "outputs", "must be a list of two output ids"),
        ({"outputs": ["system-north", "system-north"]}, "outputs", "names the same output twice"),
        ({"outputs": ["system-north", 3]}, "outputs", "must be a list of two output ids"),
        ({"outputs": "system-north"}, "outputs", "must be a list of two output ids"),
        ({"shown": ["system-north", "system-south"]}, "shown", "must list the two outputs compared"),
        ({"outputs": None}, "outputs", "is missing"),
        ({"outputs": None, "output": "system-north"}, "output", "this question is about a pair"),
        ({"item": "three"}, "item", "is not an item of this study"),
        ({"question": "fluent", "value": 1}, "outputs", "asked per output"),
        ({"rater_kind": "model", "value": "system-south"}, "value", "must be one of the outputs compared"),
    ],
)
def test_an_invalid_imported_line_is_named_and_nothing_is_stored(folder, change, field, reason):
    ratings = [LINE, LINE | {"rater": "s"} | change]
    [(line, found, said)] = problems_of(folder(ratings=ratings))
    assert (line, found) == (2, field)
    assert reason in said
    assert not Rating.objects.exists()
    assert not Study.objects.exists()


def test_an_imported_tie_is_refused_if_ties_are_off(folder):
    questions = [{"key": "better", "type": "preference", "allow_tie": False}]
    [(line, field, reason)] = problems_of(folder(ratings=[LINE], questions=questions))
    assert (line, field) == (1, "value")
    assert "does not allow ties" in reason


def test_an_imported_annotation_names_a_winner_that_was_shown(folder):
    about = {"item": "one", "outputs": ["system-north", "system-south"], "rater": "r", "revision": 1}
    wrong = about | {"status": "submitted", "answers": {"better": "system-west"}}
    [(line, field, reason)] = problems_of(folder(annotations=[wrong]))
    assert (line, field) == (1, "answers.better")
    assert "outputs compared" in reason


def test_an_output_with_the_name_of_the_tie_is_refused(folder):
    [(line, field, reason)] = problems_of(folder([item("one"), item("two", ["system-north", "tie"])]))
    assert (line, field) == (2, "outputs")
    assert "give it another id" in reason
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("questions", "reason"),
    [
        ([{"key": "why", "type": "text"}], "one must be of type preference"),
        ([{"key": "better", "type": "preference", "per": "output"}], "asked once per task"),
        ([{"key": "better", "type": "preference"}, {"key": "x", "type": "text", "per": "pair"}], "per must be"),
    ],
)
def test_a_study_that_compares_nothing_is_refused(folder, questions, reason):
    [(_, _, said)] = problems_of(folder(questions=questions))
    assert reason in said


def test_a_condition_that_would_send_a_systems_name_is_refused(folder):
    better = {"key": "better", "type": "preference"}
    after = {"key": "why", "type": "text", "when": {"question": "better", "equals": "system-north"}}
    [(_, _, reason)] = problems_of(folder(questions=[better, after]))
    assert "would be sent to the raters" in reason
    after["when"]["equals"] = "tie"
    assert import_study(folder(name="tie", questions=[better, after])).study.questions.count() == 2
