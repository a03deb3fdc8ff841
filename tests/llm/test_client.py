"""The real client against a misbehaving server: each fault has its kind of error, before the deadline."""

import json
from itertools import count
from types import MappingProxyType

import pytest

from llm.call_errors import CallError
from llm.client import ask
from llm.endpoints import Endpoint, Model
from llm.requests import Message, Request, Usage
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving

ALL = frozenset(("stream", "seed", "json_schema", "echo"))
DEADLINE = 8.0


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def endpoint(server):
    def make(*, base_url: str = "", **more) -> Endpoint:
        given = {
            "name": "scripted", "base_url": base_url or server.address, "key_name": "", "models": MappingProxyType({}),
            "in_flight": 8, "requests_per_minute": None, "connect_timeout": 1.0, "read_timeout": 4.0,
            "deadline": DEADLINE, "attempts": 3, "longest_wait": 0.02,
        }  # fmt: skip
        return Endpoint(**given | more)

    return make


@pytest.fixture
def play(server, endpoint):
    """A function that runs a call against scripted steps; returns the outcome or error, and the texts shown."""

    def play(*steps: dict, stream: bool = False, request: dict | None = None, supports=ALL, stopped=None, **more):
        server.steps = tuple(ScriptStep(**one) for one in steps)
        server.restart()
        texts: list[str] = []
        asked = Request("scripted/model", (Message("user", "Say it."),), **(request or {}))
        again = more.pop("again_after_cut", False)
        try:
            found = ask(
                endpoint(**more), Model("model", "model-1", supports=supports), asked,
                on_text=texts.append if stream else None, stopped=stopped, again_after_cut=again,
            )  # fmt: skip
        except CallError as error:
            found = error
        assert len(server.calls) <= 3
        return found, texts

    return play


PLAIN = "application/json"
GOOD = {"text": "It sails at nine [0]."}


