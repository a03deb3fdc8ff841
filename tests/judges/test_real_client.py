"""Protocols that need log-probabilities or several samples, through the real client to the scripted server."""

import math
from types import MappingProxyType

import pytest

from judges.protocol import ReplyInvalidError
from llm.call_errors import BadReplyError
from llm.client import ask
from llm.endpoints import Endpoint, Model
from llm.requests import JudgmentPlace, Reply, Request
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving
from tests.judges.protocol_cases import YES_OR_NO, ScriptedAsker, case, judged


class ServedAsker(ScriptedAsker):
    """Sends every request to a server; `sent` has the requests."""

    def __init__(self, server, api):
        super().__init__(api=api, echo=api == "completions")
        self.endpoint = Endpoint(
            name="scripted", base_url=server.address, key_name="", models=MappingProxyType({}), in_flight=8,
            requests_per_minute=None, connect_timeout=1, read_timeout=4, deadline=8, attempts=1, longest_wait=0,
        )  # fmt: skip
        supports = frozenset({"echo"} if self.abilities.echo else ())
        self.model = Model("model", "model-1", api=api, supports=supports, logprobs=5)

    def send(self, messages, prompt, parameters, name, sample=1, agent=0, round=1, retry=0):
        request = Request(
            "scripted/model", messages, prompt, temperature=parameters.temperature, top_p=parameters.top_p,
            max_tokens=0 if parameters.continuation else parameters.max_tokens, top_logprobs=parameters.top_logprobs,
            continuation=parameters.continuation, place=JudgmentPlace(1, sample, agent, round, (), retry),
        )  # fmt: skip
        self.sent.append(request)
        found = ask(self.endpoint, self.model, request)
        return Reply(found.text, found.finish_reason, "", found.usage, found.logprobs, "", None, None)


@pytest.fixture
def asker_of():
    """A function that returns an asker for an API, and sets the step that the server plays."""
    with serving() as server:

        def made(api, **step):
            server.steps = (ScriptStep(**step),)
            server.restart()
            return ServedAsker(server, api)

        yield made


@pytest.mark.thorough
@pytest.mark.parametrize("api", ["chat", "completions"])
@pytest.mark.parametrize("question", [None, YES_OR_NO])
@pytest.mark.parametrize("key", ["constrained_softmax", "llm_score"])
def test_likelihoods_of_all_allowed_answers_are_read(asker_of, key, api, question):
    asker = asker_of(api)
    reading = judged(key, asker, case(**({} if question is None else {"question": question})))
    assert math.isfinite(reading.value)
    assert reading.details["way"] == ("echo" if api == "completions" else "candidates")
    if key == "constrained_softmax":
        assert list(reading.distribution) == (["1", "2", "3", "4", "5"] if question is None else ["Yes", "No"])
        assert len(asker.sent) == (len(reading.distribution) if api == "completions" else 1)
    else:
        assert (reading.value, len(asker.sent)) == (reading.distribution["Yes"], 1)


@pytest.mark.parametrize("key", ["constrained_softmax", "llm_score"])
@pytest.mark.parametrize("fault", ["missing", "partial", "renamed", "no_candidates", "positive", "text"])
def test_log_probabilities_that_break_the_form_are_no_usable_reply(asker_of, key, fault):
    for api in ("chat", "completions"):
        if (api, fault) == ("completions", "no_candidates"):
            continue  # an echo needs none
        with pytest.raises(BadReplyError):
            judged(key, asker_of(api, logprobs=fault), case(question=YES_OR_NO))


@pytest.mark.parametrize("key", ["constrained_softmax", "llm_score"])
def test_log_probabilities_with_bytes_are_read_by_them_and_those_of_other_tokens_are_invalid(asker_of, key):
    steps = {"candidates": "Yes:-0.5,No:-1.5", "text": "Yes"}
    plain = judged(key, asker_of("chat", **steps), case(question=YES_OR_NO))
    assert judged(key, asker_of("chat", logprobs="bytes", **steps), case(question=YES_OR_NO)).value == plain.value
    with pytest.raises(ReplyInvalidError, match="none of the candidates"):
        judged(key, asker_of("chat", logprobs="other", **steps), case(question=YES_OR_NO))


@pytest.mark.parametrize("api", ["chat", "completions"])
@pytest.mark.parametrize(
    ("key", "options", "calls"),
    [
        ("self_agreement", {"examples": "none"}, {7}),
        ("self_agreement", {"examples": "none", "rationale": True}, {7}),
        ("multi_llm", {}, {9, 15, 21, 27, 12, 18, 24}),
    ],
)
def test_forms_are_filled_in_and_read(asker_of, key, options, calls, api):
    asker = asker_of(api)
    reading = judged(key, asker, **options)
    assert 1 <= reading.value <= 5
    assert len(asker.sent) in calls
