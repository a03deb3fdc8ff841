import json
from dataclasses import replace

import pytest

from llm.call_errors import FilteredError, RefusedError, TruncatedError
from tests.judges.protocol_cases import OUTPUTS, QUESTION, ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
PAIR = case(OUTPUTS)
FORCED = case(OUTPUTS, replace(QUESTION, takes_ties=False))


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Explanation: It is short.\nDecision: 1", "k-first"),
        ("Explanation: It is short.\n\nDecision: 2.\n", "k-second"),
        ("**Explanation:** Both\nare fine.\n**Decision:** Tie", "tie"),
        ("The first one says 8, which is wrong.\ndecision: \u201c2\u201d", "k-second"),
        ("explanation: \u4e8c\u756a\u304c\u826f\u3044\u3002\nDecision: 2", "k-second"),
    ],
)
def test_the_decision_after_an_explanation_is_the_value(reply, value):
    assert outcome_of("llm_compare", reply, PAIR) == ("valid", value)


def test_the_order_shown_decides_which_output_a_number_names():
    reply = "Explanation: It is short.\nDecision: 1"
    assert outcome_of("llm_compare", reply, case(OUTPUTS[::-1])) == ("valid", "k-second")


def test_the_explanation_is_kept_without_its_label():
    asker = ScriptedAsker("**Explanation:** The first is short.\nThe second is not.\nDecision: 1")
    assert judged("llm_compare", asker, PAIR).explanation == "The first is short.\nThe second is not."


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("The first output is better, because it is short.", "no answer in the form requested"),
        ("Explanation: a\nDecision: 1\nDecision: 2", "more than one answer"),
        ("Explanation: Summary 1 says: Decision: none.\nDecision: 1", "more than one answer"),
        ("Explanation: a\nDecision: 1 or 2", "more than one answer"),
        ("Explanation: a\nDecision: 3", "no answer in the form requested"),
        ("Explanation: a\nDecision: \uff11", "no answer in the form requested"),
        ("Explanation: a\nDecision: not 1", "no answer in the form requested"),
        ("Explanation: a\nDecision: neither", "no answer in the form requested"),
        ("Explanation: a\nEntscheidung: 1", "no answer in the form requested"),
        ("Explanation: a\nDecision: eins", "no answer in the form requested"),
        ("Explanation: a\nDecision:", "no answer in the form requested"),
        ("Explanation: a\nDecision: 1\nThis was hard.", "text after the answer"),
        ("Decision: 1\nExplanation: It is short.", "text after the answer"),
        ("Decision: 1", "no explanation before the answer"),
        ("Explanation:\nDecision: 1", "no explanation before the answer"),
        ("Explanation: ...\nDecision: 1", "no explanation before the answer"),
        ("Explanation: {text}\nDecision: 1", "no explanation before the answer"),
        ("Explanation: {text}\nDecision: {one of: 1 | 2 | tie}", "more than one answer"),
        ('{"explanation": "a", "decision": "1"} // one', "no answer in the form requested"),
        ("I cannot compare these. Decision: 1 would be a guess.", "no answer in the form requested"),
        ("Explanation: a\nDecision: k-first", "no answer in the form requested"),
    ],
)
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("llm_compare", reply, PAIR) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("llm_compare", problem, PAIR) == (outcome, "")


def test_a_question_without_ties_neither_offers_nor_accepts_one():
    asker = ScriptedAsker("Explanation: a\nDecision: 2")
    assert judged("llm_compare", asker, FORCED).value == "k-second"
    assert "{one of: 1 | 2}" in asker.prompt
    assert "tie" not in asker.prompt
    reason = "no answer in the form requested"
    assert outcome_of("llm_compare", "Explanation: a\nDecision: tie", FORCED) == ("invalid", reason)


def test_the_prompt_has_the_case_in_its_order_and_no_key_of_a_system():
    asker = ScriptedAsker("Explanation: a\nDecision: tie")
    judged("llm_compare", asker, case(OUTPUTS[::-1]))
    for text in ("The ferry sails at nine.", "Say when it sails.", "How good is it?", "{one of: 1 | 2 | tie}"):
        assert text in asker.prompt
    assert asker.prompt.index("Ferries sail at 9.") < asker.prompt.index("Ferries sail at 8.")
    assert "k-" not in asker.prompt
    parameters = asker.sent[0][1]
    assert (parameters.temperature, parameters.top_p, parameters.schema) == (0, 1, None)


def test_with_a_schema_the_reply_is_json():
    asker = ScriptedAsker(json.dumps({"explanation": "It is short.", "decision": "2"}))
    reading = judged("llm_compare", asker, PAIR, schema=True)
    assert (reading.value, reading.explanation) == ("k-second", "It is short.")
    schema = asker.sent[0][1].schema
    assert schema["required"] == ["explanation", "decision"]
    assert schema["properties"]["decision"]["enum"] == ["1", "2", "tie"]
    assert '{"explanation": "{text}", "decision": "{one of: 1 | 2 | tie}"}' in asker.prompt


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Explanation: a\nDecision: 1", ""),
        ('{"explanation": "a", "decision": "1"} // one', ""),
        ('{"explanation": "a", "decision": "1", "decision": "2"}', ""),
        ('["1"]', "not the JSON object requested"),
        ('{"decision": "1"}', "a field of the JSON object is missing"),
        ('{"explanation": "a", "decision": "1", "sure": true}', "a field of the JSON object was not requested"),
        ('{"explanation": "a", "decision": 1}', "no answer in the form requested"),
        ('{"explanation": "a", "decision": ["1", "2"]}', "no answer in the form requested"),
        ('{"explanation": "a", "decision": "TIE"}', "no answer in the form requested"),
        ('{"explanation": "a", "decision": "\uff11"}', "no answer in the form requested"),
        ('{"explanation": " ", "decision": "1"}', "no explanation before the answer"),
        ('{"explanation": null, "decision": "1"}', "no explanation before the answer"),
    ],
)
def test_json_of_another_form_is_invalid_and_says_why(reply, reason):
    assert outcome_of("llm_compare", reply, PAIR, schema=True) == ("invalid", reason)
