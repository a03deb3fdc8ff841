"""Sliders: which scales can be asked, what a form may say, which numbers are answers, how they are kept."""

import json

import pytest

from annotation.answers import Sheet
from annotation.questions import SpecInvalidError, ValueInvalidError, question_types
from config.model_fields import ExactJSONField, canonical_json

pytestmark = pytest.mark.quick
KIND = question_types()["slider"]
STEPPED = {"min": 0, "max": 1, "step": 0.1}
POINTS = {"points": {"as good as the reference": 50, "better": 75.5}}
SHEET = Sheet.of(["north"])


def read(raw, spec):
    return KIND.read({"q-well": [raw]}, "q-well", spec, SHEET)


@pytest.mark.parametrize(
    "spec",
    [{}, {"min": -1.5, "max": 1.5}, {"max": 10, "step": 0.1}, STEPPED, POINTS, {"labels": ["bad", "good"]},
     {"min": -50, "max": 50, "step": 25, "points": {"neither": 0}}],
)  # fmt: skip
def test_a_scale_has_bounds_and_may_have_steps_and_names(spec):
    KIND.check_spec(spec)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"min": 1, "max": 1}, "max above min"), ({"min": "0"}, "must be numbers"), ({"max": True}, "must be numbers"),
        ({"max": float("inf")}, "must be numbers"), ({"max": 10**400}, "must be numbers"),
        ({"step": 0}, "above 0"), ({"step": 3}, "whole number of steps"), ({"step": "1"}, "above 0"),
        ({"step": 1e-9}, "at most 100000 steps"), ({"step": 5e-324}, "at most 100000 steps"),
        ({"labels": ["bad"]}, "two texts"), ({"labels": {"0": "bad"}}, "two texts"),
        ({"points": {}}, "number for each text"), ({"points": ["50"]}, "number for each text"),
        ({"points": {"a": 101}}, "from 0 to 100"), ({"step": 10, "points": {"a": 55}}, "steps of 10"),
        ({"points": {"a": 50, "b": 50.0}}, "different numbers"),
        ({"points": {str(n): n for n in range(10)}}, "at most 9"),
    ],
)  # fmt: skip
def test_a_scale_that_cannot_be_asked_is_refused(spec, said):
    with pytest.raises(SpecInvalidError, match=said):
        KIND.check_spec(spec)


@pytest.mark.parametrize(
    ("raw", "value"),
    [("50", 50), ("50.0", 50), ("47.4", 47.4), ("+3", 3), ("-0", 0), (".5", 0.5), ("1e-05", 1e-05), ("1e2", 100),
     ("0.30000000000000004", 0.30000000000000004), ("", None), (" ", None)],
)  # fmt: skip
def test_a_form_gives_a_whole_number_or_exactly_the_decimal_typed(raw, value):
    found = read(raw, {})
    assert (type(found), found) == (type(value), value)
    if found is not None:
        KIND.check(found, {})
        assert read(KIND.write(found, "q-well", SHEET)["q-well"][0], {}) == found


@pytest.mark.parametrize("raw", ["much", "1,5", "٣", "nan", "inf", "0x10", "1e9999", "9" * 5000, "--1", "101", "-0.1"])
def test_a_form_without_a_number_of_the_scale_is_refused(raw):
    with pytest.raises(ValueInvalidError, match="must be a number from 0 to 100"):
        KIND.check(read(raw, {}), {})


def test_an_untouched_slider_is_no_answer():
    assert KIND.read({}, "q-well", {}, SHEET) is None
    assert KIND.shown({}, "q-well", {}, SHEET)["value"] == ""


def test_steps_are_counted_in_decimals_and_not_in_floats():
    for step in range(11):
        KIND.check(float(f"0.{step}") if step < 10 else 1, STEPPED)
    for off in (0.1 + 0.2, 0.35, 1e-300):
        with pytest.raises(ValueInvalidError, match=r"whole number of steps of 0\.1 from 0"):
            KIND.check(off, STEPPED)


@pytest.mark.parametrize("value", [None, True, "5", [5], {"a": 5}, -1, 100.5, float("nan"), 10**400])
def test_only_a_number_of_the_scale_is_an_answer(value):
    with pytest.raises(ValueInvalidError, match="must be a number from 0 to 100"):
        KIND.check(value, {})


def test_machines_may_give_any_finite_number():
    for value in (5, -3.25, 1e300):
        assert KIND.check_machine(value, STEPPED) is value
    assert KIND.off_scale(1.5, STEPPED)
    assert not KIND.off_scale(0.55, STEPPED)
    for value in (True, "5", float("nan"), None):
        with pytest.raises(ValueInvalidError):
            KIND.check_machine(value, STEPPED)


@pytest.mark.parametrize("value", [0.1, 33.333333333333336, 5, 1e-05, -0.0, 99.99999999999999])
def test_a_value_is_stored_exactly_as_it_is_given(value):
    field = ExactJSONField()
    stored = field.from_db_value(field.get_prep_value(value))
    assert canonical_json(stored) == canonical_json(value) == json.dumps(value)
    assert KIND.number(value) == value


def test_only_few_steps_are_listed_one_by_one():
    assert KIND.steps(STEPPED) == (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)
    assert KIND.steps({"min": -2, "max": 2, "step": 1}) == (-2, -1, 0, 1, 2)
    assert KIND.steps({}) == KIND.steps({"step": 1}) == ()


def test_named_points_are_in_the_order_of_the_scale_and_name_their_values():
    shown = KIND.shown({"q-well": ["50"]}, "q-well", {"min": -50, **POINTS}, SHEET)
    assert [(one["text"], one["value"], one["key"], one["at"]) for one in shown["points"]] == [
        ("as good as the reference", "50", "1", "66.667%"), ("better", "75.5", "2", "83.667%"),
    ]  # fmt: skip
    assert KIND.in_words(50, POINTS) == "50 as good as the reference"
    assert KIND.in_words(51.5, POINTS) == "51.5"


def test_scores_disagree_from_a_tenth_of_the_scale_or_a_step_on():
    assert [KIND.far_apart(spec) for spec in ({}, {"step": 1}, {"step": 25})] == [10, 10, 25]