def whole(**more) -> dict:
    """A step with a valid reply except for the given fields."""
    choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
    body = {"model": "model-1", "choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}
    return {"body": json.dumps(body | more)}


def choice(message: object, **more) -> list:
    return [{"index": 0, "message": message, "finish_reason": "stop"} | more]


def stream_of(*lines: str) -> dict:
    return {"body": "".join(f"data: {line}\n\n" for line in lines), "content_type": "text/event-stream"}


PIECE = json.dumps({"model": "model-1", "choices": [{"index": 0, "delta": {"content": "Yes"}}]})

# name: steps, kind of failure, requests that are made
FAULTS = {
    "500 for ever": ([{"status": 500}], "server_error", 3),
    "502 for ever": ([{"status": 502, "body": "<html>Bad gateway</html>"}], "server_error", 3),
    "503 for ever": ([{"status": 503}], "server_error", 3),
    "504 for ever": ([{"status": 504}], "server_error", 3),
    "409 for ever": ([{"status": 409}], "server_error", 3),
    "408 for ever": ([{"status": 408}], "timeout", 3),
    "429 for ever": ([{"status": 429, "retry_after": "0.01"}], "rate_limited", 3),
    "429 without a time": ([{"status": 429}], "rate_limited", 3),
    "429 that asks for an hour": ([{"status": 429, "retry_after": "3600"}], "rate_limited", 1),
    "429 with a date far away": ([{"status": 429, "retry_after": "Fri, 31 Dec 2100 23:59:59 GMT"}], "rate_limited", 1),
    "429 with a time that is none": ([{"status": 429, "retry_after": "soon"}], "rate_limited", 3),
    "429 of a used-up account": ([{"status": 429, "code": "insufficient_quota"}], "quota", 1),
    "503 that asks for an hour": ([{"status": 503, "retry_after": "3600"}], "server_error", 1),
    "400": ([{"status": 400}], "rejected", 1),
    "400 too long": ([{"status": 400, "code": "context_length_exceeded"}], "too_long", 1),
    "400 filtered": ([{"status": 400, "code": "content_filter"}], "filtered", 1),
    "401": ([{"status": 401}], "rejected", 1),
    "403": ([{"status": 403}], "rejected", 1),
    "404": ([{"status": 404}], "rejected", 1),
    "413": ([{"status": 413}], "too_long", 1),
    "422": ([{"status": 422}], "rejected", 1),
    "status with garbage": ([{"status": 400, "body": "\x00\x01[["}], "rejected", 1),
    "first 500, then 401": ([{"status": 500}, {"status": 401}], "rejected", 2),
    "redirect": ([{"status": 302, "location": "http://169.254.169.254/latest"}], "rejected", 1),
    "redirect that keeps the method": ([{"status": 307, "location": "http://127.0.0.1:1/v1"}], "rejected", 1),
    "connection closed at once": ([{"close": True}], "unreachable", 3),
    "silence": ([{"silent": True}], "timeout", 3),
    "page of HTML": ([{"body": "<html><body>Welcome</body></html>", "content_type": "text/html"}], "bad_reply", 3),
    "page of HTML called JSON": ([{"body": "<html>", "content_type": PLAIN}], "bad_reply", 3),
    "nothing": ([{"body": " "}], "bad_reply", 3),
    "garbage": ([{"body": "\udcff\udcfe\udc80garbage"}], "bad_reply", 1),
    "half of the JSON": ([{"body": '{"choices": [{"mess'}], "bad_reply", 3),
    "a key twice": ([{"body": '{"choices": [], "choices": []}'}], "bad_reply", 3),
    "NaN": ([{"body": '{"choices": NaN}'}], "bad_reply", 3),
    "nested deep": ([{"body": "[" * 50_000}], "bad_reply", 3),
    "a text": ([{"body": '"fine"'}], "bad_reply", 3),
    "a list": ([{"body": "[]"}], "bad_reply", 3),
    "null": ([{"body": "null"}], "bad_reply", 3),
    "an error with status 200": ([{"body": '{"error": {"message": "no"}}'}], "server_error", 3),
    "an error in a text": ([{"body": '{"error": "STREAM BROKE"}'}], "server_error", 3),
    "an error of 429": ([{"body": '{"error": {"message": "slow", "code": 429}}'}], "rate_limited", 3),
    "an error of 400": ([{"body": '{"error": {"message": "no", "code": "400"}}'}], "rejected", 1),
    "a reply that the server broke off": ([{"finish": "error"}], "server_error", 3),
    "no choices": ([whole(choices=[])], "bad_reply", 3),
    "choices that are none": ([whole(choices="yes")], "bad_reply", 1),
    "a choice that is none": ([whole(choices=["yes"])], "bad_reply", 1),
    "an error beside a choice": ([whole(choices=choice({"content": "Yes"}, error={"code": 502}))], "server_error", 3),
    "no message": ([whole(choices=[{"index": 0}])], "bad_reply", 3),
    "a message of null": ([whole(choices=choice(None))], "bad_reply", 3),
    "a message that is none": ([whole(choices=choice("yes"))], "bad_reply", 1),
    "content that is a number": ([whole(choices=choice({"content": 5}))], "bad_reply", 1),
    "content with a picture": ([whole(choices=choice({"content": [{"type": "image_url"}]}))], "bad_reply", 1),
    "content with a number in a list": ([whole(choices=choice({"content": [5]}))], "bad_reply", 1),
    "content that is nothing": ([whole(choices=choice({"content": None}))], "bad_reply", 3),
    "content of blanks": ([whole(choices=choice({"content": " \n"}))], "bad_reply", 3),
    "a call of a tool": ([whole(choices=choice({"content": None, "tool_calls": [{}]}))], "bad_reply", 3),
    "NUL": ([whole(choices=choice({"content": "a\x00b"}))], "bad_reply", 1),
    "half of a surrogate pair": ([whole(choices=choice({"content": "a\ud83db"}))], "bad_reply", 1),
    "model that is a number": ([whole(model=7)], "bad_reply", 1),
    "finish reason that is a list": ([whole(choices=choice({"content": "x"}, finish_reason=[]))], "bad_reply", 1),
    "refusal": ([{"refusal": "I will not."}], "refused", 1),
    "content filter": ([{"finish": "content_filter"}], "filtered", 1),
    "length": ([{"finish": "length", "text": "It sails at"}], "truncated", 1),
    "body cut": ([{"cut": 30}], "cut", 3),
    "nine megabytes": ([{"body": "x" * 9_000_000}], "bad_reply", 1),
    "nine megabytes of an error": ([{"status": 500, "body": "x" * 9_000_000}], "bad_reply", 1),
}  # fmt: skip

STREAMED = {
    "500 for ever": ([{"status": 500}], "server_error", 3),
    "429 for ever": ([{"status": 429}], "rate_limited", 3),
    "closed before anything": ([{"close": True}], "unreachable", 3),
    "cut before any text": ([{"cut": 1}], "cut", 3),
    "cut within the text": ([{"cut": 4}], "cut", 1),
    "an error within the text": ([{"cut": 4, "stream_error": True}], "server_error", 1),
    "an error before any text": ([{"cut": 1, "stream_error": True}], "server_error", 3),
    "an error in a choice": ([stream_of('{"choices": [{"index": 0, "error": {"code": 502}}]}')], "server_error", 3),
    "ends without an end": ([stream_of(PIECE)], "cut", 1),
    "no piece": ([stream_of("[DONE]")], "bad_reply", 3),
    "nothing at all": ([{"body": ": still here\n\n", "content_type": "text/event-stream"}], "bad_reply", 3),
    "page of HTML": ([{"body": "<html>", "content_type": "text/html"}], "bad_reply", 3),
    "garbage for a piece": ([stream_of(PIECE, "{garbage")], "bad_reply", 1),
    "a list for a piece": ([stream_of(PIECE, "[]")], "bad_reply", 1),
    "choices that are none": ([stream_of('{"choices": 5}')], "bad_reply", 1),
    "content that is a number": ([stream_of('{"choices": [{"index": 0, "delta": {"content": 5}}]}')], "bad_reply", 1),
    "NUL": ([stream_of(PIECE.replace("Yes", "\\u0000"), "[DONE]")], "bad_reply", 1),
    "half of a surrogate pair": ([stream_of(PIECE.replace("Yes", "\\ud83d"), "[DONE]")], "bad_reply", 1),
    "refusal": ([{"refusal": "I will not."}], "refused", 1),
    "content filter": ([{"finish": "content_filter"}], "filtered", 1),
    "length": ([{"finish": "length"}], "truncated", 1),
    "silence before any text": ([{"stall": 1}], "timeout", 3),
    "silence within the text": ([{"stall": 3}], "timeout", 1),
}  # fmt: skip


def patience(name: str) -> float:
    return 0.4 if name.startswith("silence") else 4.0


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_of_a_server_has_its_kind_of_error(play, server, name):
    steps, kind, requests = FAULTS[name]
    error, _ = play(*steps, read_timeout=patience(name))
    assert isinstance(error, CallError), error
    assert (error.kind, len(error.outcome.attempts), len(server.calls)) == (kind, requests, requests)
    assert error.reason.endswith(".")
    assert "127.0.0.1" not in error.reason


@pytest.mark.parametrize("name", STREAMED)
def test_each_fault_of_a_stream_has_its_kind_of_error(play, server, name):
    steps, kind, requests = STREAMED[name]
    error, texts = play(*steps, stream=True, read_timeout=patience(name))
    assert isinstance(error, CallError), error
    assert (error.kind, len(error.outcome.attempts), len(server.calls)) == (kind, requests, requests)
    if texts and kind != "bad_reply":
        assert error.partial.startswith(texts[-1])


def test_an_unused_port_is_unreachable(play):
    error, _ = play(GOOD, base_url="http://127.0.0.1:9/v1")
    assert error.kind == "unreachable"
    assert [(one.status, one.billable) for one in error.outcome.attempts] == [(0, False)] * 3


def test_an_unknown_host_is_unreachable(play):
    error, _ = play(GOOD, base_url="http://nowhere.invalid/v1")
    assert error.kind == "unreachable"


def test_a_server_without_tls_is_unreachable_over_https(play, server):
    error, _ = play(GOOD, base_url=server.address.replace("http:", "https:"))
    assert error.kind == "unreachable"


@pytest.mark.parametrize("stream", [False, True])
def test_the_deadline_ends_a_slow_reply(play, server, stream):
    drip = {"drip": 0.05} if not stream else {"pause": 0.05}
    error, _ = play({"text": "word " * 500, **drip}, stream=stream, deadline=1.0)
    assert (error.kind, len(error.outcome.attempts)) == ("timeout", 1)
    assert error.outcome.raw
    assert error.outcome.raw.count("word") < 500
    assert bool(error.partial) is stream


def test_the_deadline_ends_a_slow_error(play):
    error, _ = play({"status": 500, "body": "x" * 500, "drip": 0.05}, deadline=1.0)
    assert (error.kind, len(error.outcome.attempts)) == ("timeout", 1)


def test_waits_between_attempts_end_at_the_deadline(play):
    error, _ = play({"status": 503, "retry_after": "5"}, deadline=2.0, longest_wait=10)
    assert (error.kind, len(error.outcome.attempts), error.retry_after) == ("server_error", 1, 5.0)


def test_a_rate_limited_call_is_retried_after_the_requested_wait(play):
    outcome, _ = play({"status": 429, "retry_after": "0.01"}, {"status": 500}, GOOD)
    assert outcome.text == GOOD["text"]
    assert [one.ended for one in outcome.attempts] == ["rate_limited", "server_error", "answered"]
    assert [one.status for one in outcome.attempts] == [429, 500, 200]
    assert outcome.attempts[1].waited == 0.01
    assert [one.billable for one in outcome.attempts] == [False, True, True]


@pytest.mark.parametrize(("given", "wait"), [("0.01", 1.0), ("0", 1.0), ("1.5", 1.5)])
def test_work_is_put_off_if_the_endpoint_demands_a_wait_after_the_last_attempt(play, given, wait):
    error, _ = play({"status": 429, "retry_after": given}, attempts=1)
    assert (error.kind, error.put_off) == ("rate_limited", wait)
    assert play({"status": 429}, attempts=1)[0].put_off is None


def test_the_tokens_of_a_reply_without_a_choice_are_known(play):
    error, _ = play(whole(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 5}), attempts=1)
    assert [one.usage for one in error.outcome.attempts] == [Usage(7, 5)]


