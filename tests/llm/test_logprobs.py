"""Log-probabilities of chat and completions, and likelihoods of given texts, against a server with every bad shape."""

import json
import math
from types import MappingProxyType

import pytest

from llm.answer_likelihood import likelihoods_of_candidates, likelihoods_of_continuations
from llm.call_errors import CallError
from llm.client import ask
from llm.endpoints import Endpoint, Model
from llm.requests import Message, Request
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving

FIRST = {"max_tokens": 1, "top_logprobs": 5}
CANDIDATES = {"Yes": -0.5, "No": -1.5, " yes": -3.0}
FAULTS = ("missing", "renamed", "partial", "positive", "text", "no_candidates")
PROMPT = "Is it so?\nAnswer:"


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def play(server):
    """A function that asks a model of an API against one scripted step, and returns the outcome or error."""

    def play(step: dict, request: dict, api: str = "completions", stream: bool = False):
        server.steps, endpoint = (ScriptStep(**step),), endpoint_at(server.address)
        server.restart()
        supports = frozenset(("echo", "stream"))
        asked = Request("scripted/model", (Message("user", PROMPT),), **request)
        try:
            show = (lambda text: None) if stream else None
            return ask(endpoint, Model("model", "model-1", api=api, supports=supports), asked, on_text=show)
        except CallError as error:
            return error

    return play


def endpoint_at(address: str) -> Endpoint:
    return Endpoint(
        name="scripted", base_url=address, key_name="", models=MappingProxyType({}), in_flight=8,
        requests_per_minute=None, connect_timeout=1, read_timeout=4, deadline=8, attempts=1, longest_wait=0,
    )  # fmt: skip


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", ["chat", "completions"])
def test_the_candidates_for_the_first_token_are_read(play, server, api, stream):
    outcome = play({"text": "Yes", "candidates": json.dumps(CANDIDATES)}, FIRST, api, stream)
    assert (outcome.text, outcome.finish_reason) == ("Yes", "length")  # which is no truncation
    (token,) = outcome.logprobs
    assert (token.token, token.logprob) == ("Yes", -0.5)
    assert {one.token: one.logprob for one in token.top} == CANDIDATES
    found = likelihoods_of_candidates(token, ("Yes", "No"))
    assert found.probabilities["Yes"] == pytest.approx(math.exp(-0.5) + math.exp(-3))
    asked = server.calls[0]["asked"]
    sent = {"chat": {"logprobs": True, "top_logprobs": 5}, "completions": {"logprobs": 5}}[api]
    assert sent.items() <= asked.items()
    assert ("prompt" in asked, "messages" in asked) == (api == "completions", api == "chat")


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("api", "fault"), [*((api, fault) for api in ("chat", "completions") for fault in FAULTS), ("chat", "wrong_bytes")]
)
def test_malformed_log_probabilities_make_a_reply_unusable(play, api, fault, stream):
    error = play({"text": "Yes", "logprobs": fault, "candidates": json.dumps(CANDIDATES)}, FIRST, api, stream)
    assert isinstance(error, CallError), error
    assert error.kind == "bad_reply"
    assert error.reason.startswith("The language model's server sent an unusable reply: ")
    assert "Yes" in error.outcome.raw


def test_the_bytes_of_a_token_decide_what_it_is(play):
    outcome = play({"text": "Yes", "logprobs": "bytes", "candidates": json.dumps(CANDIDATES)}, FIRST, "chat")
    assert {one.token for one in outcome.logprobs[0].top} == set(CANDIDATES)


def chat_body(**entry) -> dict:
    logprobs = {"content": [{"token": "Yes", "logprob": -0.5, "top_logprobs": [entry]}]}
    choice = {"message": {"content": "Yes"}, "finish_reason": "length", "logprobs": logprobs}
    return {"body": json.dumps({"model": "model-1", "choices": [choice]})}


