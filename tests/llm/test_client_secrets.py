"""The key of an endpoint is nowhere but in the header of its requests."""

import base64
import json
import logging
import traceback
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import quote

import pytest
from django.conf import settings

from llm.asking import Message, Request
from llm.client import ask
from llm.endpoints import Endpoint, Model
from llm.errors import CallError
from llm.scripted.running import serving
from llm.scripted.script import Step

KEY = "Canary7/key+with?odd=parts&8192"
FORMS = (
    KEY, KEY[:8], quote(KEY, safe=""), quote(KEY), base64.b64encode(KEY.encode()).decode(),
    base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
)  # fmt: skip
REQUEST = Request("scripted/model", (Message("user", "Say it."),))
STEPS = {
    "good": Step(),
    "repeated in the text": Step(text=f"Your key is {KEY}, or {FORMS[2]}, or {FORMS[4]}."),
    "repeated as the model": Step(model=KEY),
    "wrong key, repeated": Step(status=401, echo_headers=True),
    "wrong key, shortened": Step(status=401, body=json.dumps({"error": {"message": f"Incorrect key {KEY[:12]}***"}})),
    "server error, repeated": Step(status=500, echo_headers=True),
    "no reply": Step(body=f"garbage {KEY}"),
    "headers repeated": Step(echo_headers=True),
    "redirect to it": Step(status=302, location=f"http://127.0.0.1:9/{FORMS[2]}"),
    "refused": Step(refusal=f"No, {KEY}."),
}


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture
def endpoint(server, monkeypatch):
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    return Endpoint(
        name="scripted", base_url=server.address, key_name="SCRIPTED_KEY", models=MappingProxyType({}), in_flight=8,
        requests_per_minute=None, connect_timeout=1.0, read_timeout=1.0, deadline=5.0, attempts=2, longest_wait=0.01,
    )  # fmt: skip


def found_in(text: str) -> list[str]:
    return [form for form in FORMS if form in text]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("name", STEPS)
def test_check_62_a_key_is_in_no_log_error_or_outcome(server, endpoint, caplog, capfd, name, stream):
    server.steps = (STEPS[name],)
    server.restart()
    caplog.set_level(logging.DEBUG)  # for all but the loggers that the settings keep quiet
    on_text = (lambda text: None) if stream else None
    try:
        outcome = ask(endpoint, Model("model", "model-1", supports=frozenset(("stream",))), REQUEST, on_text=on_text)
        told = repr(outcome)
    except CallError as error:
        outcome = error.outcome
        told = f"{error!r} {error} {error.reason} {error.partial} {traceback.format_exc()} {vars(error)}"
    assert server.calls[0]["headers"]["authorization"] == f"Bearer {KEY}"
    assert outcome.attempts
    assert found_in(told + caplog.text + "".join(capfd.readouterr()) + repr(endpoint)) == []


def test_check_62_logs_of_the_libraries_hold_no_key_even_where_they_are_on(server, endpoint, caplog):
    for name in ("openai", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.steps = (Step(),)
    ask(endpoint, Model("model", "model-1"), REQUEST)
    assert "httpcore2" in {record.name.partition(".")[0] for record in caplog.records}
    assert found_in(caplog.text) == []


def test_check_62_libraries_that_show_headers_are_kept_quiet():
    levels = {name: settings.LOGGING["loggers"][name]["level"] for name in ("openai", "httpx2", "httpcore2")}
    assert set(levels.values()) == {"WARNING"}


def test_a_key_that_is_not_set(endpoint, monkeypatch, server):
    server.restart()
    for given in ("", "  ", "two\nlines", "schlüssel"):
        monkeypatch.setenv("SCRIPTED_KEY", given)
        with pytest.raises(CallError) as caught:
            ask(endpoint, Model("model", "model-1"), REQUEST)
        assert caught.value.kind == "no_key"
    assert server.calls == []


def test_an_endpoint_without_a_key_gets_none_of_the_others(endpoint, server):
    server.steps = (Step(),)
    server.restart()
    ask(replace(endpoint, key_name=""), Model("model", "model-1"), REQUEST)
    assert server.calls[0]["headers"]["authorization"] == "Bearer none"


@pytest.mark.parametrize("stream", [False, True])
def test_a_word_in_place_of_a_key_stays_in_replies(server, endpoint, monkeypatch, stream):
    monkeypatch.setenv("SCRIPTED_KEY", "none")
    server.steps = (Step(text="It names none of them."),)
    server.restart()
    model = Model("model", "model-1", supports=frozenset({"stream"}))
    outcome = ask(endpoint, model, REQUEST, on_text=(lambda text: None) if stream else None)
    assert outcome.text == "It names none of them."
    assert "[key]" not in outcome.raw
