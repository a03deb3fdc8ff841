"""What the endpoints file says of a model's requests is what the endpoint gets, and what the ledger says was sent."""

import pytest

from llm.budgets import highest_call_price
from llm.call_errors import RejectedError, TooLongError
from llm.door import complete
from llm.endpoints import EndpointsInvalidError, endpoints, find_model
from llm.models import Call
from llm.requests import Charge, Message, Request
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving

FILE = """endpoints:
  scripted:
    base_url: {address}
    key: SCRIPTED_KEY
    deadline: 5
    read_timeout: 1
    connect_timeout: 1
    attempts: 1
    longest_wait: 0.02
    models:
      model: {{asked: model-1, context: 2000, price_in: 1, price_out: 2, supports: [stream, seed, json_schema]{more}}}
"""
KEY = "canary-key-of-the-settings"
pytestmark = pytest.mark.django_db


@pytest.fixture
def given(settings, tmp_path, monkeypatch):
    """A function that writes what the file says of the model, and returns the server."""
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    with serving() as running:

        def write(more="", *steps):
            written = FILE.format(address=running.address, more=f", {more}" if more else "")
            settings.ENDPOINTS_FILE.write_text(written)
            running.steps = steps or (ScriptStep(text="At nine."),)
            return running

        yield write


def request(**more):
    return Request(
        "scripted/model", (Message("user", "When?"),), **{"max_tokens": 64, "seed": 7, "stop": ("X",), **more}
    )


def sent(server):
    return server.calls[-1]["asked"]


PARAMETERS = {
    "": {"temperature": 0.0, "top_p": 1.0, "seed": 7, "stop": ["X"], "max_tokens": 64},
    "parameters: {temperature: null}": {"temperature": None, "top_p": 1.0},
    "parameters: {temperature: null, top_p: null}": {"temperature": None, "top_p": None},
    "parameters: {temperature: 1, top_p: 0.9}": {"temperature": 1, "top_p": 0.9},
    "parameters: {seed: null, stop: null, max_tokens: null}": {"seed": None, "stop": None, "max_tokens": None},
    "parameters: {max_tokens: null}, max_tokens_field: max_completion_tokens": {"max_completion_tokens": None},
    "body: {reasoning_effort: low, chat_template_kwargs: {enable_thinking: false}}": {
        "reasoning_effort": "low",
        "chat_template_kwargs": {"enable_thinking": False},
    },
    "thinking_tokens: 400": {"max_tokens": 464},
    "thinking_tokens: 400, max_tokens_field: max_completion_tokens": {"max_completion_tokens": 464, "max_tokens": None},
}


@pytest.mark.parametrize("more", PARAMETERS)
def test_the_endpoint_gets_what_the_file_says(given, study, more):
    server = given(more)
    complete(request(), Charge(study))
    expected = PARAMETERS[more]
    assert {name: sent(server).get(name) for name in expected} == expected
    assert [name for name, value in expected.items() if value is None and name in sent(server)] == []


def test_a_stream_without_options_is_read_too(given, study):
    server = given("parameters: {stream_options: null}")
    complete(request(), Charge(study), on_text=lambda text: None)
    assert sent(server)["stream"] is True
    assert "stream_options" not in sent(server)


def test_a_temperature_that_a_caller_wants_gives_way_to_the_file(given, study):
    server = given("parameters: {temperature: null}")
    complete(request(temperature=0.7), Charge(study))
    assert "temperature" not in sent(server)
    assert "temperature" not in Call.objects.get().parameters


def test_the_ledger_says_what_was_sent_and_tells_settings_apart(given, study):
    digests = set()
    for more in ("", "body: {effort: low}", "body: {effort: high}", "query: {v: 1}", "thinking_tokens: 5"):
        given(more)
        complete(request(), Charge(study))
        call = Call.objects.latest("pk")
        digests.add(call.request_digest)
    assert len(digests) == 5
    assert call.parameters["settings"] == {"thinking_tokens": 5}


def test_headers_and_the_address_have_what_the_file_says(given, study):
    server = given('headers: {api-key: "{key}", X-Title: Study}, query: {api-version: "2026-01-01"}')
    complete(request(), Charge(study))
    call = server.calls[-1]
    assert call["path"].endswith("/chat/completions?api-version=2026-01-01")
    assert (call["headers"]["api-key"], call["headers"]["x-title"]) == (KEY, "Study")
    assert "authorization" not in call["headers"]
    assert KEY not in str(vars(Call.objects.get()))


def test_a_header_without_the_key_leaves_the_usual_one(given, study):
    server = given("headers: {X-Title: Study}")
    complete(request(), Charge(study))
    assert server.calls[-1]["headers"]["authorization"] == f"Bearer {KEY}"
    given('headers: {Authorization: "Api-Key {key}"}')
    complete(request(), Charge(study))
    assert server.calls[-1]["headers"]["authorization"] == f"Api-Key {KEY}"


def test_thinking_counts_in_prices_and_in_the_context(given, study):
    given()
    price = highest_call_price(request())
    given("thinking_tokens: 400")
    assert highest_call_price(request()) == price + 2 * 400
    assert complete(request(max_tokens=None), Charge(study)).text
    with pytest.raises(TooLongError, match="of 2,000 at most"):
        complete(request(max_tokens=1590), Charge(study))
    given("thinking_tokens: 0")
    assert complete(request(max_tokens=1590), Charge(study)).text


