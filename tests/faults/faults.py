"""Faults of the database, the disk and the web server under load; after each, ledgers, database and export agree.

    python -m tests.faults.faults [--small] [--allow-skipped] [NAME ...]

Each fault starts a web server, and a PostgreSQL or Redis of its own, in a temporary folder. Raters work as fast as they
can, each with a ledger of what the server acknowledged. Prints one line of JSON per fault; ends with 1 if any is wrong,
happened less often than planned, or cannot be done on this machine.
"""

import argparse
import json
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from tests.faults.killed_proxy import ProxiedServer
from tests.faults.killed_workers import kill_workers, missing_broker
from tests.faults.own_postgres import FAST, IMMEDIATE, OwnPostgres, missing_program, own_postgres
from tests.faults.power_cuts import PowerCuts, frozen
from tests.faults.small_disks import can_mount, filled, small_disk
from tests.load.engine import redis_process
from tests.load.race import Fault, race_on
from tests.load.server import Server, environment
from tests.own_proxy import missing_proxy

REDUNDANCY = 3


@dataclass(frozen=True)
class Scale:
    """How large a run is: raters and tasks, how often a fault happens, how many seconds it lasts, and quick ones."""

    raters: int
    tasks: int
    times: int
    seconds: float
    quick: int


SMALLEST, SMALL, FULL = Scale(4, 24, 1, 1.0, 1), Scale(6, 200, 2, 1.5, 4), Scale(16, 2000, 20, 5.0, 50)
PAUSE = 0.7
"""Seconds between faults, in which raters work."""
FROZEN_SECONDS = 15.0
"""Longer than requests wait for an answer, and then for another connection: 5 seconds each."""


class Site:
    """What a fault can reach: the folder of the site's files, its database and its broker."""

    def __init__(self, folder: Path, scale: Scale, stack: ExitStack) -> None:
        self.folder, self.scale, self.stack = folder, scale, stack
        self.var = folder / "var"
        self.disk: Path | None = None
        self.postgres: OwnPostgres | None = None
        self.more: dict[str, str] = {}
        self.planned = self.happened = 0
        self.refuses = False
        """Whether raters must have met a 503, because the fault cannot pass unnoticed."""
        self.cuts: PowerCuts | None = None
        self.behind_proxy = False

    def use_postgres(self, folder: Path | None = None, connections: int = 60) -> OwnPostgres:
        place = folder or self.folder / "postgres"
        place.mkdir(exist_ok=True)
        self.folder.chmod(0o711)
        self.postgres = self.stack.enter_context(own_postgres(place, connections))
        return self.postgres

    def use_small_disk(self, megabytes: int) -> Path:
        return self.stack.enter_context(small_disk(self.folder, megabytes))

    def repeatedly(self, once: Callable[[Server], None], times: int | None = None) -> Fault:
        """Return a fault that does this so many times, with pauses, unless the raters are done."""
        self.planned = times or self.scale.times

        def fault(server: Server, ending: threading.Event) -> None:
            for _ in range(self.planned):
                if ending.wait(PAUSE):
                    return
                once(server)
                self.happened += 1

        return fault


def restarted(site: Site) -> Fault:
    """PostgreSQL is restarted: connections end, transactions are rolled back."""
    return _stopped(site, FAST)


def crashed(site: Site) -> Fault:
    """PostgreSQL is killed and recovers from its write-ahead log."""
    postgres = site.use_postgres()

    def once(server: Server) -> None:
        postgres.crash()
        postgres.start()

    return site.repeatedly(once)


def _stopped(site: Site, how: int, seconds: float = 0.0) -> Fault:
    postgres = site.use_postgres()

    def once(server: Server) -> None:
        postgres.stop(how)
        time.sleep(seconds)
        postgres.start()

    return site.repeatedly(once, times=1 if seconds else None)


def away(site: Site) -> Fault:
    """PostgreSQL is stopped for a minute in the full run."""
    return _stopped(site, IMMEDIATE, 60.0 if site.scale is FULL else site.scale.seconds)


def database_frozen(site: Site) -> Fault:
    """PostgreSQL stands still with all its connections open, for longer than requests wait for it."""
    postgres = site.use_postgres()
    site.refuses = True

    def once(server: Server) -> None:
        assert postgres.process is not None
        with frozen(postgres.process.pid):
            time.sleep(FROZEN_SECONDS)

    return site.repeatedly(once, times=3 if site.scale is FULL else 1)