@pytest.mark.parametrize(
    ("entry", "token"),
    [
        ({"token": "\\xe2\\x80", "bytes": [226, 128]}, "\\xe2\\x80"),
        ({"token": "?", "bytes": None}, "?"),
        ({"token": "\x00", "bytes": [0]}, "\\x00"),
        ({"token": "\ud83d"}, "\\ud83d"),
    ],
)
def test_candidates_that_are_no_text_are_kept_escaped(play, entry, token):
    outcome = play(chat_body(logprob=-2, **entry), FIRST, "chat")
    assert outcome.logprobs[0].top[0].token == token


@pytest.mark.parametrize(
    "entry",
    [
        {"token": "a"}, {"token": "a", "logprob": None}, {"token": "a", "logprob": True}, {"logprob": -1},
        {"token": 5, "logprob": -1}, {"token": "a", "logprob": -(10**400)}, {"token": "a", "logprob": -1, "bytes": "a"},
        {"token": "a", "logprob": -1, "bytes": [True]},
    ],
)  # fmt: skip
def test_a_malformed_candidate_makes_a_reply_unusable(play, entry):
    assert play(chat_body(**entry), FIRST, "chat").kind == "bad_reply"


@pytest.mark.parametrize("number", ["-1e999", "-Infinity", "NaN"])
def test_a_logarithm_that_is_not_finite_makes_a_reply_unusable(play, number):
    step = {"body": chat_body(token="a", logprob=-7.5)["body"].replace("-7.5", number)}
    assert play(step, FIRST, "chat").kind == "bad_reply"


@pytest.mark.parametrize(
    "logprobs",
    [
        {"tokens": ["Yes"], "token_logprobs": [-0.5], "top_logprobs": [{"Yes": -0.5}, {}]},
        {"tokens": ["Yes", "."], "token_logprobs": [-0.5], "top_logprobs": [{"Yes": -0.5}]},
        {"tokens": ["Yes"], "token_logprobs": None, "top_logprobs": [{"Yes": -0.5}]},
        {"tokens": ["Yes"], "token_logprobs": [None], "top_logprobs": [{"Yes": -0.5}]},
        {"tokens": ["Yes"], "token_logprobs": [-0.5], "top_logprobs": None},
        {"tokens": ["Yes"], "token_logprobs": [-0.5], "top_logprobs": ["Yes"]},
        {"tokens": "Yes", "token_logprobs": [-0.5]},
        {"tokens": [], "token_logprobs": [], "top_logprobs": []},
        {"content": []}, {"content": {}}, {}, [], "none", None,
    ],
)  # fmt: skip
def test_malformed_lists_of_completions_make_a_reply_unusable(play, logprobs):
    choice = {"text": "Yes", "finish_reason": "length", "logprobs": logprobs}
    assert play({"body": json.dumps({"model": "model-1", "choices": [choice]})}, FIRST).kind == "bad_reply"


def test_a_blank_first_token_with_candidates_is_an_answer_but_a_blank_text_is_none(play):
    body = chat_body(token="Yes", logprob=-0.5)["body"]
    step = {"body": body.replace('"content": "Yes"', '"content": ""').replace("length", "stop")}
    assert play(step, FIRST, "chat").logprobs[0].top[0].token == "Yes"
    assert play(step, {"max_tokens": 2, "top_logprobs": 5}, "chat").kind == "bad_reply"


def test_only_a_reply_of_one_token_may_end_by_its_length(play):
    assert play({"text": "Yes it is"}, {"max_tokens": 1}).text == "Yes"
    error = play({"text": "Yes it is"}, {"max_tokens": 2})
    assert (error.kind, error.partial) == ("truncated", "Yes it")


def test_a_completion_continues_the_messages_and_stops(play, server):
    request = {"stop": ("\n",), "top_p": 0.5, "seed": 4}
    assert play({"text": "One line.\nAnother."}, request).text == "One line."
    assert server.calls[0]["asked"] == {
        "model": "model-1", "prompt": PROMPT, "temperature": 0.0, "top_p": 0.5, "stop": ["\n"],
    }  # fmt: skip