MISTAKES = {
    "parameters: [temperature]": "parameters: must be a mapping",
    "parameters: {temperature: hot}": "parameters: has a temperature that is neither a number nor null",
    "parameters: {temperature: .nan}": "parameters: has a temperature that is neither",
    "parameters: {seed: 5}": "parameters: has a seed that is not null",
    "parameters: {effort: low}": "parameters: has the unknown key 'effort': known are temperature, top_p",
    "body: {messages: []}": "body: must not have the field messages, which Interrater sets",
    "body: {n: 3}": "body: must not have the field n",
    "body: {x: .inf}": "body: has a value that",
    "headers: {Host: a.example}": "headers: must not have the header 'Host'",
    'headers: {"X Y": a}': "headers: must not have the header 'X Y'",
    "headers: {X-Title: 5}": "headers: has the header X-Title with a value that is not text",
    "headers: {Authorization: secret}": "headers: has a header Authorization without {key}",
    "query: {v: [1]}": "query: has a value of v that is neither text nor a number",
    'query: {"a b": 1}': "query: has the name 'a b'",
    "thinking_tokens: -1": "thinking_tokens: must be a whole number from 0",
    "thinking: <think>": "thinking: must be a list",
    "thinking: [{begins: a}]": "thinking: must be a list of",
    "thinking: [{ends: ''}]": "thinking: must be a list of",
    "thinking: [{ends: a, field: b}]": "thinking: must be a list of",
}


@pytest.mark.parametrize("more", MISTAKES)
def test_a_mistake_in_the_file_is_reported_with_its_place(given, more):
    given(more)
    with pytest.raises(EndpointsInvalidError) as caught:
        endpoints()
    assert f"models.model.{MISTAKES[more]}" in str(caught.value)


def test_a_header_with_the_key_needs_one(given, settings):
    given('headers: {api-key: "{key}"}')
    written = settings.ENDPOINTS_FILE.read_text().replace("    key: SCRIPTED_KEY\n", "")
    settings.ENDPOINTS_FILE.write_text(written)
    with pytest.raises(EndpointsInvalidError, match="has no key, which a header of the model model needs"):
        endpoints()


REFUSALS = {
    '{"error": {"message": "\'temperature\' does not support 0 with this model.", "param": "temperature"}}': (
        "temperature",
        "`parameters: {temperature: null}`",
    ),
    '{"error": {"message": "`temperature` and `top_p` cannot both be specified for this model."}}': (
        "temperature and top_p",
        "`parameters: {top_p: null}`",
    ),
    '{"error": {"message": "Unsupported: \'max_tokens\'. Use \'max_completion_tokens\'.", "param": "max_tokens"}}': (
        "max_tokens",
        "`max_tokens_field: max_completion_tokens`",
    ),
    '{"message": {"detail": [{"loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]}}': (
        "stream_options",
        "`parameters: {stream_options: null}`",
    ),
    '{"error": {"message": "\'stream\' is not supported.", "param": "stream"}}': (
        "stream",
        "take stream out of `supports`",
    ),
    '{"detail": "seed: unknown field \'seed\'"}': ("seed", "take seed out of `supports`"),
    '{"error": "Unknown field effort"}': ("effort", "take effort out of `body`"),
}


@pytest.mark.parametrize("body", REFUSALS)
def test_a_refusal_that_names_a_parameter_says_what_to_write(given, study, body):
    given("body: {effort: low}", ScriptStep(status=400, body=body))
    with pytest.raises(RejectedError) as caught:
        complete(request(), Charge(study), on_text=lambda text: None)
    names, advice = REFUSALS[body]
    assert f"because of {names}:" in caught.value.detail
    assert advice in caught.value.detail
    assert "scripted/model" in caught.value.detail
    call = Call.objects.get()
    assert (call.detail, call.reason) == (caught.value.detail, RejectedError.sentence)


OTHERS = {
    '{"error": {"message": "Wrong key at https://inner.example/v1?k=5, full stop"}}': "Wrong key at [address]",
    "<html><body>Not found</body></html>": "(status 401).",
    " ": "(status 401).",
    '{"error": {"message": "' + "long " * 200 + '"}}': "…”.",
}


@pytest.mark.parametrize("body", OTHERS)
def test_other_refusals_have_the_endpoint_s_own_sentence_and_no_address(given, study, body):
    given("", ScriptStep(status=401, body=body))
    with pytest.raises(RejectedError) as caught:
        complete(request(), Charge(study))
    assert OTHERS[body] in caught.value.detail
    assert "because of" not in caught.value.detail
    assert "inner.example" not in caught.value.detail
    assert len(caught.value.detail) < 450


def test_settings_are_read_from_the_file(given):
    given("thinking: [{begins: '<plan>', ends: '</plan>'}, {field: plan}], query: {v: 1}")
    _, model = find_model("scripted/model")
    assert model.settings() == {
        "query": {"v": "1"},
        "thinking": [{"begins": "<plan>", "ends": "</plan>"}, {"field": "plan"}],
    }
