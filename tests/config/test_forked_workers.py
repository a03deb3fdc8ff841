"""Workers that are forks of one parent: started again, ended together, and never without it."""

import os
import re
import signal
import subprocess
import sys

import pytest

from tests.house import ROOT
from tests.ops.conftest import children_of, wait_for_the_end_of

PARENT = """
import os, signal, sys, time
from config import forked_workers
from config.forked_workers import Fork, ForkedWorkers
forked_workers.LOOK_EVERY = forked_workers.FIRST_WAIT = 0.05
forks = [Fork("a", wait=0.05), Fork("b", wait=0.05)]
say = lambda *words: os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # lines of two processes do not mix
queue = ForkedWorkers(forks).run()
if queue is None:
    say("parent ended")
    sys.exit(0)
signals = []
signal.signal(signal.SIGTERM, lambda number, frame: signals.append(number))
say(queue, os.getpid())
while not signals:
    time.sleep(0.05)
time.sleep(0.5)  # for a second signal
say(queue, "ended", len(signals))
"""


@pytest.fixture
def parent():
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    yield process
    process.kill()
    process.communicate()


def said(process, count=2):
    """The next lines of the workers, by queue."""
    return {queue: int(pid) for queue, pid in sorted(process.stdout.readline().split() for _ in range(count))}


def test_each_queue_has_a_process_of_its_own_below_one_parent(parent):
    pids = said(parent)
    assert sorted(pids) == ["a", "b"]
    assert sorted(pids.values()) == sorted(children_of(parent.pid))
    assert {os.getpgid(pid) for pid in pids.values()} == set(pids.values())  # Ctrl-C reaches only the parent


def test_a_killed_worker_starts_again_and_the_other_goes_on(parent):
    before = said(parent)
    os.kill(before["a"], signal.SIGKILL)
    again = said(parent, 1)
    assert again["a"] != before["a"]
    assert sorted(children_of(parent.pid)) == sorted([again["a"], before["b"]])
    line = parent.stderr.readline()
    assert re.fullmatch(r"The worker for a ended \(exit code -9\) and starts again in \d+ s\.\n", line)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_each_worker_is_asked_once_to_end_and_the_parent_waits_for_them(parent, number):
    said(parent)
    parent.send_signal(number)
    lines = parent.stdout.read().splitlines()
    assert sorted(lines[:2]) == ["a ended 1", "b ended 1"]
    assert lines[2:] == ["parent ended"]
    assert parent.wait(30) == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_no_worker_outlives_a_killed_parent(parent):
    pids = said(parent)
    parent.kill()
    wait_for_the_end_of(*pids.values())
