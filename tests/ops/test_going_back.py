"""Going back with Docker, done for real: a program in place of Docker runs what the script asks for on this machine."""

import os
import signal
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests.faults.own_postgres import missing_program, own_postgres
from tests.operating.installations import WAIT, Installation
from tests.ops.conftest import ROOT

pytestmark = [
    pytest.mark.timeout(1800),
    pytest.mark.skipif(bool(missing_program()), reason=f"PostgreSQL, Redis or nginx is missing: {missing_program()}"),
]
UPLOAD = "uploads/12345678-1234-1234-1234-123456789abc.jsonl"
FAKE_GIT = '#!/bin/sh\nif [ "$1" = describe ]; then echo v0.2.0; fi\n'
DOCKER_HERE = """#!{python}
import os, subprocess, sys
words = [word.replace("/var/lib/interrater", {var!r}).replace("@postgres:5432", {server!r}) for word in sys.argv[2:]]
given = dict(os.environ)
if "for name in turn_judges" in words[-1] and os.path.exists({killed!r}):
    os.remove({killed!r})
    os.kill(os.getppid(), 9)  # the script, as a power cut between two of its steps would
    sys.exit(137)
match words:
    case ["exec", "-T", "postgres", "psql", *rest]:
        sys.exit(subprocess.run(["psql", "-h", "127.0.0.1", "-p", {port!r}, *rest]).returncode)
    case ["run", "--rm", "--no-deps", "-T", *rest]:
        while rest[0] == "-e":
            name, value = rest[1].split("=", 1)
            given[name], rest = value, rest[2:]
    case ["exec", "-T", *rest]:
        pass
    case ["build" | "stop" | "up" | "restart", *rest]:
        sys.exit(0)
service, *command = rest
assert service == "backup", service
sys.exit(subprocess.run([{python!r} if word == "python" else word for word in command], env=given).returncode)
"""
ROWS = """
from datetime import timedelta
from uuid import uuid4
from django.utils import timezone
from annotation.models import Item, Study
from reports.kept.kept_reports import kept_report
from reports.models import KeptReport
from reports.report_kinds.agreement import agreement_choices
call_command("migrate", verbosity=0)
study = Study.objects.create(slug="study", title="A study", protocol="rating", redundancy=1)
Item.objects.create(study=study, key="earlier", digest="d")
kept_report(study, "agreement", agreement_choices())
claimed = {"status": "running", "token": uuid4(), "lease_until": timezone.now() - timedelta(hours=1), "attempt": 1}
print(KeptReport.objects.filter(study=study).update(**claimed))
"""
LATER = """
from annotation.models import Item, Study
Item.objects.create(study=Study.objects.get(), key="later", digest="d")
"""
ITEMS = "from annotation.models import Item\nprint(*Item.objects.order_by('pk').values_list('key', flat=True))"


@pytest.fixture(scope="module")
def site():
    """An installation on a server of its own, its backup with work that was claimed an hour before, and later data."""
    with TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        folder.chmod(0o711)  # the server's user passes through it
        (folder / "server").mkdir()
        (folder / "var" / "uploads").mkdir(parents=True)
        server = servers.enter_context(own_postgres(folder / "server"))
        with psycopg.connect(server.url, autocommit=True) as asking:
            asking.execute("CREATE ROLE interrater LOGIN SUPERUSER")
            asking.execute("CREATE DATABASE interrater OWNER interrater")
        found = Installation(f"postgres://interrater@127.0.0.1:{server.port}/interrater", folder / "var")
        assert found.run(ROWS).strip() == "1"
        (found.var / UPLOAD).write_text("a part\n", encoding="ascii")
        found.must("backup", folder / "good.zip")
        (folder / "damaged.zip").write_bytes((folder / "good.zip").read_bytes()[:-1000])
        found.run(LATER)
        (found.var / UPLOAD).write_text("a part\nand the next one\n", encoding="ascii")  # an upload that has gone on
        yield found


def go_back(site, backup):
    """Run the script on this installation; return how it ended."""
    port = site.url.rpartition(":")[2].partition("/")[0]
    programs = site.var.parent / "programs"
    programs.mkdir(exist_ok=True)
    places = {"var": str(site.var), "server": f"@127.0.0.1:{port}", "port": port, "killed": str(programs / "kill")}
    text = DOCKER_HERE.format(python=sys.executable, **places)
    for name, program in {"docker": text, "git": FAKE_GIT}.items():
        (programs / name).write_text(program, encoding="utf-8")
        (programs / name).chmod(0o755)
    return subprocess.run(
        [str(ROOT / "deploy" / "go_back.sh"), "v0.1.0", str(site.var.parent / backup)], capture_output=True, text=True,
        check=False, timeout=WAIT, env={**site.environment, "PATH": f"{programs}:{os.environ['PATH']}"},
    )  # fmt: skip


def kept_databases(site):
    with psycopg.connect(site.url, autocommit=True) as asking:
        found = asking.execute(
            "SELECT datname FROM pg_database WHERE datname LIKE 'interrater_%' ORDER BY 1"
        ).fetchall()
    return [name for (name,) in found]


@pytest.mark.thorough
def test_a_damaged_backup_changes_nothing_and_the_next_run_goes_back_even_if_one_was_killed(site):
    done = go_back(site, "damaged.zip")
    assert done.returncode == 1
    assert "whose data is as it was" in done.stderr
    assert kept_databases(site) == ["interrater_restored"]
    assert site.run(ITEMS).split() == ["earlier", "later"]
    assert (site.var / UPLOAD).read_text(encoding="ascii").endswith("next one\n")

    (site.var.parent / "programs" / "kill").touch()
    assert go_back(site, "good.zip").returncode == -signal.SIGKILL
    (first,) = kept_databases(site)  # the databases have changed places, the files have not
    assert (site.var / UPLOAD).read_text(encoding="ascii").endswith("next one\n")
    assert (site.var / "restored" / UPLOAD).exists()

    done = go_back(site, "good.zip")
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line in kept_databases(site)] == kept_databases(site)
    assert site.run(ITEMS).split() == ["earlier"]
    assert (site.var / UPLOAD).read_text(encoding="ascii") == "a part\n"
    until_now = Installation(f"{site.url.rpartition('/')[0]}/{first}", site.var)
    assert until_now.run(ITEMS).split() == ["earlier", "later"]
    assert (site.var / first / UPLOAD).read_text(encoding="ascii").endswith("next one\n")
    assert not (site.var / "restored").exists()
    # No worker has run yet: the row of the backup is late, which is said and ends nothing.
    assert "stuck_work" in done.stdout
    assert "run checkdata again" in done.stderr