def test_a_stream_is_shown_as_it_arrives(play):
    outcome, texts = play({"text": "one two three four five six seven eight", "pause": 0.1}, stream=True)
    assert outcome.text == texts[-1] == "one two three four five six seven eight"
    assert 2 <= len(texts) <= 6
    assert all(outcome.text.startswith(text) for text in texts)
    assert (outcome.usage.completion_tokens, outcome.finish_reason, outcome.flags) == (8, "stop", ())
    assert "data: [DONE]" in outcome.raw


def test_a_cut_stream_is_requested_again_only_if_that_is_allowed(play, server):
    outcome, texts = play({"cut": 3, "text": "one two three"}, GOOD, stream=True, again_after_cut=True)
    assert (outcome.text, len(server.calls)) == (GOOD["text"], 2)
    assert texts[0].startswith("one")


def test_characters_split_between_pieces_are_joined(play):
    halves = [PIECE.replace("Yes", half) for half in ("\\ud83d", "\\ude00")]
    outcome, texts = play(stream_of(*halves, "[DONE]"), stream=True)
    assert outcome.text == texts[-1] == "\U0001f600"


def test_a_finished_reply_is_accepted_without_an_end_mark(play):
    outcome, _ = play(GOOD | {"done": False}, stream=True)
    assert outcome.text == GOOD["text"]


