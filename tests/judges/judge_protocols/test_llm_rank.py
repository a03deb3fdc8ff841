import json
from dataclasses import replace

import pytest

from judges.protocol import CaseOutput, ReplyInvalidError
from llm.call_errors import FilteredError, RefusedError, TruncatedError
from tests.judges.protocol_cases import QUESTION, ScriptedAsker, case, judged, outcome_of

pytestmark = pytest.mark.quick
OUTPUTS = tuple(CaseOutput(f"k-{name}", f"It sails at {hour}.") for name, hour in (("c", 8), ("a", 9), ("b", 10)))
LIST = case(OUTPUTS)
NO_ANSWER = "no answer in the form requested"


def ranked(*ranks):
    return {output.key: rank for output, rank in zip(OUTPUTS, ranks, strict=True)}


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("Explanation: Nine is right.\nRanks: 2, 1, 3", ranked(2, 1, 3)),
        ("Explanation: Nine is right.\n\nranks: 2,1,2.\n", ranked(2, 1, 2)),
        ('**Explanation:** All\nare equal.\n**Ranks:** "1, 1, 1"', ranked(1, 1, 1)),
        ("Nine is right.\nRanks: 3, 1, 2", ranked(3, 1, 2)),
        ("Nine is right.\nRanks: 3, 1, 2\n```", ranked(3, 1, 2)),
    ],
)
def test_the_ranks_are_those_of_the_outputs_in_the_order_shown(reply, value):
    assert outcome_of("llm_rank", reply, LIST) == ("valid", value)


@pytest.mark.parametrize(
    ("ranks", "reason"),
    [
        ("1, 2", "fewer ranks than outputs"),
        ("1", "fewer ranks than outputs"),
        ("1, 2, 3, 4", "more ranks than outputs"),
        ("1, 1, 3", "ranks with a gap"),
        ("2, 2, 3", "ranks with a gap"),
        ("1, 2, 4", "number off the scale"),
        ("0, 1, 2", "number off the scale"),
        ("-1, 1, 2", "number off the scale"),
        ("1, 2.5, 3", "not a whole number"),
        ("1, 2, \uff13", NO_ANSWER),
        ("1, 2, not 3", NO_ANSWER),
        ("1 2 3", NO_ANSWER),
        ("1 > 2 > 3", NO_ANSWER),
        ("first, second, third", NO_ANSWER),
        ("1, 2,", NO_ANSWER),
        ("", NO_ANSWER),
        ("1, 2, 3 or 1, 3, 2", NO_ANSWER),
        ("1, 2, 3\nRanks: 1, 3, 2", "more than one answer"),
        ("1, 2, 3\nThis was hard.", "text after the answer"),
        ("{ranks of 3 from 1 to 3, ties allowed}", NO_ANSWER),
    ],
)
def test_other_ranks_are_invalid_and_say_why(ranks, reason):
    assert outcome_of("llm_rank", f"Explanation: Nine is right.\nRanks: {ranks}", LIST) == ("invalid", reason)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("The second output is best.", NO_ANSWER),
        ("1, 2, 3", NO_ANSWER),
        ("Erkl\u00e4rung: a\nR\u00e4nge: 1, 2, 3", NO_ANSWER),
        ("I cannot rank these.", NO_ANSWER),
        ('{"explanation": "a", "ranks": [1, 2, 3]} // all', NO_ANSWER),
        ("Explanation: a\nRanks", NO_ANSWER),
        ("Ranks: 1, 2, 3", "no explanation before the answer"),
        ("Ranks: 1, 2, 3\nExplanation: a", "text after the answer"),
    ],
)
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("llm_rank", reply, LIST) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("llm_rank", problem, LIST) == (outcome, "")


def test_a_question_without_ties_refuses_them():
    forced = case(OUTPUTS, replace(QUESTION, takes_ties=False))
    asker = ScriptedAsker("Explanation: a\nRanks: 2, 1, 3")
    assert judged("llm_rank", asker, forced).value == ranked(2, 1, 3)
    assert "{ranks of 3 from 1 to 3, no ties}" in asker.prompt
    reason = "a tie, which the question does not allow"
    assert outcome_of("llm_rank", "Explanation: a\nRanks: 1, 1, 2", forced) == ("invalid", reason)


def test_a_question_with_fewer_ranks_than_outputs_takes_no_worse_rank():
    two = case(OUTPUTS, replace(QUESTION, ranks=2))
    asker = ScriptedAsker("Explanation: a\nRanks: 2, 1, 2")
    assert judged("llm_rank", asker, two).value == ranked(2, 1, 2)
    assert "{ranks of 3 from 1 to 2, ties allowed}" in asker.prompt
    assert outcome_of("llm_rank", "Explanation: a\nRanks: 1, 2, 3", two) == ("invalid", "number off the scale")
    asker = ScriptedAsker("Explanation: a\nRanks: 1, 2, 3")
    assert judged("llm_rank", asker, case(OUTPUTS, replace(QUESTION, ranks=9))).value == ranked(1, 2, 3)


def test_no_model_is_asked_where_no_reply_could_be_read():
    asker = ScriptedAsker("Explanation: a\nRanks: 1, 2, 2")
    with pytest.raises(ReplyInvalidError, match="a tie, which the question does not allow"):
        judged("llm_rank", asker, case(OUTPUTS, replace(QUESTION, ranks=2, takes_ties=False)))
    assert asker.sent == []


def test_the_prompt_has_all_outputs_in_order_and_no_key_of_a_system():
    asker = ScriptedAsker("Explanation: Nine is right.\nRanks: 2, 1, 3")
    assert judged("llm_rank", asker, LIST).explanation == "Nine is right."
    places = [asker.prompt.index(output.text) for output in OUTPUTS]
    assert places == sorted(places)
    for text in ("The ferry sails at nine.", "Say when it sails.", "How good is it?", "3 outputs"):
        assert text in asker.prompt
    assert "k-" not in asker.prompt


@pytest.mark.parametrize(
    ("ranks", "found"),
    [
        ([2, 1, 2], ("valid", ranked(2, 1, 2))),
        ([1, 2], ("invalid", "fewer ranks than outputs")),
        ([1, 2, 3, 4], ("invalid", "more ranks than outputs")),
        ([1, 1, 3], ("invalid", "ranks with a gap")),
        ([1, 2, 4], ("invalid", "number off the scale")),
        ([1, 2, 3.0], ("invalid", "not a whole number")),
        ([1, 2, "3"], ("invalid", NO_ANSWER)),
        ([1, 2, True], ("invalid", NO_ANSWER)),
        ("1, 2, 3", ("invalid", NO_ANSWER)),
        ({"1": 1}, ("invalid", NO_ANSWER)),
    ],
)
def test_with_a_schema_the_ranks_are_a_list(ranks, found):
    reply = json.dumps({"explanation": "Nine is right.", "ranks": ranks})
    assert outcome_of("llm_rank", reply, LIST, schema=True) == found
