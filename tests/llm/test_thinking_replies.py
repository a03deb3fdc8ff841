"""Calls to models that think: the answer, what is shown of it, and what the ledger keeps, with the real client."""

import json

import pytest

from annotation.blinded_rows import OF_CALLS
from llm.call_errors import BadReplyError, CallError, TruncatedError
from llm.door import complete
from llm.models import Call, ModelState
from llm.requests import Charge, Message, Request
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving

FILE = """endpoints:
  campus:
    base_url: {address}
    deadline: 5
    read_timeout: 1
    connect_timeout: 1
    attempts: 2
    longest_wait: 0.02
    models:
      model: {{asked: {asked}, price_in: 1, price_out: 2, supports: [stream, json_schema], logprobs: 5{more}}}
"""
SECRET = "I am Gemma, made by a lab. I would say 2, but no."
ANSWER = "The ferry sails at nine [0]. It is a small boat."
MARKED, UNOPENED = f"<think>\n{SECRET}\n</think>\n\n{ANSWER}", f"{SECRET}\n</think>\n\n{ANSWER}"
pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    with serving() as running:

        def say(*steps, asked="model-1", more=""):
            running.steps = tuple(ScriptStep(**step) for step in steps)
            running.restart()
            settings.ENDPOINTS_FILE.write_text(FILE.format(address=running.address, asked=asked, more=more))
            return running

        yield say


@pytest.fixture
def every_piece(monkeypatch):
    """All pieces of a stream are shown, however fast they come."""
    monkeypatch.setattr("llm.client.single_request.SHOW_EVERY", 0)


def ask(study, *, stream=False, **more):
    """The reply or the error of a call, and all texts that were shown."""
    shown = []
    try:
        request = Request("campus/model", (Message("user", "When?"),), **{"max_tokens": 64, **more})
        return complete(request, Charge(study), on_text=shown.append if stream else None), shown
    except CallError as problem:
        return problem, shown


