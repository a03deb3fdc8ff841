import pytest

from llm.call_errors import FilteredError, RefusedError, TruncatedError
from tests.judges.protocol_cases import ScriptedAsker, case, judged, outcome_of


@pytest.mark.parametrize("reply", ["4", " 4.\n", "Score: 4", "**Score:** 4", "score: 4."])
def test_a_whole_number_on_the_scale_is_the_score(reply):
    assert outcome_of("llm_eval", reply) == ("valid", 4)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        (" \n ", "empty"),
        ("The output is good.", "no answer in the form requested"),
        ("Score: 4\nScore: 2", "more than one answer"),
        ("Score: 3 or 4", "more than one answer"),
        ("Score: 6", "number off the scale"),
        ("Score: 0", "number off the scale"),
        ("Score: -4", "number off the scale"),
        ("Score: 3.5", "not a whole number"),
        ("Score: \uff14", "no answer in the form requested"),
        ("Score: not 4", "no answer in the form requested"),
        ("Punktzahl: vier", "no answer in the form requested"),
        ('{"score": 4} // four', "no answer in the form requested"),
        ("Score: {whole number from 1 to 5}", "more than one answer"),
        ("I cannot score this. Score: 4 would be a guess.", "no answer in the form requested"),
        ("Score: 4\nThe output is brief.", "text after the answer"),
        ("Score: 4/10", "a number of another scale"),
        ("Score: 4 (good)", "text after the answer"),
        ("It is good.\nScore: 4", "text before the answer"),
        ("Final score: 4", "no answer in the form requested"),
    ],
)
def test_anything_else_is_invalid_and_says_why(reply, reason):
    assert outcome_of("llm_eval", reply) == ("invalid", reason)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [(RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered")],
)
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of("llm_eval", problem) == (outcome, "")


def test_the_prompt_has_the_case_and_no_key_of_a_system():
    asker = ScriptedAsker("4")
    judged("llm_eval", asker, case(), low=0, high=10)
    for text in ("The ferry sails at nine.", "Say when it sails.", "Ferries sail at 8.", "How good is it?", "0", "10"):
        assert text in asker.prompt
    assert "k-first" not in asker.prompt
    assert (asker.sent[0][1].temperature, asker.sent[0][1].top_p) == (0, 1)
