"""A scripted endpoint, and a thread that works as a worker does, for tests of pages on which models answer."""

import threading
from contextlib import contextmanager

from django.db import connections
from django.urls import resolve

from config.background.claiming import run_waiting
from judges.background.run_upkeep import settle_runs
from judges.run_context import run_context
from llm.scripted.script import ScriptStep
from llm.scripted.server_thread import serving
from parts.preparing.background.step_upkeep import end_steps

ENDPOINTS = """
endpoints:
  scripted:
    base_url: {address}
    scripted: true
    in_flight: 4
    models:
"""


@contextmanager
def scripted_server(settings, folder, delay, **models):
    """Serve models, {name: what it supports}, that fill in forms, slowly enough to be watched."""
    resolve("/")  # imports every app here, and not within the time that a browser waits for its first page
    run_context.cache_clear()
    settings.VAR = folder
    with serving(ScriptStep(delay=delay)) as scripted:
        lines = [f"      {name}: {{price_in: 1, price_out: 2, supports: {does}}}\n" for name, does in models.items()]
        settings.ENDPOINTS_FILE = folder / "endpoints.yaml"
        address = f"http://127.0.0.1:{scripted.server_port}/v1"
        settings.ENDPOINTS_FILE.write_text(ENDPOINTS.format(address=address) + "".join(lines))
        yield scripted


@contextmanager
def worker():
    """A thread that does what a worker does: it works off waiting rows, and ends runs and steps that are over."""
    over = threading.Event()

    def work():
        while not over.wait(0.1):
            run_waiting(2)
            settle_runs()
            end_steps()
        connections.close_all()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(30)
