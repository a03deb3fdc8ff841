"""What a model cannot do is said in a sentence before anything is reserved, recorded or sent."""

import pytest

from llm import budgets
from llm.call_errors import TooLongError, UnsupportedError
from llm.capabilities import Needs, inability, needs_of
from llm.door import complete
from llm.endpoints import find_model
from llm.models import Budget, Call, EndpointState, Reservation
from llm.requests import Charge, JudgmentPlace
from tests.llm.calls import answered, asked

NEEDS = {
    "small": ({"top_logprobs": 1}, "campus/small is configured without log-probabilities, which this needs."),
    "able": (
        {"top_logprobs": 20},
        "campus/able names at most 5 candidates per token with their log-probabilities, but this needs 20.",
    ),
    "free": ({"continuation": " Yes"}, "campus/free is configured without echo, which this needs to learn how likely"),
    "base": ({"schema": {"type": "object"}}, "campus/base is configured without json_schema, which this needs."),
}


@pytest.mark.parametrize("model", NEEDS)
def test_a_request_that_a_model_cannot_answer_is_refused_before_anything_is_written_or_sent(study, replies, model):
    scripted, (more, sentence) = replies(), NEEDS[model]
    request = asked(model=f"campus/{model}", **more)
    for refused in (
        lambda: complete(request, Charge(study, work="judgment:1", step="rate")),
        lambda: budgets.highest_call_price(request),
    ):
        with pytest.raises(UnsupportedError) as raised:
            refused()
        assert raised.value.reason.startswith(sentence)
    assert scripted.asked == []
    assert not any(model.objects.exists() for model in (Call, Budget, Reservation, EndpointState))


@pytest.mark.parametrize(
    ("model", "more"),
    [
        ("able", {"top_logprobs": 5, "schema": {"type": "object"}, "seed": 3}),
        ("base", {"continuation": " Yes", "seed": 3}),
        ("small", {"seed": 3, "stop": ("\n",), "top_p": 0.5, "place": JudgmentPlace()}),
    ],
)
def test_what_a_model_can_do_is_sent(study, replies, model, more):
    replies(answered('"Yes"'))
    assert complete(asked(model=f"campus/{model}", **more), Charge(study)).text == '"Yes"'


def test_the_extractive_model_is_said_to_be_none_before_a_call(study, replies):
    with pytest.raises(UnsupportedError, match="not a language model and cannot judge"):
        complete(asked(model="extractive/extractive"), Charge(study))
    assert not Call.objects.exists()


@pytest.mark.parametrize(
    ("model", "needs", "sentence"),
    [
        ("campus/small", Needs(api="completions"), "is configured for the API chat, but this needs completions."),
        ("campus/base", Needs(api="chat"), "is configured for the API completions, but this needs chat."),
        ("campus/small", Needs(seed=True), "campus/small is configured without seed"),
        ("campus/small", Needs(tokens=1001), "campus/small reads at most 1,000 tokens, but this needs 1,001."),
        ("extractive/extractive", Needs(), "The extractive model"),
        ("extractive/extractive", Needs(language_model=False), ""),
        ("campus/small", Needs(api="chat", tokens=1000), ""),
        ("campus/able", Needs(logprobs=5, seed=True, json_schema=True), ""),
        ("campus/unpriced", Needs(tokens=10**9), ""),
        (
            "campus/small",
            Needs(logprobs_or_echo=2),
            "with neither echo nor log-probabilities, of which this needs one.",
        ),
        ("campus/able", Needs(logprobs_or_echo=6), "names at most 5 candidates per token"),
        ("campus/able", Needs(logprobs_or_echo=5), ""),
        ("campus/base", Needs(logprobs_or_echo=6), ""),
    ],
)
def test_a_form_can_say_beforehand_what_a_model_cannot_do(replies, model, needs, sentence):
    found = inability(needs, *find_model(model))
    assert (sentence in found, bool(found)) == (True, bool(sentence)), found


def test_a_seed_is_no_need():
    assert needs_of(asked(seed=4)) == Needs()


def test_a_given_answer_takes_room_and_no_reply(study, replies):
    scripted = replies(answered(" Yes", tokens=(20, 0)))
    complete(asked(model="campus/base", max_tokens=None, continuation=" Yes"), Charge(study))
    assert scripted.asked[0].max_tokens == 0
    assert Call.objects.get().parameters["continuation"] == " Yes"
    with pytest.raises(TooLongError):
        complete(asked(model="campus/base", continuation="9" * 2000), Charge(study))