def without_connections(site: Site) -> Fault:
    """PostgreSQL has no connections left."""
    postgres = site.use_postgres(connections=20)

    def once(server: Server) -> None:
        with postgres.without_connections():
            time.sleep(site.scale.seconds)

    return site.repeatedly(once)


def web_killed(site: Site) -> Fault:
    """A process of the web server behind the proxy is killed; at last, and every fourth time before, all of them."""
    site.behind_proxy = site.refuses = True

    def once(server: Server) -> None:
        assert isinstance(server, ProxiedServer)
        server.kill_web(whole=(site.planned - site.happened) % 4 == 1)

    return site.repeatedly(once, times=100 if site.scale is FULL else site.scale.quick)


def web_killed_on_postgres(site: Site) -> Fault:
    """The same on PostgreSQL."""
    site.use_postgres()
    return web_killed(site)


def web_updated(site: Site) -> Fault:
    """The web server behind the proxy is stopped and started, as an update does it."""
    site.behind_proxy = site.refuses = True

    def once(server: Server) -> None:
        assert isinstance(server, ProxiedServer)
        server.update_web()

    return site.repeatedly(once)


def proxy_killed(site: Site) -> Fault:
    """A process of the proxy, or all of them, are killed at a random moment."""
    site.behind_proxy = True

    def once(server: Server) -> None:
        assert isinstance(server, ProxiedServer)
        server.kill_proxy()

    return site.repeatedly(once, times=site.scale.quick)


def disk_full(site: Site) -> Fault:
    """The disk of SQLite's file is full."""
    if site.disk is None:
        site.disk = site.var = site.use_small_disk(80 if site.scale is FULL else 40)
    return _filling(site, site.disk)


def disk_full_on_postgres(site: Site) -> Fault:
    """The disk of PostgreSQL's data is full; its own log may stop it, and it is then started again."""
    disk = site.use_small_disk(600 if site.scale is FULL else 400)
    (disk / "postgres").mkdir()
    return _filling(site, disk, site.use_postgres(disk / "postgres"))


def _filling(site: Site, place: Path, postgres: OwnPostgres | None = None) -> Fault:
    def once(server: Server) -> None:
        with filled(place):
            time.sleep(site.scale.seconds)
        if postgres is not None and not postgres.answers():
            postgres.stop(IMMEDIATE)
            postgres.start()

    return site.repeatedly(once)


def power_cut(site: Site) -> Fault:
    """The power fails at a random write: SQLite's files are copied as they are then, and opened afterwards."""
    site.cuts = cuts = PowerCuts(site.folder / "cuts", site.folder / "ledgers")

    def once(server: Server) -> None:
        assert server.process is not None
        cuts.cut_sqlite(server.process.pid, site.var / "load.sqlite3")

    return site.repeatedly(once, times=site.scale.quick)


def power_cut_on_postgres(site: Site) -> Fault:
    """The same on PostgreSQL, whose copies recover from their write-ahead logs."""
    postgres = site.use_postgres()
    site.cuts = cuts = PowerCuts(site.folder / "cuts", site.folder / "ledgers")
    return site.repeatedly(lambda _: cuts.cut_postgres(postgres))


def broker_away(site: Site) -> Fault:
    """Redis accepts connections without answering, then loses everything, then ends; raters do not notice."""
    url, process = site.stack.enter_context(redis_process(site.folder))
    site.more["BROKER_URL"] = url

    def once(server: Server) -> None:
        process.send_signal(signal.SIGSTOP)
        time.sleep(site.scale.seconds)
        process.send_signal(signal.SIGCONT)
        redis.Redis.from_url(url).flushall()
        process.kill()
        process.wait(10)
        time.sleep(site.scale.seconds)

    return site.repeatedly(once, times=1)


FAULTS: Mapping[str, Callable[[Site], Fault]] = {
    one.__name__: one
    for one in (
        restarted, crashed, away, database_frozen, without_connections, web_killed, web_killed_on_postgres, web_updated,
        proxy_killed, disk_full, disk_full_on_postgres, power_cut, power_cut_on_postgres, broker_away,
    )
}  # fmt: skip

WORKERS = ("workers_killed", "workers_killed_on_postgres")
"""Faults without raters: workers are killed while they call a model."""
NEEDS_NO_POSTGRES = ("web_killed", "web_updated", "proxy_killed", "disk_full", "power_cut", "broker_away")
NEEDS_PROXY = ("web_killed", "web_killed_on_postgres", "web_updated", "proxy_killed")


