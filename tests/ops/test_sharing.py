"""Web processes share their load: what waits for a busy one is taken over by the others, and nothing is lost."""

import http.client
import os
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from tests.load.server import ROOT, free_port
from tests.ops.conftest import clean_environment

PATIENCE = 90
"""Seconds for which a test waits for what must happen; no test measures how long it took."""


@pytest.fixture
def shared(tmp_path):
    """The port of a web server of two processes with one thread each, and the folder in which they tell."""
    port, told = free_port(), tmp_path / "told"
    told.mkdir()
    env = clean_environment(VAR=str(tmp_path / "var")) | {
        "TOLD": str(told), "DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    command = [
        sys.executable, "-m", "gunicorn", "tests.ops.telling_worker:application", "--bind", f"127.0.0.1:{port}",
        "--worker-class", "tests.ops.telling_worker.TellingWorker", "--workers", "2", "--threads", "1",
        "--keep-alive", "75", "--no-control-socket", "--log-level", "error", "--graceful-timeout", "5",
    ]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, env=env) as process:
        until(lambda: len([name for name in os.listdir(told) if name.isdigit()]) == 2)
        yield port, told
        (told / "go-on").touch()
        process.terminate()


def until(holds) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def ask(connection, path="/") -> None:
    connection.request("GET", path)


def answered(connection) -> tuple[str, bool]:
    """Which process has answered, and whether it closes the connection."""
    response = connection.getresponse()
    assert response.status == 200
    return response.read().decode(), response.will_close


@pytest.mark.thorough
def test_another_process_takes_what_comes_while_one_has_more_requests_than_threads(shared):
    port, told = shared
    with ExitStack() as opened:

        def connect():
            made = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            opened.callback(made.close)
            return made

        of_process: dict[str, list] = {}
        for _ in range(5):  # of five kept connections to two processes, one process has three
            made = connect()
            ask(made)
            process, closes = answered(made)
            assert not closes
            until(lambda process=process: (told / process).read_text() == "0")  # its thread waits for the next request
            of_process.setdefault(process, []).append(made)
        busy, (held, *waiting) = next((name, made[:3]) for name, made in of_process.items() if len(made) > 2)
        for count, (connection, path) in enumerate([(held, "/hold"), *((one, "/") for one in waiting)], 1):
            ask(connection, path)
            until(lambda count=count: (told / busy).read_text() == str(count))
        for _ in range(10):
            new = connect()
            ask(new)
            assert answered(new)[0] != busy
        (told / "go-on").touch()
        assert answered(held)[0] == busy
        assert answered(waiting[0]) == (busy, True)  # another request waited for the thread behind it
        assert answered(waiting[1])[0] == busy
        until(lambda: (told / busy).read_text() == "0")
        for connection in (held, *waiting):  # the client connects again where the server has closed
            ask(connection)
            answered(connection)
