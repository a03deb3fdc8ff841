"""Start our own workers, broker and scripted endpoint, and kill or end them by process id."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import redis

from tests.load.server import ROOT, free_port

MODEL = "scripted/plain"


@contextmanager
def own_redis(folder: Path) -> Iterator[str]:
    """Yield the URL of a new Redis server that stores nothing on disk."""
    with redis_process(folder) as (url, _):
        yield url


@contextmanager
def redis_process(folder: Path) -> Iterator[tuple[str, subprocess.Popen]]:
    """The same with its process, which a test may stop."""
    port, program = free_port(), shutil.which("redis-server")
    assert program, "redis-server is not installed"
    server = subprocess.Popen(
        [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)],
        stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        client = redis.Redis(port=port)
        until = time.monotonic() + 10
        while True:
            try:
                client.ping()
                break
            except redis.ConnectionError:
                assert time.monotonic() < until, "redis-server did not start"
                time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0", server
    finally:
        server.send_signal(signal.SIGCONT)
        server.terminate()
        server.wait(10)


@dataclass
class Process:
    """A Python module that runs in a process group of its own."""

    arguments: list[str]
    env: dict[str, str]
    log: Path
    process: subprocess.Popen | None = field(default=None, repr=False)

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.arguments], cwd=ROOT, env=self.env, stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True,
            )  # fmt: skip

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.process is None:
            return
        if self.process.poll() is None:
            os.killpg(self.process.pid, how)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)

    def kill(self) -> None:
        """Kill the process and everything it started at once, as a power cut would."""
        self.end(signal.SIGKILL)


@dataclass
class Served:
    """A scripted endpoint: its address, and the file to which it writes each request."""

    address: str
    log: Path


@contextmanager
def scripted_server(folder: Path, delay: float, **step: object) -> Iterator[Served]:
    """Run an OpenAI-compatible endpoint that echoes each request after `delay` seconds."""
    script, log = folder / "script.json", folder / "asked.jsonl"
    script.write_text(json.dumps([{"delay": delay, **step}]))
    log.touch()
    server = subprocess.Popen(
        [sys.executable, "-m", "llm.scripted", "--port", "0", "--script", str(script), "--log", str(log)],
        cwd=ROOT, env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "VAR": str(folder)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        assert server.stdout is not None
        yield Served(server.stdout.readline().strip(), log)
    finally:
        server.terminate()
        server.communicate(timeout=20)


def endpoints_file(path: Path, address: str, in_flight: int, **more: object) -> None:
    """Write an endpoints file that serves the model `scripted/plain` from `address`. JSON is valid YAML."""
    model = {"asked": "plain", "context": 100_000, "price_in": 1, "price_out": 2, "supports": ["stream"]}
    endpoint = {"base_url": address, "in_flight": in_flight, "models": {"plain": model}, **more}
    path.write_text(json.dumps({"endpoints": {"scripted": endpoint}}))
