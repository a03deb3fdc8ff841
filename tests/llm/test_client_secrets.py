"""An endpoint's key only appears in the header of its requests."""

import base64
import json
import logging
import traceback
from dataclasses import replace
from types import MappingProxyType
from urllib.parse import quote

import pytest
from django.conf import settings

from llm.call_errors import CallError
from llm.client import ask
from llm.endpoints import Endpoint, Model
from llm.requests import Message, Request
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving

KEY = "Canary7/key+with?odd=parts&8192"
FORMS = (
    KEY, KEY[:8], quote(KEY, safe=""), quote(KEY), base64.b64encode(KEY.encode()).decode(),
    base64.urlsafe_b64encode(KEY.encode()).decode().rstrip("="),
)  # fmt: skip
REQUEST = Request("scripted/model", (Message("user", "Say it."),))
STEPS = {
    "good": ScriptStep(),
    "repeated in the text": ScriptStep(text=f"Your key is {KEY}, or {FORMS[2]}, or {FORMS[4]}."),
    "repeated as the model": ScriptStep(model=KEY),
    "wrong key, repeated": ScriptStep(status=401, echo_headers=True),
    "wrong key, shortened": ScriptStep(
        status=401, body=json.dumps({"error": {"message": f"Incorrect key {KEY[:12]}***"}})
    ),
    "server error, repeated": ScriptStep(status=500, echo_headers=True),
    "no reply": ScriptStep(body=f"garbage {KEY}"),
    "headers repeated": ScriptStep(echo_headers=True),
    "redirect to it": ScriptStep(status=302, location=f"http://127.0.0.1:9/{FORMS[2]}"),
    "refused": ScriptStep(refusal=f"No, {KEY}."),
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
def test_a_key_never_appears_in_logs_errors_or_outcomes(server, endpoint, caplog, capfd, name, stream):
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


def test_library_logs_contain_no_key_even_at_debug_level(server, endpoint, caplog):
    for name in ("openai", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)
    server.steps = (ScriptStep(),)
    ask(endpoint, Model("model", "model-1"), REQUEST)
    assert "httpcore2" in {record.name.partition(".")[0] for record in caplog.records}
    assert found_in(caplog.text) == []


def test_libraries_that_log_headers_are_silenced():
    levels = {name: settings.LOGGING["loggers"][name]["level"] for name in ("openai", "httpx2", "httpcore2")}
    assert set(levels.values()) == {"WARNING"}


def test_a_missing_key_fails_before_anything_is_sent(endpoint, monkeypatch, server):
    server.restart()
    for given in ("", "  ", "two\nlines", "schlüssel"):
        monkeypatch.setenv("SCRIPTED_KEY", given)
        with pytest.raises(CallError) as caught:
            ask(endpoint, Model("model", "model-1"), REQUEST)
        assert caught.value.kind == "no_key"
    assert server.calls == []


def test_an_endpoint_without_a_key_receives_no_other_key(endpoint, server):
    server.steps = (ScriptStep(),)
    server.restart()
    ask(replace(endpoint, key_name=""), Model("model", "model-1"), REQUEST)
    assert server.calls[0]["headers"]["authorization"] == "Bearer none"


@pytest.mark.parametrize("stream", [False, True])
def test_a_short_word_used_as_a_key_is_not_redacted(server, endpoint, monkeypatch, stream):
    monkeypatch.setenv("SCRIPTED_KEY", "none")
    server.steps = (ScriptStep(text="It names none of them."),)
    server.restart()
    model = Model("model", "model-1", supports=frozenset({"stream"}))
    outcome = ask(endpoint, model, REQUEST, on_text=(lambda text: None) if stream else None)
    assert outcome.text == "It names none of them."
    assert "[key]" not in outcome.raw