def reason_to_skip(name: str, folder: Path) -> str:
    """Say why a fault cannot be done on this machine; "" if it can."""
    if name.startswith("disk_full") and not can_mount(folder):
        return "only root can mount a small disk"
    if name == "broker_away" and shutil.which("redis-server") is None:
        return "redis-server is missing: sudo apt install redis-server"
    if name in NEEDS_PROXY and missing_proxy():
        return missing_proxy()
    if name == "workers_killed_on_postgres":
        return missing_program() or missing_broker()
    return "" if name in (*NEEDS_NO_POSTGRES, *WORKERS) else missing_program()


def run_fault(name: str, scale: Scale) -> dict[str, Any]:
    """Do one fault under load; return what the raters were told and what was kept."""
    with tempfile.TemporaryDirectory() as made, ExitStack() as stack:
        site = Site(Path(made), scale, stack)
        fault = FAULTS[name](site)
        site.var.mkdir(exist_ok=True)
        database = site.postgres.url if site.postgres else f"sqlite:///{site.var / 'load.sqlite3'}"
        env = environment(database, site.var) | site.more | {"BEHIND_PROXY": str(site.behind_proxy).lower()}
        size: dict[str, Any] = {"workers": 2, "threads": 4, "log": site.folder / "web.log"}
        server = ProxiedServer(env, **size) if site.behind_proxy else Server(env, **size)
        found = race_on(env, site.folder, (scale.raters, scale.tasks, REDUNDANCY), server, fault)
        return {"fault": name, **found, **after(site, env, found)}


def after(site: Site, env: dict[str, str], found: Mapping[str, Any]) -> dict[str, Any]:
    """Say how often the fault happened, of how many times, and what is wrong besides the answers."""
    errors = [*found["errors"], *(site.cuts.problems(env) if site.cuts else [])]
    if site.refuses and not found["refused"].get("503"):
        errors.append("nobody was told that the site is busy")
    return {"happened": site.happened, "planned": site.planned, "errors": errors}


def wrong_in(found: Mapping[str, Any], scale: Scale) -> list[str]:
    """Say what is wrong after a fault; nothing if every acknowledged answer was kept once and no page was an error."""
    planned = scale.tasks // 2 * 2 * REDUNDANCY
    expected = {
        **dict.fromkeys(("acknowledged", "stored", "exported", "filled", "slots"), planned),
        **dict.fromkeys(("lost", "unacknowledged", "surplus", "rater_twice_on_a_task"), 0),
        "ratings_stored": 2 * planned, "ratings_exported": 2 * planned, "raters_per_task": [REDUNDANCY],
    }  # fmt: skip
    wrong = [f"{name}: {found[name]}, not {value}" for name, value in expected.items() if found[name] != value]
    if found["happened"] != found["planned"]:
        wrong.append(f"the fault happened {found['happened']} times, not {found['planned']}")
    return [*wrong, *found["errors"]]


def run_named(name: str, scale: Scale) -> tuple[dict[str, Any], list[str]]:
    """Do a fault of FAULTS or WORKERS; return what was found, and what of it is wrong."""
    if name not in WORKERS:
        found = run_fault(name, scale)
        return found, wrong_in(found, scale)
    size = (500, 50) if scale is FULL else (12, 2)
    with tempfile.TemporaryDirectory() as made, ExitStack() as stack:
        server_url = None
        if name == "workers_killed_on_postgres":
            Path(made).chmod(0o711)
            server_url = stack.enter_context(own_postgres(Path(made))).url
        found, wrong = kill_workers(server_url, *size)
        return {"fault": name, "happened": found["kills"], **found}, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join((*FAULTS, *WORKERS))} (default: all)")
    parser.add_argument("--small", action="store_true", help="few faults and few tasks, as in make test")
    parser.add_argument("--allow-skipped", action="store_true", help="end well though a fault cannot be done here")
    given = parser.parse_args()
    scale, failed = SMALL if given.small else FULL, False
    for name in given.names or (*FAULTS, *WORKERS):
        with tempfile.TemporaryDirectory() as folder:
            skipped = reason_to_skip(name, Path(folder))
        if skipped:
            print(json.dumps({"fault": name, "skipped": skipped}), flush=True)
            failed = failed or not given.allow_skipped
            continue
        found, wrong = run_named(name, scale)
        failed = failed or bool(wrong)
        print(json.dumps({**found, "wrong": wrong}), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
