import math

import pytest

from annotation.models import Rating
from judges.configuration import ConfigurationRefusedError
from judges.models import Judgment
from judges.options import read_options
from judges.protocol import CaseOutput, CaseQuestion, Example, ReplyInvalidError, judge_protocols
from llm.call_errors import BadReplyError, FilteredError, RefusedError, TruncatedError, UnsupportedError
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
from tests.judges.scripted_judges import configured, run_to_end

pytestmark = pytest.mark.quick
KEY = "constrained_softmax"
NONE_LISTED = "none of the candidates for the first token is one of 1, 2, 3, 4, 5"


def log(*pairs):
    return [(token, math.log(share)) for token, share in pairs]


def test_the_value_is_the_expectation_of_the_renormalised_distribution():
    asker = ScriptedAsker(first_token(*log(("4", 0.4), ("5", 0.2), (" 3", 0.1), ("3", 0.1), ("Good", 0.1))))
    reading = judged(KEY, asker)
    assert reading.value == pytest.approx((4 * 0.4 + 5 * 0.2 + 3 * 0.2) / 0.8)
    assert reading.distribution == pytest.approx({"1": 0, "2": 0, "3": 0.25, "4": 0.5, "5": 0.25})
    assert reading.missing == pytest.approx(0.2)
    assert reading.details == {"way": "candidates"}


def test_yes_is_one_and_no_is_zero():
    asker = ScriptedAsker(first_token(*log((" yes", 0.6), ("No", 0.2), ("Maybe", 0.2))))
    reading = judged(KEY, asker, case(question=YES_OR_NO))
    assert reading.value == pytest.approx(0.75)
    assert reading.distribution == pytest.approx({"Yes": 0.75, "No": 0.25})
    assert "one of: Yes | No\n\nAnswer:" in asker.prompt


def test_one_token_is_requested_with_as_many_candidates_as_the_model_names():
    asker = ScriptedAsker(first_token(*log(("4", 1))), candidates=8)
    judged(KEY, asker)
    [(_, parameters, *place)] = asker.sent
    assert (parameters.max_tokens, parameters.top_logprobs, parameters.temperature) == (1, 8, 1)
    assert place == [KEY, 1, 0, 1, 0]


def test_a_model_with_echo_is_asked_for_each_answer_in_a_call_of_its_own():
    replies = [
        echoed("Answer:", (" Yes", math.log(0.3))),
        echoed("Answer:", (" N", math.log(0.2)), ("o", math.log(0.5))),
    ]
    asker = ScriptedAsker(*replies, echo=True, api="completions")
    reading = judged(KEY, asker, case(question=YES_OR_NO))
    assert reading.value == pytest.approx(0.75)
    assert (reading.missing, reading.details) == (None, {"way": "echo"})
    assert [(parameters.continuation, name) for _, parameters, name, *_ in asker.sent] == [
        (" Yes", "constrained_softmax_Yes"), (" No", "constrained_softmax_No"),
    ]  # fmt: skip
    assert asker.prompt.endswith("Answer:")


def test_an_option_says_how_likelihoods_are_read():
    asker = ScriptedAsker(first_token(*log(("4", 1))), echo=True)
    assert judged(KEY, asker, way="candidates").details == {"way": "candidates"}
    assert len(asker.sent) == 1
    with pytest.raises(UnsupportedError):
        judged(KEY, ScriptedAsker(UnsupportedError()), way="echo")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (replied("4"), "no log-probabilities"),
        (replied("4", ()), "no log-probabilities"),
        (first_token(("", -0.1)), NONE_LISTED),
        (first_token((" ", -0.1), ("\n", -3.0)), NONE_LISTED),
        (first_token(*log(("The", 0.9), ("Output", 0.1))), NONE_LISTED),
        (first_token(*log(("45", 0.9), ("4/5", 0.1))), NONE_LISTED),
        (first_token(*log(("6", 0.9), ("0", 0.1))), NONE_LISTED),
        (first_token(*log(("-4", 0.9))), NONE_LISTED),
        (first_token(*log(("\uff14", 0.9), ("\u0664", 0.1))), NONE_LISTED),
        (first_token(*log(("not", 0.9), ("Not 4", 0.1))), NONE_LISTED),
        (first_token(*log(("vier", 0.9), ("four", 0.1))), NONE_LISTED),
        (first_token(*log(("```", 0.9), ("**4", 0.1))), NONE_LISTED),
        (first_token(*log(('{"', 0.9), ("{", 0.1))), NONE_LISTED),
        (first_token(*log(("Sorry", 0.9), ("I", 0.1))), NONE_LISTED),
        (first_token(*log(("Answer", 0.9), ("one of: 1", 0.1))), NONE_LISTED),
        (first_token(("4", -9999.0)), "the allowed answers are so unlikely that their probabilities are 0"),
        (first_token(("4", -0.1), (" 4", -0.1)), "the probabilities of the candidates add up to 1.81"),
    ],
)
def test_log_probabilities_without_an_answer_are_invalid_and_say_why(reply, reason):
    assert outcome_of(KEY, reply) == ("invalid", reason)


