"""One command runs a test server as an endpoint, and pages say that what it answers comes from a script."""

import signal
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from llm.completions import queue_completion
from llm.door import complete
from llm.endpoints import find_model, is_scripted
from llm.management.commands.scripted_endpoint import made_known
from llm.models import Call
from llm.requests import Charge, Message, Request
from llm.scripted.server_thread import serving
from tests.house import ROOT

MARK = "scripted, not a language model"


@pytest.fixture
def file(settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    return settings.ENDPOINTS_FILE


@pytest.mark.thorough
def test_the_command_writes_the_file_of_endpoints_once_and_serves_both_apis(file, study, tmp_path):
    command = [sys.executable, "manage.py", "scripted_endpoint", "--port", "0", "--log", str(tmp_path / "log")]
    env = {"ENDPOINTS_FILE": str(file), "VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            lines = [process.stdout.readline() for _ in range(2)]
            assert "Wrote" in lines[0], lines
            assert "with the models scripted/chat and scripted/base" in lines[0]
            answers = [
                complete(Request(model, (Message("user", "Yes or No?"),), **more, max_tokens=1), Charge(study))
                for model, more in (
                    ("scripted/chat", {"top_logprobs": 20}),
                    ("scripted/base", {"top_logprobs": 5}),
                    ("scripted/base", {"continuation": " Yes"}),
                )
            ]
            process.send_signal(signal.SIGTERM)
            assert process.wait(20) == 0
        finally:
            process.kill()
    assert answers[0].text == answers[1].text in ("Yes", "No")
    assert {one.token for one in answers[0].logprobs[0].top} == {"Yes", "No"}
    assert (answers[2].text, answers[2].logprobs[-1].token) == (" Yes", " Yes")
    assert set(Call.objects.values_list("scripted", flat=True)) == {True}


def test_an_existing_file_is_not_changed(file):
    assert "Wrote" in made_known("http://127.0.0.1:9/v1")
    written = file.read_text()
    assert made_known("http://127.0.0.1:9/v1").endswith("has the models scripted/chat, scripted/base.")
    with pytest.raises(CommandError, match="with another address"):
        made_known("http://127.0.0.1:10/v1")
    assert file.read_text() == written
    file.write_text("endpoints: {}\n")
    assert f"Add these lines under `endpoints:` in {file}" in made_known("http://127.0.0.1:9/v1")
    assert file.read_text() == "endpoints: {}\n"
    file.write_text("endpoints: [")
    with pytest.raises(CommandError, match="is not valid YAML"):
        made_known("http://127.0.0.1:9/v1")


def test_a_port_or_script_that_cannot_be_used_is_reported(file, tmp_path):
    with serving() as server, pytest.raises(CommandError, match=r"Port \d+ cannot be used"):
        call_command("scripted_endpoint", port=server.server_address[1])
    with pytest.raises(CommandError, match="No such file"):
        call_command("scripted_endpoint", script=tmp_path / "none")
    assert not file.exists()


def test_every_page_that_names_a_scripted_endpoint_says_so(file, client, study, owner):
    with serving() as server:
        made_known(server.address)
        call = complete(Request("scripted/chat", (Message("user", "Say it."),)), Charge(study)).call
    trial = queue_completion(Request("scripted/chat", (Message("user", "Say it."),)), Charge(study, step="try"))
    client.force_login(owner)
    pages = dict.fromkeys(("", "calls/", f"calls/{call.pk}/", f"trials/{trial.pk}/"), "")
    for path in pages:
        pages[path] = client.get(f"/studies/study/models/{path}").content.decode()
        assert MARK in pages[path], path
    overview = pages[""]
    assert overview.count(MARK) == 1 + 2 + 1  # the endpoint, the two choices, the trial
    file.write_text("endpoints: {}\n")  # what the ledger knows stays true when the endpoint is gone
    assert not is_scripted("scripted/chat")
    for path in ("calls/", f"calls/{call.pk}/"):
        assert MARK in client.get(f"/studies/study/models/{path}").content.decode()


def test_an_ordinary_endpoint_is_not_marked(file):
    made_known("http://127.0.0.1:9/v1")
    file.write_text(file.read_text().replace("    scripted: true\n", ""))
    assert not find_model("scripted/chat")[0].scripted
    assert not is_scripted("scripted/chat")
