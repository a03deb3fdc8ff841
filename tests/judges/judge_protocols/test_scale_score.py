from dataclasses import replace

import pytest

from llm.call_errors import FilteredError, RefusedError, TruncatedError
from llm.scripted.form_filling import filled_form
from tests.judges.protocol_cases import OUTPUTS, QUESTION, ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
SLIDER = replace(QUESTION, key="fluent", type="slider", low=-1.5, high=100.0, choices=())
ONE = case(OUTPUTS[:1], SLIDER)
NO_ANSWER = "no answer in the form requested"


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Score: 62.5", 62.5), ("62.5", 62.5), ("**Score:** 100", 100.0), ("score: -1.5", -1.5), ("Score: 7.", 7.0),
        ("\nScore: `0.25`\n", 0.25), ("Score: 62 / 100", 62.0),
    ],
)  # fmt: skip
def test_any_number_between_the_ends_is_read(reply, value):
    assert outcome_of("scale_score", reply, ONE) == ("valid", value)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("Score: 100.1", "number off the scale"),
        ("Score: -2", "number off the scale"),
        ("Score: 62,5", NO_ANSWER),
        ("Score: 62 / 10", "a number of another scale"),
        ("Score: 60 to 70", "more than one answer"),
        ("Score: 62 %", NO_ANSWER),
        ("Score: high", NO_ANSWER),
        ("Score: 1e1", NO_ANSWER),
        ("Score: nan", NO_ANSWER),
        ("Score: \u0663", NO_ANSWER),
        ("Score:", NO_ANSWER),
        ("Score: 62\nIt is fluent.", "text after the answer"),
        ("It is fluent. Score: 62", NO_ANSWER),
        ("Score: 1\nScore: 2", "more than one answer"),
        ("{number from -1.5 to 100}", "more than one answer"),
    ],
)
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("scale_score", reply, ONE) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("scale_score", problem, ONE) == (outcome, "")


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"score": 62.5}', ("valid", 62.5)),
        ('{"score": 7}', ("valid", 7.0)),
        ('{"score": true}', ("invalid", NO_ANSWER)),
        ('{"score": "62.5"}', ("invalid", NO_ANSWER)),
        ('{"score": 101}', ("invalid", "number off the scale")),
    ],
)
def test_a_reply_by_schema_is_read_as_strictly(reply, found):
    assert outcome_of("scale_score", reply, ONE, schema=True) == found


def test_the_prompt_names_the_ends_and_its_form_can_be_filled_in():
    asker = ScriptedAsker("Score: 1")
    judged("scale_score", asker, ONE)
    assert "a scale from -1.5 to 100 for" in asker.prompt.replace("\n", " ")
    assert "k-first" not in asker.prompt
    assert outcome_of("scale_score", filled_form(asker.prompt), ONE)[0] == "valid"
