"""Calls with the real client and a scripted server: what the ledger stores."""

import pytest

from llm.call_errors import CallError
from llm.door import complete
from llm.models import Call
from llm.requests import Charge, Message, PromptReference, Request
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving

FILE = """endpoints:
  scripted:
    base_url: {address}
    key: SCRIPTED_KEY
    deadline: 5
    read_timeout: 1
    connect_timeout: 1
    attempts: 3
    longest_wait: 0.02
    models:
      model: {{asked: model-1, supports: [stream, json_schema], logprobs: 5, price_in: 1, price_out: 2}}
"""
KEY = "canary-key-of-the-door"


@pytest.fixture
def server(settings, tmp_path, monkeypatch):
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    with serving() as running:
        settings.ENDPOINTS_FILE.write_text(FILE.format(address=running.address))
        yield running


def request(text: str, **more) -> Request:
    mark = PromptReference("sessions/first", "1", "d" * 64)
    return Request("scripted/model", (Message("user", text),), mark, max_tokens=50, temperature=0.5, **more)


def test_the_ledger_stores_a_call_with_its_attempts(server, study, owner):
    texts = []
    asked = request("Say. [[status=429]][[text=Nine_it_is. pause=0.01]]", top_logprobs=2)
    reply = complete(asked, Charge(study, person=owner, work="turn:1"), on_text=texts.append)
    assert reply.text == texts[-1] == "Nine_it_is."
    call = Call.objects.get()
    assert (call.status, call.text, call.finish_reason) == (Call.Status.ANSWERED, "Nine_it_is.", "stop")
    assert (call.endpoint, call.model_asked, call.model_returned, call.other_model) == (
        "scripted", "model-1", "model-1", False
    )  # fmt: skip
    assert [(one["status"], one["ended"]) for one in call.attempts] == [(429, "rate_limited"), (200, "answered")]
    assert (call.tokens_in, call.tokens_out, call.requests) == (3, 1, 2)
    assert call.raw.rstrip().endswith("data: [DONE]")
    assert len(call.logprobs) == 1
    assert KEY not in str(vars(call))


FAULTS = {
    "[[status=500]]": ("failed", "server_error", 3),
    "[[refusal=No.]]": ("refused", "refused", 1),
    "[[finish=length text=Half]]": ("truncated", "truncated", 1),
    "[[finish=content_filter]]": ("filtered", "filtered", 1),
    "[[body=garbage]]": ("failed", "bad_reply", 3),
    "[[status=401 echo_headers]]": ("failed", "rejected", 1),
    "[[close]]": ("failed", "unreachable", 3),
}


@pytest.mark.parametrize("mark", FAULTS)
def test_a_failed_call_is_stored_with_its_status_and_kind(server, study, owner, mark):
    with pytest.raises(CallError):
        complete(request(mark), Charge(study, person=owner))
    call = Call.objects.get()
    assert (call.status, call.kind, len(call.attempts)) == FAULTS[mark]
    assert call.reason
    assert KEY not in str(vars(call))


def test_a_fenced_reply_is_parsed_in_the_same_way_from_the_cache(server, study):
    server.steps = (ScriptStep(text='```json\n{"score": 4}\n```'),)
    server.restart()
    asked = request("Judge.", schema={"type": "object"})
    replies = [complete(asked, Charge(study), cache=True) for _ in range(2)]
    assert [(reply.parsed, reply.call.status) for reply in replies] == [
        ({"score": 4}, one) for one in ("answered", "cached")
    ]
    assert len(server.calls) == 1
