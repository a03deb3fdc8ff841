"""Severities of marked spans: which weights a question may have, and which spans then fit."""

import json

import pytest

from annotation.answers import Sheet
from annotation.questions import SpecInvalidError, ValueInvalidError
from annotation.questions.spans import QUESTION_TYPE, severities

pytestmark = pytest.mark.quick
SPEC = {"labels": ["wrong"], "severities": {"major": 5, "minor": 1, "neutral": 0}}
SHEET = Sheet.of(["north"], ["It sails at ten."])
SPAN = {"output": "north", "start": 12, "end": 15, "text": "ten", "label": "wrong"}


def value(**more):
    return {"spans": [{**SPAN, **more}], "none": []}


def test_a_question_has_the_weights_of_mqm_its_own_or_none():
    assert severities({}) == severities({"severities": False}) == {}
    assert list(severities({"severities": True}).items()) == [("minor", 1), ("major", 5), ("critical", 25)]
    assert list(severities(SPEC)) == ["neutral", "minor", "major"]
    for spec in (SPEC, {"severities": True}, {"severities": {"one": 0.5}, "on": "document"}):
        QUESTION_TYPE.check_spec(spec)


@pytest.mark.parametrize(
    "given",
    [{}, [], ["minor"], "mqm", {"": 1}, {"minor": "1"}, {"minor": True}, {"minor": -1}, {"minor": 10**7},
     {"minor": float("nan")}, {str(n): n for n in range(10)}],
)  # fmt: skip
def test_severities_without_names_and_weights_are_refused(given):
    with pytest.raises(SpecInvalidError, match="severities"):
        QUESTION_TYPE.check_spec({"severities": given})


def test_every_span_has_one_of_the_severities():
    QUESTION_TYPE.check(value(severity="minor"), SPEC)
    for other in ({}, {"severity": None}, {"severity": "critical"}, {"severity": 5}):
        with pytest.raises(ValueInvalidError, match="severities: neutral, minor, major"):
            QUESTION_TYPE.check(value(**other), SPEC)
    with pytest.raises(ValueInvalidError, match="missing or unknown keys"):
        QUESTION_TYPE.check(value(severity="minor"), {"labels": ["wrong"]})


def test_a_form_keeps_the_severity_and_asks_for_a_missing_one():
    def read(**more):
        sent = json.dumps({"spans": [{**SPAN, "output": "A", **more}]})
        return QUESTION_TYPE.read({"q-errors": [sent]}, "q-errors", SPEC, SHEET)

    assert read(severity="major") == value(severity="major")
    assert QUESTION_TYPE.read(
        QUESTION_TYPE.write(read(severity="major"), "q-errors", SHEET), "q-errors", SPEC, SHEET
    ) == value(severity="major")
    with pytest.raises(ValueInvalidError, match="has a span without a severity: choose one"):
        read()


def test_the_page_offers_the_lightest_severity_first_and_none_to_other_questions():
    assert QUESTION_TYPE.shown({}, "q-errors", SPEC, SHEET)["severities"] == ["neutral", "minor", "major"]
    assert QUESTION_TYPE.shown({}, "q-errors", {}, SHEET)["severities"] == []
    assert QUESTION_TYPE.longest(SPEC, SHEET) > QUESTION_TYPE.longest({"labels": ["wrong"]}, SHEET)