def test_the_text_of_a_model_without_streaming_is_shown_at_once(play, server):
    outcome, texts = play(GOOD, stream=True, supports=frozenset())
    assert texts == [outcome.text]
    assert "stream" not in server.calls[0]["asked"]


def test_a_reply_that_is_not_streamed_on_request_is_accepted(play):
    outcome, texts = play(whole(), stream=True)
    assert texts == [outcome.text] == ["Yes."]


@pytest.mark.parametrize("usage", ["missing", "negative", "text", "list"])
@pytest.mark.parametrize("stream", [False, True])
def test_impossible_token_counts_are_flagged(play, usage, stream):
    flag = "no_usage" if usage == "missing" else "wrong_usage"
    outcome, _ = play(GOOD | {"usage": usage}, stream=stream)
    assert (outcome.text, outcome.usage, outcome.flags) == (GOOD["text"], None, (flag,))


@pytest.mark.parametrize("stream", [False, True])
def test_another_model_in_the_reply_is_flagged(play, stream):
    outcome, _ = play(GOOD | {"model": "cheaper"}, stream=stream)
    assert (outcome.model_returned, outcome.flags) == ("cheaper", ("other_model",))


@pytest.mark.parametrize("stream", [False, True])
def test_log_probabilities_are_read(play, stream):
    outcome, _ = play({"text": "one two"}, stream=stream, request={"top_logprobs": 2})
    assert [one.token for one in outcome.logprobs] == ["one", " two"]
    assert [(one.token, one.logprob) for one in outcome.logprobs[0].top] == [("one", -0.25), ("one?", -1.5)]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("fault", ["missing", "positive", "text"])
