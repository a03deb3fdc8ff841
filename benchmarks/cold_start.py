"""Processor time that starting the web server and the workers takes, until they answer or serve.

    python -m benchmarks.cold_start [--runs 5]

Starts both on a new database in a temporary folder, with the options of `docker-compose.yml`, and reads the processor
time of each process when it is ready. The first run is not counted: it reads files that nobody has read yet.
"""

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from benchmarks.memory import ROOT, free_port, processes

TICKS = os.sysconf("SC_CLK_TCK")
LONGEST = 60.0
WEB = ("gunicorn", "config.wsgi", "--worker-class", "config.buffering_worker.BufferingWorker", "--workers", "1",
       "--threads", "2", "--no-control-socket", "--log-level", "error")  # fmt: skip
WORKERS = ("config.worker", "calls", "jobs")


def processor_seconds(pid: int) -> float:
    """Return the user and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


def serves(port: int, environment: dict[str, str]) -> bool:
    check = [sys.executable, "-m", "config.health_check", "workers"]
    return subprocess.run(check, cwd=ROOT, env=environment, capture_output=True, check=False).returncode == 0


def started(words: list[str], environment: dict[str, str], port: int) -> tuple[float, float]:
    """Return the processor time of the first process and of those that it has forked, once they are ready."""
    began = time.monotonic()
    server = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
    try:
        while not (answers(port) if "gunicorn" in words else serves(port, environment)):
            if time.monotonic() - began > LONGEST or server.poll() is not None:
                raise SystemExit(f"{words[0]} did not start.")
            time.sleep(0.05)
        below = [pid for pid, depth, _ in processes(server.pid) if depth]
        return processor_seconds(server.pid), sum(map(processor_seconds, below))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory(prefix="interrater-cold-") as folder:
        environment = {**os.environ, "VAR": folder, "LOG_LEVEL": "ERROR", "DJANGO_SETTINGS_MODULE": "config.settings"}
        for name in ("DATABASE_URL", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        for step in (["migrate", "-v0"], ["collectstatic", "--noinput", "-v0"]):
            subprocess.run([sys.executable, "manage.py", *step], cwd=ROOT, env=environment, check=True)
        print("seconds of processor time, median (least): the process that loads; those that it forks")
        port = free_port()
        for name, words in (("web server", [*WEB, "--bind", f"127.0.0.1:{port}"]), ("workers", [*WORKERS])):
            times = [started(words, environment, port) for _ in range(runs + 1)]
            for which, label in enumerate(("loads", "forked")):
                seen = [one[which] for one in times[1:]]
                print(f"{name}, {label}: {statistics.median(seen):.2f} ({min(seen):.2f})", flush=True)


if __name__ == "__main__":
    main()
