from dataclasses import replace

import pytest

from judges.protocol import CaseOutput, ReplyInvalidError
from llm.call_errors import FilteredError, RefusedError, TruncatedError
from llm.scripted.form_filling import filled_form
from tests.judges.protocol_cases import QUESTION, ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
OUTPUTS = tuple(CaseOutput(f"k-{name}", f"It sails at {hour}.") for name, hour in (("c", 8), ("a", 9), ("b", 10)))
LIST = case(OUTPUTS, replace(QUESTION, level="extremes", low=None, high=None, choices=()))
NO_ANSWER = "no answer in the form requested"


@pytest.mark.parametrize(
    ("reply", "best", "worst"),
    [
        ("Explanation: Nine is right.\nBest and worst: 2, 1", "k-a", "k-c"),
        ("Nine is right.\n\n**Best and worst:** 3,2.", "k-b", "k-a"),
        ('Explanation: So.\nbest and worst: "1, 3"', "k-c", "k-b"),
    ],
)
def test_the_numbers_are_those_of_the_outputs_in_the_order_shown(reply, best, worst):
    assert outcome_of("llm_extremes", reply, LIST) == ("valid", {"best": best, "worst": worst})


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("2, 2", "one output as best and as worst"),
        ("2", NO_ANSWER),
        ("1, 2, 3", "more than one answer"),
        ("0, 1", "number off the scale"),
        ("1, 4", "number off the scale"),
        ("-1, 2", "number off the scale"),
        ("1, 2.5", "not a whole number"),
        ("2 > 1", NO_ANSWER),
        ("2 1", NO_ANSWER),
        ("output 2, output 1", NO_ANSWER),
        ("2, \uff11", NO_ANSWER),
        ("", NO_ANSWER),
        ("2, 1\nBest and worst: 3, 1", "more than one answer"),
        ("2, 1\nThis was hard.", "text after the answer"),
        ("{two different numbers from 1 to 3}", NO_ANSWER),
    ],
)
def test_other_answers_are_invalid_and_say_why(answer, reason):
    assert outcome_of("llm_extremes", f"Explanation: So.\nBest and worst: {answer}", LIST) == ("invalid", reason)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("", "empty"), ("The second is best.", NO_ANSWER), ("Best and worst: 2, 1", "no explanation before the answer")],
)
def test_anything_else_is_invalid(reply, reason):
    assert outcome_of("llm_extremes", reply, LIST) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("llm_extremes", problem, LIST) == (outcome, "")


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ('{"explanation": "So.", "best and worst": [2, 1]}', ("valid", {"best": "k-a", "worst": "k-c"})),
        ('{"explanation": "So.", "best and worst": [2, 2]}', ("invalid", "one output as best and as worst")),
        ('{"explanation": "So.", "best and worst": [2, 1.0]}', ("invalid", "not a whole number")),
        ('{"explanation": "So.", "best and worst": "2, 1"}', ("invalid", NO_ANSWER)),
        ('{"explanation": "So.", "best and worst": [true, 2]}', ("invalid", NO_ANSWER)),
    ],
)
def test_a_reply_by_schema_is_read_as_strictly(reply, found):
    assert outcome_of("llm_extremes", reply, LIST, schema=True) == found


def test_the_prompt_has_all_outputs_in_order_and_its_form_can_be_filled_in():
    asker = ScriptedAsker("Explanation: Nine is right.\nBest and worst: 2, 1")
    assert judged("llm_extremes", asker, LIST).explanation == "Nine is right."
    places = [asker.prompt.index(output.text) for output in OUTPUTS]
    assert places == sorted(places)
    assert "k-" not in asker.prompt
    assert outcome_of("llm_extremes", filled_form(asker.prompt), LIST)[0] == "valid"


def test_a_single_output_is_not_asked_about():
    asker = ScriptedAsker("Explanation: So.\nBest and worst: 1, 1")
    with pytest.raises(ReplyInvalidError, match="fewer than two outputs"):
        judged("llm_extremes", asker, case(OUTPUTS[:1], LIST.question))
    assert asker.sent == []