def test_missing_or_malformed_log_probabilities_make_a_reply_unusable(play, fault, stream):
    error, _ = play({"text": "one two", "logprobs": fault}, stream=stream, request={"top_logprobs": 2})
    assert error.kind == "bad_reply"
    assert "one" in error.outcome.raw


SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


def test_a_structured_reply_is_parsed(play, server):
    outcome, _ = play({"text": '{"score": 3}'}, request={"schema": SCHEMA})
    assert outcome.parsed == {"score": 3}
    form = server.calls[0]["asked"]["response_format"]
    assert (form["type"], form["json_schema"]["schema"]) == ("json_schema", SCHEMA)


def test_a_structured_reply_in_a_fenced_block_is_parsed(play):
    outcome, _ = play({"text": '```json\n{"score": 3}\n```'}, request={"schema": SCHEMA})
    assert outcome.parsed == {"score": 3}


@pytest.mark.parametrize("text", ["three", '{"score": 3', '{"score": NaN}', '{"a": 1, "a": 2}', '{"a": "\\u0000"}'])
def test_a_structured_reply_that_is_not_json_is_unusable(play, text):
    error, _ = play({"text": text}, request={"schema": SCHEMA})
    assert (error.kind, error.partial) == ("bad_reply", text)


@pytest.mark.parametrize("step", [{"silent": True}, {"drip": 0.05}, {"status": 503, "retry_after": "4"}])
def test_a_stop_ends_a_running_call(play, step):
    """The third check comes while the call waits: a call that is checked only between its waits would end
    differently."""
    asked = count(1)
    error, _ = play(step, stopped=lambda: next(asked) == 3, read_timeout=DEADLINE, longest_wait=5)
    assert (error.kind, len(error.outcome.attempts)) == ("stopped", 1)


def test_a_stop_before_the_request_sends_nothing(play, server):
    error, _ = play(GOOD, stopped=lambda: True)
    assert (error.kind, server.calls) == ("stopped", [])


def test_an_exception_from_the_callback_ends_the_call(server, endpoint):
    def refuse(text: str) -> None:
        raise LookupError(text)

    server.steps = (ScriptStep(text="one two", pause=0.1),)
    with pytest.raises(LookupError, match="one"):
        ask(
            endpoint(), Model("model", "model-1", supports=ALL),
            Request("scripted/model", (Message("user", "Say it."),)), on_text=refuse,
        )  # fmt: skip


def test_parameters_are_sent_as_configured(play, server):
    sampled = {"temperature": 0.7, "top_p": 0.9, "max_tokens": 50, "seed": 3, "stop": ["\n", "Q:"]}
    play(GOOD, request=sampled | {"stop": ("\n", "Q:")})
    said = {"model": "model-1", "messages": [{"role": "user", "content": "Say it."}]}
    assert server.calls[0]["asked"] == said | sampled
    play(GOOD)
    assert server.calls[0]["asked"] == said | {"temperature": 0.0, "top_p": 1.0}
    play(GOOD, request=sampled | {"temperature": None, "top_p": None, "stop": ()}, supports=frozenset())
    assert server.calls[0]["asked"] == said | {"max_tokens": 50}


def test_the_environment_adds_nothing_to_a_request(play, server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")
    monkeypatch.setenv("OPENAI_ORG_ID", "canary-organization")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "canary-project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Canary: canary-header\nAuthorization: canary")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    outcome, _ = play(GOOD)
    assert outcome.text == GOOD["text"]
    sent = server.calls[0]["headers"]
    assert "canary" not in json.dumps(sent)
    assert set(sent) == {
        "host", "accept", "connection", "content-type", "content-length", "authorization", "user-agent",
        "accept-encoding",
    }  # fmt: skip
