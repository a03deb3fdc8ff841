"""Imported ratings: which are accepted, how often, and which are refused."""

import pytest

from annotation.models import Rating
from files.reading import import_study
from tests.files.reading.conftest import ANNOTATION, RATING, only_problem, problems_of

pytestmark = pytest.mark.django_db


def test_an_existing_answer_with_another_value_is_refused(folder):
    import_study(folder(ratings=[RATING]))
    [(line, field, reason)] = problems_of(folder(ratings=[{**RATING, "value": 5}]))
    assert (line, field) == (1, "value")
    assert "needs its own submitted_at" in reason
    import_study(folder(ratings=[RATING, {**RATING, "value": 5, "submitted_at": "2026-01-01T00:00:00Z"}]))
    assert sorted(Rating.objects.values_list("number", flat=True)) == [4.0, 5.0]


def test_a_rater_may_judge_a_unit_more_than_once(folder):
    import_study(folder(ratings=[RATING, RATING, {**RATING, "value": 2}]))
    assert list(Rating.objects.order_by("ordinal").values_list("ordinal", "number")) == [(0, 4.0), (1, 4.0), (2, 2.0)]


@pytest.mark.parametrize("value", ["5", True, 4.5, 4.0, 0, 6, None, [4], "\uff15"])
def test_no_rating_is_coerced(folder, value):
    assert only_problem(folder(ratings=[{**RATING, "value": value}]))[:2] == (1, "value")


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"item": "quay"}, "item", "is not an item of this study"),
        ({"output": "west"}, "output", "is not an output of item"),
        ({"output": None}, "output", "is missing"),
        ({"output": ["north"]}, "output", "is not an output of item"),
        ({"question": "colour"}, "question", "is not a question of this study"),
        ({"rater": None}, "rater", "must be text"),
        ({"rater_kind": "robot"}, "rater_kind", "must be one of human, metric, model"),
        ({"rater_kind": []}, "rater_kind", "must be one of human, metric, model"),
        ({"answer": 4}, '"answer"', "unknown key"),
        ({"submitted_at": "yesterday"}, "submitted_at", "must be a time"),
        ({"submitted_at": "2026-01-01T00:00:00"}, "submitted_at", "must include the offset"),
        ({"seconds": -1}, "seconds", "0 or more"),
        ({"seconds": True}, "seconds", "must be a number"),
        ({"guidelines_version": 7}, "guidelines_version", "is not a version"),
        ({"replicate": 1.5}, "replicate", "must be a whole number"),
        ({"shown": ["west"]}, "shown", "is not an output of item"),
        ({"metadata": 3}, "metadata", "must be an object"),
    ],
)
def test_a_rating_that_fits_nothing_is_refused(folder, change, field, reason):
    found = only_problem(folder(ratings=[{**RATING, **change}]))
    assert found[:2] == (1, field)
    assert reason in found[2]


def test_a_rater_has_one_kind(folder):
    found = only_problem(folder(ratings=[RATING, {**RATING, "rater_kind": "model"}]))
    assert found == (2, "rater_kind", '"ann" is a human rater, not "model"')


@pytest.mark.parametrize(
    ("value", "off_scale"), [(4.333333, False), (1e22, True), (-0.0, True), (0, True), (5.0, False)]
)
def test_a_models_number_is_kept_as_given_and_only_marked_if_off_the_scale(folder, value, off_scale):
    import_study(folder(scores=[{**RATING, "rater": "judge", "rater_kind": "model", "value": value}]))
    rating = Rating.objects.get()
    assert repr(rating.value) == repr(value)
    assert rating.off_scale is off_scale


def test_ratings_that_annotations_already_gave_are_not_duplicated(folder):
    at = ANNOTATION["submitted_at"]
    lines = [
        {**RATING, "submitted_at": at, "shown": ["north"]},
        {**RATING, "question": "follows", "value": True, "submitted_at": at, "shown": ["north"]},
        {**RATING, "output": "south"},
    ]
    import_study(folder(annotations=[ANNOTATION], ratings=lines))
    assert Rating.objects.count() == 3