def test_candidates_that_are_partly_listed_or_renamed_count_as_far_as_they_go():
    partial = replied("4", (TokenLogprob("4", math.log(0.5)),))
    assert judged(KEY, ScriptedAsker(partial)).missing == pytest.approx(0.5)
    renamed = replied("4", (TokenLogprob("\u01204", math.log(0.5), (Candidate("\u25815", math.log(0.5)),)),))
    assert judged(KEY, ScriptedAsker(renamed)).value == pytest.approx(4.5)


@pytest.mark.parametrize("later", [replied(""), replied("", ())])
def test_an_echo_without_log_probabilities_is_invalid(later):
    asker = ScriptedAsker(echoed("Answer:", (" 1", -1.0)), later, echo=True)
    with pytest.raises(ReplyInvalidError, match="no log-probabilities"):
        judged(KEY, asker)


def test_echoes_whose_tokens_begin_at_different_places_are_invalid():
    joined = replied("", (TokenLogprob("Answer: Yes", -1.0),))
    asker = ScriptedAsker(joined, replied("", (TokenLogprob(" No", -1.0),)), echo=True)
    with pytest.raises(ReplyInvalidError, match="different places of the prompt"):
        judged(KEY, asker, case(question=YES_OR_NO))


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        (RefusedError(), "refused"), (TruncatedError(), "truncated"), (FilteredError(), "filtered"),
        (BadReplyError("The first token has no candidates."), "invalid"),
    ],
)  # fmt: skip
def test_a_call_without_a_usable_reply_has_its_own_outcome(problem, outcome):
    assert outcome_of(KEY, problem) == (outcome, "")


@pytest.mark.parametrize(
    ("low", "high", "choices", "fits"),
    [
        (1, 5, "12345", True), (0, 9, "0123456789", True), (1, 2, "12", True), (1, 10, None, False),
        (-1, 1, None, False), (None, None, "ab", False), (None, None, "", False),
    ],
)  # fmt: skip
def test_only_questions_with_answers_of_one_token_are_taken(low, high, choices, fits):
    steps = [str(step) for step in range(low, high + 1)] if choices is None else choices
    question = CaseQuestion("q", "other", "?", low=low, high=high, choices=tuple(steps))
    protocol = judge_protocols()[KEY]
    assert (protocol.refuses(question, read_options(protocol.options, {})) == "") is fits


def test_examples_are_shown_with_people_s_answer_as_the_model_is_to_give_it():
    shown = [
        Example(value, "Trams run at ten.", "Say when.", (CaseOutput("k-other", text),))
        for value, text in ((3.5, "At ten."), (2.4, "At two."))
    ]
    asker = ScriptedAsker(first_token(*log(("4", 1))))
    judged(KEY, asker, case(examples=tuple(shown)), shots=2)
    before, _, after = asker.prompt.partition("The examples end here.")
    assert before.index("At ten.") < before.index("Answer: 4") < before.index("At two.") < before.index("Answer: 2")
    assert "Ferries sail at 8." in after
    assert "k-other" not in asker.prompt
    yes = ScriptedAsker(first_token(*log(("Yes", 1))))
    judged(KEY, yes, case(question=YES_OR_NO, examples=(Example(True, outputs=shown[0].outputs),)), shots=1)
    assert "Answer: Yes" in yes.prompt


def test_the_prompt_has_the_case_the_steps_and_no_key_of_a_system():
    labelled = CaseQuestion(
        QUESTION.key, QUESTION.type, QUESTION.text, QUESTION.help, 1, 2, choices=("1", "2"), labels=("poor", "rich")
    )
    asker = ScriptedAsker(first_token(*log(("2", 1))))
    judged(KEY, asker, case(question=labelled))
    for text in ("The ferry sails at nine.", "Say when it sails.", "Ferries sail at 8.", "Mind the facts.", "2: rich"):
        assert text in asker.prompt
    assert "k-first" not in asker.prompt


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "way", "calls"), [("able", "candidates", 1), ("base", "echo", 2)])
def test_a_run_keeps_the_distribution_of_every_answer(study, owner, model, name, way, calls):
    run = run_to_end(study, owner, protocol=KEY, model=f"campus/{name}", questions=("follows",))
    assert (run.status, run.counts) == ("finished", {"valid": 6})
    for row in Rating.objects.filter(rater=run.rater):
        assert row.value == pytest.approx(row.distribution["Yes"])
        assert math.fsum(row.distribution.values()) == pytest.approx(1)
        assert row.metadata == {"way": way}
        assert row.missing == (pytest.approx(0.1) if way == "candidates" else None)
    assert Call.objects.filter(study=study, status="answered").count() == 6 * calls
    assert Call.objects.values("work", "step").distinct().count() == 6 * calls
    assert len({one.reading["value"] for one in Judgment.objects.filter(run=run)}) > 1


@pytest.mark.django_db
def test_a_model_without_log_probabilities_is_refused_before_the_run(study, model):
    for options, reason in (
        ({}, "neither echo nor log-probabilities"), ({"way": "echo"}, "without echo"),
        ({"way": "candidates"}, "without log-probabilities"),
    ):  # fmt: skip
        with pytest.raises(ConfigurationRefusedError, match=reason):
            configured(study, KEY, options=options)
    with pytest.raises(ConfigurationRefusedError, match="comment: A question for a text"):
        configured(study, KEY, ("comment",), "campus/able")
