"""Workers end on a signal."""

import subprocess
import sys

import pytest
from celery.fixups.django import DjangoWorkerFixup

from config.celery import app
from tests.house import ROOT

STUCK = """
import signal, threading, time
from config import worker
lock = threading.Lock()
lock.acquire()
signal.signal(signal.SIGTERM, lambda number, frame: lock.acquire())
worker.end_after_signal(0.1)
signal.signal(signal.SIGCHLD, lambda number, frame: None)
signal.raise_signal(signal.SIGCHLD)  # ends nothing
print("ready", flush=True)
time.sleep(300)
"""
"""A handler that waits for a lock of its own thread, as Celery's does while it puts work into the pool's queue."""


def test_a_worker_ends_even_if_the_handler_of_the_signal_never_returns():
    process = subprocess.Popen([sys.executable, "-c", STUCK], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        assert process.wait(60) == 1
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_thread_keeps_its_database_connection_from_row_to_row(monkeypatch):
    """Celery would close it before and after each message."""
    fixup = DjangoWorkerFixup(app)
    monkeypatch.setattr(fixup, "_close_database", lambda: pytest.fail("closed"))
    for _ in range(3):
        fixup.close_database()


HEAVY_PACKAGES = {"numpy", "scipy", "bm25s", "faiss", "torch", "nltk", "openai", "pypdf", "ruamel"}
"""Packages that only work needs: each takes a megabyte or more of every worker that has loaded it."""


def test_an_idle_worker_has_loaded_nothing_that_computes():
    code = (
        "import sys, django; django.setup(); from config import worker; worker.load(); "
        f"print(sorted({HEAVY_PACKAGES} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL
    )
    assert done.stdout.strip() == "[]"
