"""A process that hangs is ended, so that what runs it starts it again; one that only waits is left alone."""

import http.server
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from config import health_check
from config.health_check import Health, health_of, main
from config.hung_process import HungProcess, ancestors, descendants
from config.models import Worker
from tests.ops.conftest import has_ended

pytestmark = pytest.mark.quick
IGNORES_TERM = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(300)"
SLEEPS = "import time; print(flush=True); time.sleep(300)"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A function that starts a program and waits until it runs; counts are in a folder of the test's own."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    started = []

    def start(*words: str) -> subprocess.Popen:
        process = subprocess.Popen([sys.executable, "-c", *words], stdout=subprocess.PIPE)
        started.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in started:
        for pid in (*descendants(process.pid), process.pid):
            if process.poll() is None:
                os.kill(pid, signal.SIGKILL)
        process.wait(30)
        process.stdout.close()


def test_a_process_is_ended_when_it_hangs_often_enough_in_a_row(program):
    process = program(SLEEPS)
    hung = HungProcess(process.pid)
    for hangs in (True, True, False, True, True):
        hung.note(hangs, 3)
    assert hung.counted() == 2
    assert process.poll() is None
    hung.note(True, 3)
    assert process.wait(30) == -signal.SIGTERM


def test_a_process_that_ignores_it_is_killed_with_what_it_started(program):
    process = program(PARENT, IGNORES_TERM)
    (child,) = descendants(process.pid)
    hung = HungProcess(process.pid)
    os.kill(process.pid, signal.SIGSTOP)  # as a process that hands the signal on and waits for its child
    os.waitpid(process.pid, os.WUNTRACED)  # until it has stopped: SIGTERM would end it before that
    hung.note(True, 1)
    assert process.poll() is None
    hung.note(True, 1)
    assert process.wait(30) == -signal.SIGKILL
    for _ in range(200):
        if has_ended(child):
            break
        time.sleep(0.05)
    else:
        raise AssertionError("the child still runs")


def test_counting_begins_again_with_another_process_of_the_same_id(program, monkeypatch):
    process = program(SLEEPS)
    hung = HungProcess(process.pid)
    hung.note(True, 3)
    hung.note(True, 3)
    monkeypatch.setattr(HungProcess, "identity", lambda self: "later")
    assert hung.counted() == 0
    hung.note(True, 3)
    assert hung.counted() == 1
    assert process.poll() is None


def test_a_damaged_count_is_no_count(program):
    process = program(SLEEPS)
    hung = HungProcess(process.pid)
    hung.file.write_text("{")
    assert hung.counted() == 0


def test_the_check_never_ends_itself(program):
    assert os.getpid() in ancestors(os.getpid())
    assert not set(descendants(os.getppid())) & ancestors(os.getpid())


class Answering(http.server.BaseHTTPRequestHandler):
    """A web server that is not ready."""

    def do_GET(self):
        self.send_response(503)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def unready_site():
    server = http.server.HTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_a_web_server_that_is_not_ready_does_not_hang(unready_site):
    assert health_of("web", unready_site) is Health.WAITING
    assert main(["web", str(unready_site)]) == 1
    assert main(["web", str(unready_site), "--alive"]) == 0


def test_a_web_server_that_takes_connections_and_answers_nothing_hangs(monkeypatch):
    monkeypatch.setattr(health_check, "READY_TIME", 0.2)
    monkeypatch.setattr(health_check, "ANSWER_TIME", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert health_of("web", port) is Health.HUNG
        assert main(["web", str(port), "--alive"]) == 1


@pytest.mark.django_db
def test_a_worker_without_heartbeats_hangs_only_if_the_database_answers(monkeypatch):
    assert health_of("calls", None) is Health.HUNG
    monkeypatch.setattr(health_check, "worker_is_alive", lambda queue: (_ for _ in ()).throw(OperationalError("away")))
    assert health_of("calls", None) is Health.WAITING


@pytest.mark.django_db
def test_a_worker_of_this_machine_with_a_heartbeat_is_well(monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "here")
    now = timezone.now()
    worker = Worker.objects.create(name="here:1:calls", queues="calls", started_at=now, seen_at=now)
    assert health_of("calls", None) is Health.WELL
    assert health_of("jobs", None) is Health.HUNG
    assert health_of("workers", None) is Health.HUNG
    Worker.objects.create(name="here:2:jobs", queues="jobs", started_at=now, seen_at=now)
    assert health_of("workers", None) is Health.WELL
    Worker.objects.filter(pk=worker.pk).update(seen_at=now - timedelta(minutes=2))
    assert health_of("calls", None) is Health.HUNG


def test_root_ends_nothing(program, monkeypatch):
    process = program(SLEEPS)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(health_check, "health_of", lambda what, port: Health.HUNG)
    assert main(["web", "1", "--end", str(process.pid), "--after", "1"]) == 1
    monkeypatch.setattr(os, "geteuid", lambda: 10001)
    assert process.poll() is None
    assert main(["web", "1", "--end", str(process.pid), "--after", "1"]) == 1
    assert process.wait(30) == -signal.SIGTERM


INIT = """
# Runs a program again each time that it ends, as Docker does with `restart: unless-stopped`.
while :; do
  {python} -c '{program}' &
  echo $! > {folder}/pid; echo started >> {folder}/starts; wait $!
done
"""


@pytest.mark.skipif(shutil.which("sh") is None, reason="sh is missing")
def test_a_hung_program_runs_again_after_its_check_has_ended_it(tmp_path, monkeypatch, program):
    starts, pid = tmp_path / "starts", tmp_path / "pid"
    text = INIT.format(python=sys.executable, program="import time; time.sleep(300)", folder=tmp_path)
    runner = subprocess.Popen(["sh", "-c", text], start_new_session=True)
    monkeypatch.setattr(os, "geteuid", lambda: 10001)
    monkeypatch.setattr(health_check, "health_of", lambda what, port: Health.HUNG)
    try:
        for times in (1, 2):
            for _ in range(400):
                if starts.exists() and starts.read_text().count("\n") == times and pid.read_text().strip():
                    break
                time.sleep(0.05)
            assert starts.read_text().count("\n") == times
            for _ in range(2):
                main(["web", "1", "--end", pid.read_text().strip(), "--after", "2"])
    finally:
        os.killpg(runner.pid, signal.SIGKILL)
        runner.wait(30)
