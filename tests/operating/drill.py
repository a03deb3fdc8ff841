"""The operator's drill: the steps of docs/operating.md through real processes, with the seconds that each took.

    python -m tests.operating.drill [--folder FOLDER] [--installed]

Clones this repository, installs it (not with `--installed`, which takes this checkout's packages), starts the services
of docker-compose.yml by `make stack`, and makes an owner and answers. Then it backs up, kills and deletes everything,
restores, updates to a later version with one more migration, and goes back. At the end it starts the database of the
fixture of 0.1, the first release, by `make run`. It ends with code 1 at the first step that does not hold.
"""

import argparse
import gzip
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.house import ROOT
from tests.ops.conftest import below, clean_environment, free_port

LONGEST_START = 300.0
RATERS, TASKS, REDUNDANCY = 4, 12, 2
SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings"}
PASSWORD = "a long password of the owner"
LATER = '''"""A later version's migration, of the drill."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]
    operations = [migrations.CreateModel("Later", fields=[("id", models.BigAutoField(primary_key=True))])]
'''


def check(holds: bool, sentence: str) -> None:
    if not holds:
        raise SystemExit(f"The drill failed: {sentence}")


@dataclass
class Drill:
    """The operator's folder: a clone in `site`, its source in `upstream`, backups, and the data of each stack."""

    folder: Path
    port: int = field(default_factory=free_port)
    data: Path = field(init=False)
    steps: list[tuple[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.site, self.upstream, self.data = self.folder / "site", self.folder / "upstream", self.folder / "data"

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Time a step and print it."""
        began = time.monotonic()
        yield
        self.steps.append((title, time.monotonic() - began))
        print(f"{self.steps[-1][1]:7.1f} s  {title}", flush=True)

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of every command, in which nothing of ours is set."""
        return clean_environment(**more)

    def run(self, *words: str, where: Path | None = None, **more: str) -> str:
        """Run a command that must succeed; return its output."""
        done = subprocess.run(
            words, cwd=where or self.site, env=self.environment(**more), capture_output=True, text=True, check=False
        )
        check(done.returncode == 0, f"{' '.join(words)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def python(self, *words: str, **more: str) -> str:
        """Run Python of the site with the settings of the running stack, as its start says."""
        line = f". {shlex.quote(str(self.data / 'settings.sh'))}; exec .venv/bin/python {shlex.join(words)}"
        return self.run("sh", "-c", line, **more)

    @contextmanager
    def running(self, target: str, ready: str, end: Callable[[int], None], **more: str) -> Iterator[int]:
        """Start `make TARGET`, wait until it says `ready`, yield its id, and end it."""
        log = (self.folder / "log").open("a+b")
        began = log.seek(0, os.SEEK_END)
        started = subprocess.Popen(
            ["make", target], cwd=self.site, env=clean_environment(PORT=str(self.port), **more), stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
        try:
            latest = time.monotonic() + LONGEST_START
            while ready not in (said := (self.folder / "log").read_bytes()[began:].decode(errors="replace")):
                check(started.poll() is None and time.monotonic() < latest, f"make {target}: {said[-3000:]}")
                time.sleep(0.1)
            yield started.pid
        finally:
            if started.poll() is None:
                end(started.pid)
            started.wait(timeout=90)
            log.close()

    def stack(self, end: Callable[[int], None], **more: str) -> "contextmanager[int]":
        return self.running("stack", "The stack runs at", end, STACK_FOLDER=str(self.data), **more)

    def digest(self) -> str:
        return self.python("manage.py", "canonical_export").strip()

    def status(self, path: str, session: str = "") -> int:
        """The status of a page through the proxy, without following redirects."""
        asked = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", headers={"Cookie": f"sessionid={session}"}
        )
        with urllib.request.build_opener(NoRedirects).open(asked, timeout=60) as response:
            return int(response.status)


class NoRedirects(urllib.request.HTTPErrorProcessor):
    """Returns every answer as it is."""

    def http_response(self, request, response):
        return response


def kill(pid: int) -> None:
    """Kill a process and all below it, as a power cut would."""
    for one in [*reversed(below(pid)), pid]:
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            continue


def end(pid: int) -> None:
    """Ask the program that `make` has become to end, as Ctrl-C does."""
    os.kill(pid, signal.SIGTERM)


def install(drill: Drill, installed: bool) -> None:
    with drill.step("clone"):
        drill.run("git", "clone", "--quiet", str(ROOT), str(drill.upstream), where=drill.folder)
        drill.run("git", "clone", "--quiet", str(drill.upstream), str(drill.site), where=drill.folder)
    if installed:
        (drill.site / ".venv").symlink_to((ROOT / ".venv").resolve())
        return
    with drill.step("install (make install-base)"):
        drill.run("make", "install-base")


def work(drill: Drill) -> dict:
    """Make an owner, a study and answers; return who is signed in and what was acknowledged."""
    with drill.step("create an owner"):
        drill.python(
            "manage.py", "createsuperuser", "--noinput", "--username", "owner",
            DJANGO_SUPERUSER_PASSWORD=PASSWORD, DJANGO_SUPERUSER_EMAIL="owner@example.org",
        )  # fmt: skip
    with drill.step(f"a study; {RATERS} annotators answer all of its tasks"):
        plan = json.loads(drill.python("-m", "tests.load.prepare", *map(str, (RATERS, TASKS, REDUNDANCY)), **SETTINGS))
        plan |= {"port": drill.port, "ledgers": str(drill.folder)}
        (drill.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        told = json.loads(drill.run(".venv/bin/python", "-m", "tests.load.raters", str(drill.folder / "plan.json")))
        check(told["errors"] == [], f"{told['errors'][:3]}")
        check(told["submissions"] == TASKS * REDUNDANCY, f"{told['submissions']} answers were acknowledged")
    return plan


def new_data(drill: Drill) -> None:
    """Name a new, empty folder for the data, and put the old signing key into it."""
    drill.data = drill.folder / f"data{len(drill.steps)}"
    (drill.data / "secrets").mkdir(parents=True, mode=0o700)
    shutil.copy(drill.folder / "secret_key", drill.data / "secrets" / "secret_key")


def back_up_and_break(drill: Drill) -> tuple[dict, str]:
    with drill.step("start (make stack)"):
        started = drill.stack(kill)
        pid = started.__enter__()
    try:
        plan = work(drill)
        with drill.step("back up"):
            before = drill.digest()
            drill.python("manage.py", "backup", str(drill.folder / "backup.zip"))
            shutil.copy(drill.data / "secrets" / "secret_key", drill.folder / "secret_key")
    finally:
        with drill.step("break it: kill every process, delete database, Redis and VAR"):
            kill(pid)
            started.__exit__(None, None, None)
            shutil.rmtree(drill.data)
    return plan, before


def restore(drill: Drill, plan: dict, before: str) -> None:
    new_data(drill)
    with drill.step("restore the backup and start (RESTORE=… make stack)"):
        started = drill.stack(end, RESTORE=str(drill.folder / "backup.zip"))
        started.__enter__()
    try:
        with drill.step("compare the digest, checkdata, a session of before opens its page"):
            check(drill.digest() == before, "the restored data differs")
            drill.python("manage.py", "checkdata")
            check(drill.status("/", plan["sessions"][0]) == 200, "who was signed in is not any more")
    finally:
        with drill.step("stop"):
            started.__exit__(None, None, None)


def update(drill: Drill) -> Path:
    """Update to a later version with one more migration; return the backup that `migrate` has made."""
    (drill.upstream / "parts/webhooks/migrations/0002_later.py").write_text(LATER, encoding="utf-8")
    drill.run("git", "tag", "earlier", where=drill.upstream)
    drill.run("git", "add", "--all", where=drill.upstream)
    names = ("-c", "user.name=Drill", "-c", "user.email=drill@example.org")
    drill.run("git", *names, "commit", "--quiet", "--message", "A later version", where=drill.upstream)
    with drill.step("update (git pull; make stack)"):
        drill.run("git", "pull", "--quiet", "--tags")
        started = drill.stack(end)
        started.__enter__()
    try:
        backups = sorted((drill.data / "var" / "backups").glob("before-migration-*.zip"))
        check(len(backups) == 1, f"migrate has made {len(backups)} backups")
        shown = drill.python("manage.py", "showmigrations", "webhooks")
        check("[X] 0002_later" in shown, "the database was not migrated")
        check(drill.status("/sign-in/") == 200, "the later version does not answer")
    finally:
        with drill.step("stop"):
            started.__exit__(None, None, None)
    kept = drill.folder / "before.zip"
    shutil.copy(backups[0], kept)
    return kept


def go_back(drill: Drill, backup: Path, before: str) -> None:
    new_data(drill)
    with drill.step("go back (git checkout; RESTORE=… make stack)"):
        drill.run("git", "checkout", "--quiet", "earlier")
        started = drill.stack(end, RESTORE=str(backup))
        started.__enter__()
    try:
        check(drill.digest() == before, "after going back the data differs")
        drill.python("manage.py", "checkdata")
    finally:
        with drill.step("stop"):
            started.__exit__(None, None, None)


def first_release(drill: Drill) -> None:
    """Start the database of the fixture of 0.1, by `make run`."""
    var = drill.folder / "first"
    var.mkdir(mode=0o700)
    fixture = drill.site / "tests/fixtures/0.1/sqlite.gz"
    (var / "interrater.sqlite3").write_bytes(gzip.decompress(fixture.read_bytes()))
    with drill.step("start the database of the fixture of 0.1 (make run)"):
        started = drill.running("run", "Interrater runs at", end, VAR=str(var), DEMO="0")
        started.__enter__()
    try:
        out = drill.folder / "exported"
        drill.run(".venv/bin/python", "manage.py", "export_study", "the-rating", "--out", str(out), VAR=str(var))
        lines = (out / "annotations.jsonl").read_text(encoding="utf-8").splitlines()
        check(len(lines) > 1, "the answers of release 0.1 are not there")
    finally:
        started.__exit__(None, None, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="an empty folder that is kept; else a temporary one")
    parser.add_argument("--installed", action="store_true", help="use the packages of this checkout")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interrater-drill-") as temporary:
        drill = Drill((given.folder or Path(temporary)).absolute())
        drill.folder.mkdir(parents=True, exist_ok=True)
        drill.folder.chmod(0o711)
        install(drill, given.installed)
        plan, before = back_up_and_break(drill)
        restore(drill, plan, before)
        go_back(drill, update(drill), before)
        first_release(drill)
        print(f"{sum(seconds for _, seconds in drill.steps):7.1f} s  all")


if __name__ == "__main__":
    sys.exit(main())
