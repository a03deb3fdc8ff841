import math
from dataclasses import replace

import pytest

from annotation.models import Rating
from judges.protocol import ReplyInvalidError
from llm.call_errors import BadReplyError, FilteredError, RefusedError, TruncatedError
from llm.models import Call
from llm.requests import Candidate, TokenLogprob
from tests.judges.protocol_cases import (
    QUESTION,
    YES_OR_NO,
    ScriptedAsker,
    case,
    echoed,
    first_token,
    judged,
    outcome_of,
    replied,
)
from tests.judges.scripted_judges import run_to_end

KEY = "llm_score"
NONE_LISTED = "none of the candidates for the first token is one of Yes, No"


def log(*pairs):
    return [(token, math.log(share)) for token, share in pairs]


def test_the_value_is_the_probability_of_yes_without_renormalising():
    reading = judged(KEY, ScriptedAsker(first_token(*log((" Yes", 0.3), ("yes", 0.1), ("No", 0.2), ("Maybe", 0.4)))))
    assert reading.value == pytest.approx(0.4)
    assert reading.distribution == pytest.approx({"Yes": 0.4, "No": 0.2})
    assert reading.missing == pytest.approx(0.4)


def test_yes_counts_nothing_if_only_no_is_listed():
    assert judged(KEY, ScriptedAsker(first_token(*log(("No", 0.9))))).value == 0


def test_a_model_with_echo_is_asked_once_for_yes():
    asker = ScriptedAsker(echoed("Answer:", (" Y", math.log(0.5)), ("es", math.log(0.25))), echo=True)
    reading = judged(KEY, asker)
    assert reading.value == pytest.approx(0.125)
    assert (reading.missing, reading.details["way"]) == (None, "echo")
    [(_, parameters, name, *_)] = asker.sent
    assert (parameters.continuation, parameters.top_logprobs, name) == (" Yes", None, "llm_score_aspect_Yes")


def test_an_echo_whose_tokens_join_prompt_and_answer_is_invalid():
    asker = ScriptedAsker(replied("", (TokenLogprob("Answer: Yes", -1.0),)), echo=True)
    with pytest.raises(ReplyInvalidError, match="no token begins where the answer does"):
        judged(KEY, asker)


@pytest.mark.parametrize(
    ("question", "name", "asked"),
    [
        (QUESTION, "llm_score_aspect", "People were asked the following about it: How good is it?\nMind the facts."),
        (replace(QUESTION, judge_text="Is it complete?"), "llm_score", "The question: Is it complete?"),
        (YES_OR_NO, "llm_score", "The question: Does it follow?"),
    ],
)
def test_the_question_is_the_judge_s_own_or_a_yes_or_no_question_about_the_study_s(question, name, asked):
    asker = ScriptedAsker(first_token(*log(("Yes", 1))))
    assert judged(KEY, asker, case(question=question)).details == {"way": "candidates", "prompt": name}
    assert asked in asker.prompt
    assert "Mind the facts." not in asker.prompt or question is QUESTION
    assert asker.sent[0][2] == name


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (replied("Yes"), "no log-probabilities"),
        (replied("Yes", ()), "no log-probabilities"),
        (first_token(("", -0.1)), NONE_LISTED),
        (first_token(("\n", -0.1), (" ", -3.0)), NONE_LISTED),
        (first_token(*log(("The", 0.9), ("It", 0.1))), NONE_LISTED),
        (first_token(*log(("Yes.", 0.5), ("Yes/No", 0.5))), NONE_LISTED),
        (first_token(*log(("YesNo", 0.9), ("1", 0.1))), NONE_LISTED),
        (first_token(*log(("\uff39\uff45\uff53", 0.9), ("4", 0.1))), NONE_LISTED),
        (first_token(*log(("Not", 0.9), ("not yes", 0.1))), NONE_LISTED),
        (first_token(*log(("Ja", 0.9), ("Nein", 0.1))), NONE_LISTED),
        (first_token(*log(("Y", 0.9), ("N", 0.1))), NONE_LISTED),
        (first_token(*log(("```", 0.9), ("**Yes", 0.1))), NONE_LISTED),
        (first_token(*log(('{"', 0.9), ('"Yes"', 0.1))), NONE_LISTED),
        (first_token(*log(("Sorry", 0.9), ("I", 0.1))), NONE_LISTED),
        (first_token(*log(("Answer", 0.9), ("Yes | No", 0.1))), NONE_LISTED),
        (first_token(("Yes", -9999.0)), "the allowed answers are so unlikely that their probabilities are 0"),
        (first_token(("Yes", -0.1), ("No", -0.1)), "the probabilities of the candidates add up to 1.81"),
    ],
)
def test_log_probabilities_without_yes_and_no_are_invalid_and_say_why(reply, reason):
    assert outcome_of(KEY, reply) == ("invalid", reason)


def test_candidates_that_are_partly_listed_or_renamed_count_as_far_as_they_go():
    partial = replied("Yes", (TokenLogprob("Yes", math.log(0.5)),))
    assert judged(KEY, ScriptedAsker(partial)).value == pytest.approx(0.5)
    renamed = replied("No", (TokenLogprob("\u0120No", math.log(0.5), (Candidate("\u2581YES", math.log(0.25)),)),))
    assert judged(KEY, ScriptedAsker(renamed)).value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        (RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered"),
        (BadReplyError("A log-probability is above 0."), "invalid"),
    ],
)  # fmt: skip
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of(KEY, problem) == (outcome, "")


def test_the_prompt_has_the_case_and_no_key_of_a_system():
    asker = ScriptedAsker(first_token(*log(("Yes", 1))))
    judged(KEY, asker)
    for text in ("The ferry sails at nine.", "Say when it sails.", "Ferries sail at 8.", "How good is it?"):
        assert text in asker.prompt
    assert "k-first" not in asker.prompt
    assert asker.prompt.endswith("one of: Yes | No\n\nAnswer:")


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "listed"), [("able", {"Yes", "No"}), ("base", {"Yes"})])
def test_a_run_stores_the_probability_of_yes(study, owner, model, name, listed):
    run = run_to_end(study, owner, protocol=KEY, model=f"campus/{name}", questions=("how_well",))
    assert (run.status, run.counts) == ("finished", {"valid": 6})
    for row in Rating.objects.filter(rater=run.rater):
        assert row.value == row.distribution["Yes"]
        assert 0 < row.value < 1
        assert (set(row.distribution), row.off_scale) == (listed, True)
    assert Call.objects.filter(study=study, status="answered").count() == 6