def body(content, finish="stop", **message):
    choice = {"index": 0, "message": {"content": content, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 1, "completion_tokens": 1}
    return {"body": json.dumps({"model": "model-1", "choices": [choice], "usage": usage})}


def pieces(*deltas, finish="stop"):
    lines = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    lines.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    text = "".join(f"data: {json.dumps(line)}\n\n" for line in lines) + "data: [DONE]\n\n"
    return {"body": text, "content_type": "text/event-stream"}


WHOLE = {
    "marked": body(MARKED),
    "without a beginning": body(UNOPENED),
    "in a field": body(ANSWER, reasoning_content=SECRET),
    "in two fields": body(ANSWER, reasoning=SECRET, reasoning_details=[{"type": "reasoning.text", "text": SECRET}]),
    "in parts": body(
        [{"type": "thinking", "thinking": [{"type": "text", "text": SECRET}]}, {"type": "text", "text": ANSWER}]
    ),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", WHOLE)
def test_what_a_model_thinks_is_kept_in_the_ledger_alone(server, study, kind, stream):
    server(WHOLE[kind])
    reply, shown = ask(study, stream=stream)
    assert reply.text == ANSWER
    assert shown == ([ANSWER] if stream else [])
    call = Call.objects.get()
    assert (call.text, call.thinking, call.status) == (ANSWER, SECRET, "answered")


STREAMS = {
    "marked": pieces(*({"content": sign} for sign in MARKED)),
    "a mark in two pieces": pieces({"content": "<thi"}, {"content": f"nk>{SECRET}</th"}, {"content": f"ink>{ANSWER}"}),
    "in a field": pieces(
        {"reasoning_content": SECRET[:9], "content": None}, {"reasoning_content": SECRET[9:]}, {"content": ANSWER}
    ),
    "in parts": pieces(
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": SECRET}]}]}, {"content": ANSWER}
    ),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_nothing_of_it_is_shown_while_a_reply_arrives(server, study, every_piece, kind):
    server(STREAMS[kind])
    reply, shown = ask(study, stream=True)
    assert reply.text == ANSWER
    assert shown[-1] == ANSWER
    assert [text for text in shown if not ANSWER.startswith(text)] == []
    assert Call.objects.get().thinking == SECRET


def test_a_model_that_thinks_without_a_beginning_is_shown_when_it_is_done(server, study, every_piece):
    step = pieces(*({"content": sign} for sign in UNOPENED))
    server(step)
    ask(study)  # nobody watches, and it shows how the model thinks
    assert ModelState.objects.get().unopened
    reply, shown = ask(study, stream=True)
    assert reply.text == ANSWER
    assert [text for text in shown if not ANSWER.startswith(text)] == []


@pytest.mark.parametrize("asked", ["deepseek/deepseek-r1", "Qwen/Qwen3-32B", "lab/small-thinking"])
def test_a_model_of_a_family_that_thinks_is_not_shown_before_its_first_reply_is_complete(
    server, study, every_piece, asked
):
    server(pieces(*({"content": sign} for sign in UNOPENED)), asked=asked)
    assert all(ANSWER.startswith(text) for text in ask(study, stream=True)[1])
    server(pieces(*({"content": sign} for sign in ANSWER)), asked=f"{asked}-other")
    assert [ask(study, stream=True)[1] for _ in range(2)] == [[ANSWER], [ANSWER]]  # the next one may be thinking
    server(pieces(*({"content": sign} for sign in UNOPENED)), asked=f"{asked}-other")
    assert all(ANSWER.startswith(text) for text in ask(study, stream=True)[1])


def test_the_first_reply_of_a_model_of_any_name_is_shown_when_it_is_complete(server, study, every_piece):
    server(pieces(*({"content": sign} for sign in UNOPENED)), asked="campus-model")
    assert all(ANSWER.startswith(text) for text in ask(study, stream=True)[1])
    server(pieces(*({"content": sign} for sign in ANSWER)), asked="campus-model-2")
    assert ask(study, stream=True)[1] == [ANSWER]
    assert len(ask(study, stream=True)[1]) > len(ANSWER) / 2


ENDS = {
    "max_tokens": "truncated",
    "MAX_TOKENS": "truncated",
    "max_output_tokens": "truncated",
    "model_length": "truncated",
    "LENGTH": "truncated",
    "SAFETY": "filtered",
    "RECITATION": "filtered",
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("finish", ENDS)
def test_a_reply_that_was_cut_off_is_no_answer_whatever_its_provider_calls_that(server, study, finish, stream):
    server(pieces({"content": ANSWER}, finish=finish) if stream else body(ANSWER, finish=finish))
    assert ask(study, stream=stream)[0].kind == ENDS[finish]


def test_a_stream_that_is_called_plain_text_is_a_stream(server, study, every_piece):
    server(STREAMS["marked"] | {"content_type": "text/plain; charset=utf-8"})
    reply, shown = ask(study, stream=True)
    assert (reply.text, len(shown) > 10) == (ANSWER, True)


def test_own_forms_of_a_model_are_read_from_the_file(server, study, every_piece):
    server(
        pieces({"content": f"<plan>{SECRET}</"}, {"content": f"plan>{ANSWER}"}),
        more=", thinking: [{begins: <plan>, ends: </plan>}]",
    )
    reply, shown = ask(study, stream=True)
    assert (reply.text, shown) == (ANSWER, [ANSWER])
    server(pieces(*({"content": sign} for sign in UNOPENED)), more=", thinking: [{ends: </think>}]")
    assert all(ANSWER.startswith(text) for text in ask(study, stream=True)[1])


@pytest.mark.parametrize("asked", ["model-1", "deepseek-r1"])
def test_thinking_that_is_cut_off_is_no_answer_and_is_not_shown(server, study, every_piece, asked):
    server(pieces({"content": f"<think>{SECRET}"}, finish="length"), asked=asked)
    error, shown = ask(study, stream=True)
    assert isinstance(error, TruncatedError)
    assert (error.partial, shown) == ("", [])
    assert (Call.objects.get().text, Call.objects.get().thinking) == ("", SECRET)


def test_thinking_of_a_family_that_is_cut_off_before_any_mark_is_not_shown(server, study, every_piece):
    server(pieces({"content": SECRET}, finish="length"), asked="deepseek-r1")
    error, shown = ask(study, stream=True)
    assert (error.kind, error.partial, shown) == ("truncated", "", [])
    assert Call.objects.get().thinking == SECRET


def test_a_reply_with_thinking_and_no_answer_is_asked_for_again(server, study):
    server(body(None, reasoning_content=SECRET), body(ANSWER))
    assert ask(study)[0].text == ANSWER
    server(body(f"<think>{SECRET}</think>"))
    error, _ = ask(study)
    assert isinstance(error, BadReplyError)
    assert "it has thinking but no answer" in error.reason
    assert len(Call.objects.latest("pk").attempts) == 2


def test_a_structured_reply_is_read_without_its_thinking(server, study):
    server(body(f'<think>{SECRET} {{"score": 2}}</think>\n{{"score": 4}}'))
    reply, _ = ask(study, schema={"type": "object"})
    assert reply.parsed == {"score": 4}


def test_log_probabilities_are_those_of_the_answer(server, study):
    tokens = ["<think>", "hm", "</think>", "\n\n", "Yes"]
    entries = [{"token": one, "logprob": -0.5, "top_logprobs": [{"token": one, "logprob": -0.5}]} for one in tokens]
    given = json.loads(body("".join(tokens), finish="length")["body"])
    given["choices"][0]["logprobs"] = {"content": entries}
    server({"body": json.dumps(given)}, more=", thinking_tokens: 50")
    reply, _ = ask(study, top_logprobs=1, max_tokens=1)
    assert [one.token for one in reply.logprobs] == ["Yes"]
    assert reply.text == "Yes"


def test_thinking_is_hidden_from_people_who_must_not_know_the_model():
    assert {"thinking", "raw", "detail"} <= set(OF_CALLS)


def test_a_researcher_sees_it_on_the_page_of_the_call(server, client, owner, study):
    server(body(MARKED))
    ask(study)
    client.force_login(owner)
    page = client.get(f"/studies/study/models/calls/{Call.objects.get().pk}/").content.decode()
    assert "Thinking before the answer" in page
    assert SECRET in page