@pytest.mark.parametrize("text", [{"text": None}, {"text": 5}, {"message": {"content": "Yes"}}])
def test_a_completion_without_a_text_is_unusable(play, text):
    choice = {"finish_reason": "stop", **text}
    assert play({"body": json.dumps({"model": "model-1", "choices": [choice]})}, {}).kind == "bad_reply"


def test_the_likelihood_of_a_given_answer_is_read_from_its_echo(play, server):
    step = {"candidates": json.dumps({"Yes": -0.5, "No": -2.5})}
    outcomes = {answer: play(step, {"continuation": f" {answer}"}) for answer in ("Yes", "No")}
    assert [(one.text, one.raw, one.finish_reason) for one in outcomes.values()] == [
        (" Yes", "", "length"), (" No", "", "length"),
    ]  # fmt: skip
    asked = server.calls[0]["asked"]
    assert (asked["prompt"], asked["echo"], asked["max_tokens"]) == (f"{PROMPT} No", True, 0)
    assert [one.token for one in outcomes["Yes"].logprobs] == [" it", " so?", "\nAnswer:", " Yes"]
    replies = {answer: outcome.logprobs for answer, outcome in outcomes.items()}
    found = likelihoods_of_continuations(replies, {answer: f" {answer}" for answer in replies})
    assert found.probabilities["Yes"] == pytest.approx(1 / (1 + math.exp(-2)))


def test_only_the_last_tokens_of_a_long_prompt_are_kept(play):
    outcome = play({}, {"continuation": " a long answer of many words, all of which are kept, and eight more"})
    assert len(outcome.logprobs) == 14 + 3
    assert play({"length": 2}, {"continuation": "."}).text == "."


def echo_body(text: str, **lists) -> dict:
    logprobs = {"tokens": ["Is", " it so?\nAnswer:", " Yes"], "token_logprobs": [None, -3, -1], **lists}
    choice = {"text": text, "finish_reason": "length", "logprobs": logprobs}
    return {"body": json.dumps({"model": "model-1", "choices": [choice]})}


ECHO = f"{PROMPT} Yes"


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (ECHO, {}),
        (f"<s>{ECHO}", {"tokens": ["<s>", "Is it so?\nAnswer:", " Yes"]}),
        (ECHO, {"tokens": ["\u2581Is", "\u2581it\u2581so?\u010aAnswer:", "\u2581Yes"]}),
        (ECHO, {"tokens": ["Is", " it so?\ufffd", " Yes"]}),
    ],
)
def test_other_ways_to_write_tokens_do_not_matter(play, text, lists):
    outcome = play(echo_body(text, **lists), {"continuation": " Yes"})
    assert [one.logprob for one in outcome.logprobs] == [-3, -1]


@pytest.mark.parametrize(
    ("text", "lists", "reason"),
    [
        (" Yes", {}, "does not repeat"),
        (f"{ECHO} indeed", {}, "does not repeat"),
        (ECHO, {"tokens": ["Is", " it so?\nAnswer:", " No"]}, "do not spell"),
        (ECHO, {"tokens": ["Is", " it so?\nAnswer:", "?es"]}, "do not spell"),
        (ECHO, {"tokens": [], "token_logprobs": []}, "do not spell"),
        (ECHO, {"token_logprobs": [None, -3, None]}, "not a number"),
        (ECHO, {"token_logprobs": [None, -3]}, "differ in length"),
        (ECHO, {"tokens": None}, "wrong type or missing"),
    ],
)
def test_an_echo_that_is_none_is_unusable_and_kept(play, text, lists, reason):
    error = play(echo_body(text, **lists), {"continuation": " Yes"})
    assert (error.kind, reason in error.reason, "choices" in error.outcome.raw) == ("bad_reply", True, True), error
