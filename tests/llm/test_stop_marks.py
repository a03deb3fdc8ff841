"""Stops, and keys in the ledger, with the real client and a scripted server."""

import base64
import threading
import time
from contextlib import suppress
from urllib.parse import quote

import pytest
from django.db import connections

from llm import stop_marks
from llm.call_errors import CallError, StoppedError
from llm.door import complete
from llm.models import Call
from llm.requests import Charge
from llm.scripted.script import ScriptStep
from llm.scripted.server import ScriptedServer
from tests.llm.calls import asked, write_endpoints

CANARY = "sk-canary/Key+0123456789"


@pytest.fixture
def server(settings, tmp_path, monkeypatch):
    monkeypatch.setenv("CAMPUS_KEY", CANARY)
    with ScriptedServer() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        path = write_endpoints(settings, tmp_path, deadline=30, more="attempts: 1\n    key: CAMPUS_KEY")
        path.write_text(path.read_text().replace("http://127.0.0.1:9/v1", running.address))
        yield running
        running.ending.set()
        running.shutdown()
        thread.join(timeout=10)


def test_a_stop_ends_a_running_stream(transactional_db, study, owner, server):
    server.steps = (ScriptStep(), ScriptStep(length=2000, pause=0.2))
    complete(asked(), Charge(study), on_text=lambda text: None)  # a first reply is shown when it is complete
    seen = []

    def stop_soon():
        while not seen:
            time.sleep(0.05)
        stop_marks.stop(study, owner)
        connections.close_all()

    stopper = threading.Thread(target=stop_soon)
    stopper.start()
    with pytest.raises(StoppedError) as raised:
        complete(asked(), Charge(study), on_text=seen.append)
    stopper.join(timeout=10)
    call = Call.objects.latest("pk")
    assert (call.status, call.kind) == ("stopped", "stopped")
    assert call.text == raised.value.partial != ""
    assert len(server.calls) == 2


@pytest.mark.parametrize(
    "step", [ScriptStep(echo_headers=True), ScriptStep(status=500, echo_headers=True), ScriptStep(text=CANARY)]
)
def test_the_ledger_never_contains_the_key(transactional_db, study, server, step):
    server.steps = (step,)
    with suppress(CallError):
        complete(asked(), Charge(study))
    assert CANARY in str(server.calls[0]["headers"])
    kept = "".join(str(value) for value in Call.objects.values_list().get())
    for form in (CANARY, base64.b64encode(CANARY.encode()).decode(), quote(CANARY, safe=""), quote(CANARY)):
        assert form not in kept
