"""What each judge protocol says of questions that are neither Likert, yes or no, nor labels: a sentence, or it asks."""

import pytest

from annotation.models import Question
from judges.form_choices import refusal
from judges.protocol import judge_protocols

QUESTIONS = [
    Question(key="fluent", type="slider", spec={}),
    Question(key="compared", type="slider", spec={"min": 1, "max": 5, "step": 0.5, "points": {"same": 3}}),
    Question(key="extremes", type="best_worst", spec={}),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
@pytest.mark.parametrize("protocol", judge_protocols())
def test_a_judge_answers_such_a_question_or_says_why_not(protocol, question):
    reason = refusal(question, judge_protocols()[protocol])
    assert reason == "" or reason.endswith(".")


def test_the_protocols_that_read_the_scale_of_a_question_refuse_another_one():
    fluent, compared, extremes = QUESTIONS
    agreement, softmax = judge_protocols()["self_agreement"], judge_protocols()["constrained_softmax"]
    assert "0.0" in refusal(fluent, agreement) or "scale" in refusal(fluent, agreement)
    assert refusal(compared, agreement) == ""
    for question in QUESTIONS:
        assert refusal(question, softmax) != ""
    for name in ("llm_rank", "llm_compare"):
        assert refusal(extremes, judge_protocols()[name]) == ""


def test_a_best_worst_question_and_a_slider_have_a_protocol_of_their_own():
    ends, scale = judge_protocols()["llm_extremes"], judge_protocols()["scale_score"]
    assert [refusal(one, ends) == "" for one in QUESTIONS] == [False, False, True]
    assert [refusal(one, scale) == "" for one in QUESTIONS] == [True, True, False]
