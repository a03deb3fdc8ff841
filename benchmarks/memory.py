"""Memory of the processes that `make run` starts: idle, and after one visit to each main page by each web process.

    python -m benchmarks.memory [--rounds 6] [--settle 75]

Starts the launcher with the demo in a temporary folder, and a superuser. PSS (proportional set size) counts a page that
several processes share once, in parts, so that its sum is what all of them take. Memory is read after a while, because
a worker replaces a process that has computed only after a minute without work.
"""

import argparse
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?:href|hx-get)=\"(/[^\"#]*)")
MOST_PATHS = 150
"""Paths per person, so that one with many parameters does not take for ever."""
PATHS_PER_VIEW = 2


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


def pss(pid: int, part: str = "Pss") -> float:
    """Return a process's proportional set size in MiB; `Pss_Anon` is the part without mapped files."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    return int(re.search(rf"^{part}:\s+(\d+) kB", text, flags=re.MULTILINE)[1]) / 1024


def processes(pid: int, depth: int = 0) -> Iterator[tuple[int, int, str]]:
    """Yield the id, depth and command of a process and of all below it."""
    command = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")
    yield pid, depth, " ".join(word for word in command[1:4] if word).strip() or command[0]
    for thread in sorted(Path(f"/proc/{pid}/task").iterdir()):  # each thread has its own children
        for child in (thread / "children").read_text(encoding="ascii").split():
            yield from processes(int(child), depth + 1)


def show(title: str, launcher: int) -> None:
    """Print the memory of each process and the sum."""
    print(f"\n{title}: MiB of PSS")
    total = 0.0
    for pid, depth, command in processes(launcher):
        total += (size := pss(pid))
        print(f"{size:8.1f}  {'  ' * depth}{command}")
    print(f"{total:8.1f}  all", flush=True)


def get(port: int, path: str, cookie: str) -> tuple[int, str, str]:
    """Return status, location and text of a page, by a connection of its own: any web process may take it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Cookie": f"sessionid={cookie}", "Connection": "close"})
        response = connection.getresponse()
        is_page = (response.getheader("Content-Type") or "").startswith("text/html")
        text = response.read().decode("utf-8", "replace")
        return response.status, response.getheader("Location") or "", text if is_page else ""
    finally:
        connection.close()


def main_pages(port: int, cookie: str) -> list[str]:
    """Return the paths that a person finds by following links, at most PATHS_PER_VIEW for each view."""
    from django.urls import Resolver404, resolve

    waiting, counts, found = ["/"], {}, []
    while waiting and len(found) < MOST_PATHS:
        path = waiting.pop(0).replace("&amp;", "&")
        try:
            view = resolve(urlsplit(path).path).view_name
        except Resolver404:
            continue
        if path in found or counts.get(view, 0) >= PATHS_PER_VIEW:
            continue
        counts[view] = counts.get(view, 0) + 1
        found.append(path)
        _, location, text = get(port, path, cookie)
        waiting += [*([urlsplit(location).path] if location else []), *LINK.findall(text)]
    return found


def people() -> dict[str, str]:
    """Return a session of each person of the demo and of a new superuser, by name."""
    from django.test import Client

    from accounts.models import Person

    Person.objects.create_superuser("superuser")
    sessions = {}
    for person in Person.objects.filter(is_active=True).order_by("username"):
        client = Client()
        client.force_login(person)
        sessions[person.username] = client.cookies["sessionid"].value
    return sessions


def wait_for_start(launcher: subprocess.Popen[str]) -> float:
    """Return the seconds until the launcher says that the site runs."""
    began = time.monotonic()
    for line in launcher.stdout:
        if "Interrater runs at" in line:
            return time.monotonic() - began
    raise SystemExit("The launcher did not start the site.")


def visit(port: int, rounds: int) -> None:
    """Visit the main pages of each person `rounds` times, and print how many there were."""
    statuses: dict[int, int] = {}
    for name, cookie in people().items():
        paths = main_pages(port, cookie)
        for _ in range(rounds):
            for path in paths:
                status = get(port, path, cookie)[0]
                statuses[status] = statuses.get(status, 0) + 1
        print(f"{name}: {len(paths)} pages", flush=True)
    print(f"requests by status: {dict(sorted(statuses.items()))}")


def start(folder: str, port: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "VAR": folder, "PORT": str(port), "LOG_LEVEL": "ERROR"}
    environment.pop("DATABASE_URL", None)
    return subprocess.Popen(
        [sys.executable, "-m", "scripts.launcher"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True,
        bufsize=1, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def end(launcher: subprocess.Popen[str]) -> None:
    launcher.send_signal(signal.SIGTERM)
    launcher.communicate(timeout=60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=6, help="visits to each page; two web processes share them")
    parser.add_argument(
        "--settle",
        type=float,
        default=75,
        help="seconds before memory is read",
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interrater-memory-") as folder:
        end_of_first = start(folder, port := free_port())
        print(f"first start, with the demo: {wait_for_start(end_of_first):.1f} s", flush=True)
        end(end_of_first)
        launcher = start(folder, port)
        try:
            print(f"start: {wait_for_start(launcher):.1f} s", flush=True)
            time.sleep(given.settle)
            show("Idle", launcher.pid)
            os.environ.update(VAR=folder, DJANGO_SETTINGS_MODULE="config.settings")
            os.environ.pop("DATABASE_URL", None)
            import django

            django.setup()
            visit(port, given.rounds)
            time.sleep(given.settle)
            show(f"After {given.rounds} visits to each page", launcher.pid)
        finally:
            end(launcher)


if __name__ == "__main__":
    main()
