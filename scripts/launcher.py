"""`make run`: prepare the database and the demo, then run a web server and two workers until Ctrl-C or SIGTERM.

Environment: PORT (8000), DEMO (1, empty or 0), VAR (var/), and all settings in `.env.example`.
"""

import errno
import http.client
import os
import socket
import sys
import tempfile
from pathlib import Path

from scripts.stop_errors import StopError, file_problem, need_writable, stop
from scripts.supervisor import Service, Supervisor

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
SLOWEST_START = 90.0
"""Seconds for a web server that neither answers nor ends: a loaded machine may need half a minute."""
DEMOS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("1", "true", "yes"), ()),
    **dict.fromkeys(("0", "false", "no"), ("--no-demo",)),
    "empty": ("--empty-demo",),
}
"""What the start is told for each value of DEMO."""


def read_port() -> int:
    """Return PORT as a number."""
    given = os.environ.get("PORT", "").strip() or "8000"
    if not given.isascii() or not given.isdigit() or not 0 < int(given) < 65536:
        raise StopError(f"PORT must be a number from 1 to 65535, not {given!r}. Example: PORT=8001 make run")
    return int(given)


def read_demo() -> tuple[str, ...]:
    """Return how DEMO wants the demo: with answers, without any, or not at all, as options of `config.startup`."""
    given = os.environ.get("DEMO", "").strip().lower() or "1"
    if given not in DEMOS:
        raise StopError(f"DEMO must be 1, empty or 0, not {given!r}. Example: DEMO=0 make run")
    return DEMOS[given]


def take_port(port: int) -> socket.socket:
    """Return a socket bound to the port, so that no other program takes it while the database is prepared.

    The web server listens on this socket. If it is restarted, it listens on the same one.
    """
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        taken.bind((HOST, port))
    except OSError as problem:
        taken.close()
        free = port + 1 if port < 65535 else 8000
        if problem.errno == errno.EADDRINUSE:
            raise StopError(
                f"Port {port} is taken by another program. Use a free one, for example PORT={free} make run "
                f"(ss -ltnp 'sport = :{port}' shows which program it is)."
            ) from problem
        raise StopError(
            f"Port {port} cannot be used ({problem.strerror}). Use another one, for example PORT=8000 make run"
        ) from problem
    return taken


def answers(port: int) -> bool:
    """Return whether the web server answers at all, whatever the status."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status > 0
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def web_server(descriptor: int) -> Service:
    """Return the web server: two processes of 4 threads (docs/measurements.md says why). It ends gracefully."""
    return Service(
        "web server",
        [
            sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"fd://{descriptor}",
            "--worker-class", "config.buffering_worker.BufferingWorker", "--workers", "2", "--threads", "4",
            "--timeout", "60", "--graceful-timeout", "10", "--no-control-socket", "--log-level", "warning",
            "--name", "interrater",
        ],
        (descriptor,),
    )  # fmt: skip


def workers() -> Service:
    """Return the workers that do the background work: one process for each queue."""
    return Service("workers", [sys.executable, "-m", "config.worker", "calls", "jobs"])


def tell(address: str, links: Path) -> None:
    """Print the address and how to sign in."""
    print(f"\nInterrater runs at {address} (press Ctrl-C to stop it).", flush=True)
    if links.exists():
        print("Sign in to the demo with these links. Each works once, within 24 hours:")
        print(links.read_text(encoding="utf-8"), end="")
        print(f"The links are also in {links}.", flush=True)
    else:
        print("Create a first account with: .venv/bin/python manage.py createsuperuser", flush=True)


def launch(supervisor: Supervisor) -> int:
    """Prepare, start and watch everything; return the exit code."""
    port, demo = read_port(), read_demo()
    var = Path(os.environ.get("VAR", "") or ROOT / "var").absolute()
    links = var / "links.txt"
    need_writable(var)
    try:
        need_writable(Path(tempfile.gettempdir()))
    except FileNotFoundError as problem:
        raise file_problem(Path("/tmp"), OSError(problem.errno, "no folder for temporary files")) from problem  # noqa: S108
    with take_port(port) as bound:
        address = f"http://{HOST}:{port}"
        preparing = [sys.executable, "-m", "config.startup", "--address", address, *demo]
        code = supervisor.run_step(preparing)
        if code is None:
            return 0
        if code:
            return code
        if not supervisor.start_until(web_server(bound.fileno()), lambda: answers(port), SLOWEST_START):
            if supervisor.ending:
                return 0
            raise StopError(
                f"The web server did not start; its messages are above. Start it again with PORT={port} make run"
            )
        supervisor.start(workers())
        tell(address, links)
        supervisor.watch()
    return 0


def main() -> int:
    os.umask(0o077)  # nobody else may read the database, the key and the links
    os.chdir(ROOT)
    supervisor = Supervisor()
    try:
        return launch(supervisor)
    except StopError as problem:
        return stop(problem)
    finally:
        supervisor.close()


if __name__ == "__main__":
    sys.exit(main())
