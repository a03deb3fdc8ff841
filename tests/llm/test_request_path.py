"""The id of a request leads from a page through background work to the model's endpoint, the ledger and the log."""

import json
import logging
from io import StringIO

import pytest

from config.background.claiming import run_waiting
from config.log_lines import JSONLineFormatter
from llm.models import Call, Completion
from llm.scripted.server_thread import serving

FILE = """endpoints:
  scripted:
    base_url: {address}
    deadline: 5
    read_timeout: 1
    connect_timeout: 1
    attempts: 3
    longest_wait: 0.02
    models:
      model: {{asked: model-1, supports: [stream], price_in: 1, price_out: 2}}
"""
FORM = {"model": "scripted/model", "question": "When? [[text=At_nine.]]", "text": "At nine.", "longest": "10"}


@pytest.fixture
def server(settings, tmp_path):
    settings.ENDPOINTS_FILE = tmp_path / "endpoints.yaml"
    with serving() as running:
        settings.ENDPOINTS_FILE.write_text(FILE.format(address=running.address))
        yield running


@pytest.fixture
def log():
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JSONLineFormatter())
    root, before = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield written
    root.removeHandler(handler)
    root.setLevel(before)


def test_one_id_leads_from_the_page_to_the_model_and_back(client, owner, study, server, log):
    client.force_login(owner)
    page = client.post("/studies/study/models/trials/", FORM)
    assert page.status_code == 302
    ours = page["X-Request-Id"]
    assert run_waiting() == 1
    row, call = Completion.objects.get(), Call.objects.get()
    assert row.status == "done", row.reason
    assert (row.request_id, call.request_id, row.call) == (ours, ours, call)
    assert [one["headers"]["x-request-id"] for one in server.calls] == [ours]
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    [ended] = [line for line in lines if line["logger"] == "llm.ledger"]
    assert ended["request_id"] == ours
    assert ended["message"].startswith(f"Call {call.pk} to scripted/model for completion:{row.pk}: answered after ")


def test_work_of_a_command_sends_no_id(client, owner, study, server):
    client.force_login(owner)
    client.post("/studies/study/models/trials/", FORM)
    Completion.objects.update(request_id="")
    run_waiting()
    assert "x-request-id" not in server.calls[0]["headers"]
    assert Call.objects.get().request_id == ""
