"""The scripted server: its replies, its capacity, and how it ends."""

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType

import pytest

from llm.call_errors import CallError
from llm.client import ask
from llm.endpoints import Endpoint, Model
from llm.requests import Message, Request
from llm.scripted.script import ScriptInvalidError, ScriptStep, make_step, marked_steps, parse_script
from llm.scripted.server_thread import serving
from llm.scripted.token_logprobs import short_answers
from tests.house import ROOT

MODEL = Model("model", "model-1", supports=frozenset(("stream",)), logprobs=5)


def endpoint(base_url: str) -> Endpoint:
    return Endpoint(
        name="scripted", base_url=base_url, key_name="", models=MappingProxyType({}), in_flight=64,
        requests_per_minute=None, connect_timeout=5, read_timeout=10, deadline=20, attempts=4, longest_wait=0.02,
    )  # fmt: skip


def said(text: str) -> Request:
    return Request("scripted/model", (Message("user", text),))


def test_the_reply_depends_on_the_prompt_alone():
    with serving() as server:
        first = ask(endpoint(server.address), MODEL, said("<question>\nWhen does it sail? Say.\n</question>"))
        again = ask(endpoint(server.address), MODEL, said("<question>\nWhen does it sail? Say.\n</question>"))
        other = ask(endpoint(server.address), MODEL, said("<question>\nWhy?\n</question>"))
    assert first.text == again.text
    assert "When does it sail? Say." in first.text
    assert "Why?" in other.text


def test_an_answer_in_the_prompt_is_revised():
    prompt = "<answer>\nIt sails at nine [0].\n</answer>\n\n<request>\nBe brief. And kind.\n</request>"
    with serving() as server:
        assert ask(endpoint(server.address), MODEL, said(prompt)).text == (
            "It sails at nine [0].\n\nRevised as asked: Be brief."
        )


def test_marks_in_a_message_are_followed_in_turn():
    text = "Say it. [[status=429 retry_after=0.01]][[status=503]][[text=Good.]]"
    with serving() as server:
        outcome = ask(endpoint(server.address), MODEL, said(text))
        assert [one.status for one in outcome.attempts] == [429, 503, 200]
        assert ask(endpoint(server.address), MODEL, said("Say it.")).text != "Good."
        assert ask(endpoint(server.address), MODEL, said(text)).text == "Good."
        assert len(server.calls) == 5


def test_marks_in_the_name_of_a_model_are_followed():
    with serving() as server, pytest.raises(CallError) as caught:
        ask(endpoint(server.address), Model("m", "m[[refusal=No.]]"), said("Say it."))
    assert caught.value.kind == "refused"


def test_sixty_four_calls_are_served_at_once():
    with serving(ScriptStep(delay=0.5)) as server:
        with ThreadPoolExecutor(64) as threads:
            given = threads.map(lambda n: ask(endpoint(server.address), MODEL, said(f"Say {n}.")), range(64))
            texts = {one.text for one in given}
        assert len(texts) == 64
        assert server.most_at_once > 32


def test_calls_are_logged_one_per_line(tmp_path):
    with serving(log=tmp_path / "calls.jsonl") as server:
        for number in range(3):
            ask(endpoint(server.address), MODEL, said(f"Say {number}."))
    lines = [json.loads(line) for line in (tmp_path / "calls.jsonl").read_text().splitlines()]
    assert [line["number"] for line in lines] == [1, 2, 3]
    assert [line["asked"]["messages"][0]["content"] for line in lines] == ["Say 0.", "Say 1.", "Say 2."]


def test_the_program_follows_a_script_and_ends_on_sigterm(tmp_path):
    (tmp_path / "script.json").write_text('[{"status": 500}, {"text": "Good."}]')
    command = [sys.executable, "-m", "llm.scripted", "--port", "0", "--script", str(tmp_path / "script.json")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()
            outcome = ask(endpoint(address), MODEL, said("Say it."))
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()
    assert (outcome.text, len(outcome.attempts)) == ("Good.", 2)


def test_the_program_refuses_an_invalid_script(tmp_path):
    (tmp_path / "script.json").write_text('[{"colour": "blue"}]')
    command = [sys.executable, "-m", "llm.scripted", "--script", str(tmp_path / "script.json")]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 2
    assert "no step has 'colour'; known are status" in ended.stderr


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", '[{"status": "x"}]', '[{"delay": []}]'])
def test_an_invalid_script_is_refused(text):
    with pytest.raises(ScriptInvalidError):
        parse_script(text)


def test_steps_are_read_from_json_and_marks():
    assert make_step({"status": "429", "close": "true", "drip": "0.5", "body": {"a": 1}}) == ScriptStep(
        status=429, close=True, drip=0.5, body='{"a": 1}'
    )
    assert marked_steps("Nothing [0] here, nor [[1]].") == ()
    assert marked_steps("[[silent]] and [[finish=length text=Half]]") == (
        ScriptStep(silent=True),
        ScriptStep(finish="length", text="Half"),
    )


def test_short_answers_are_those_that_a_prompt_lists_last():
    assert list(short_answers("Say Yes or No, one of: 0 | 1 | 2\n\nAnswer:")) == ["0", "1", "2"]
    assert list(short_answers("one of: a | b\none of: Yes | No\n")) == ["Yes", "No"]
    assert list(short_answers("Is it Yes?")) == ["Yes", "No"]
    assert list(short_answers("How many? {one of: a | b}")) == ["1", "2", "3", "4", "5"]
