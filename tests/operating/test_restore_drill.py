"""The drill: a filled installation is backed up while processes write to it, and restored on either database."""

import json
import re
import subprocess
import sys
import zipfile

import pytest

from tests.house import ROOT
from tests.operating.installations import FILL, KINDS, WAIT, installation, some_server
from tests.release_fixture import EXPORT, exported

pytestmark = pytest.mark.timeout(1800)

PASSWORD = "a long password for the drill"
PREPARE = f"""
from datetime import timedelta
from uuid import uuid4
from django.utils import timezone
from accounts.models import Person
from annotation.models import Study
from reports.kept.kept_reports import kept_report
from reports.models import KeptReport
from reports.report_kinds.agreement import agreement_choices
Person.objects.create_user("drill", password={PASSWORD!r})
study = Study.objects.get(slug="the-pairwise")
KeptReport.objects.filter(study=study).delete()
kept_report(study, "agreement", agreement_choices())
row = KeptReport.objects.get(study=study)
lease = timezone.now() - timedelta(hours=1)
KeptReport.objects.filter(pk=row.pk).update(status="running", token=uuid4(), lease_until=lease, attempt=1)
print(row.pk)
"""
WRITE = """
from time import sleep
from uuid import uuid4
from annotation.desk.submitting import Submission, submit
from annotation.models import Annotation, Assignment
rows = Annotation.objects.filter(is_current=True, status="submitted", rater__study__slug="the-rating")
current = rows.filter(rater__person__username=sys.argv[1] + "-user-name").order_by("pk").first()
assignment = Assignment.objects.get(task=current.task, rater=current.rater)
form = {"q-follows": ["true"], "q-how_well": ["5"], "q-comment": [""]}
number = current.revision
print("ready", current.task_id, current.rater_id, number, flush=True)
while True:
    form["q-comment"] = [f"comment {number} " + "x" * 500]
    submit(assignment, Submission(form, revision=number, guidelines_version=1, client_key=uuid4()))
    number += 1
    print(number, flush=True)
    sleep(0.02)
"""
SIGN_IN = f"""
from django.conf import settings
from django.test import Client
settings.ALLOWED_HOSTS = ["testserver"]
settings.STORAGES["staticfiles"]["BACKEND"] = "django.contrib.staticfiles.storage.StaticFilesStorage"
client = Client()
answer = client.post("/sign-in/", {{"username": "drill", "password": {PASSWORD!r}}})
print(answer.status_code, client.get("/").status_code)
"""
STATUS = """
from time import monotonic, sleep
from reports.models import KeptReport
until = monotonic() + float(sys.argv[2])
while (status := KeptReport.objects.get(pk=sys.argv[1]).status) in ("running", "queued") and monotonic() < until:
    sleep(0.2)
print(status)
"""
KEPT = f"""
call_command("backup", sys.argv[2])
call_command("canonical_export")
{EXPORT}"""
"""The exports also add to the audit, so they come last."""
REVISIONS = """
from annotation.models import Annotation
for given in sys.argv[1:]:
    task, rater = given.split(",")
    found = Annotation.objects.filter(task=task, rater=rater).order_by("revision")
    print(*found.values_list("revision", flat=True))
"""


DRILLED = [pytest.param(kind, marks=pytest.mark.thorough if kind == "sqlite" else ()) for kind in KINDS]
"""In `make test` an installation on PostgreSQL goes to SQLite and back, which is both ways; thoroughly from both."""


@pytest.fixture(scope="module")
def server():
    with some_server() as url:
        yield url


@pytest.fixture(scope="module", params=DRILLED)
def drilled(request, tmp_path_factory, server):
    """A filled installation of one kind, the other kind, and a row of work that somebody has claimed."""
    folder = tmp_path_factory.mktemp("drill")
    with installation(request.param, folder / "source", server) as source:
        row = source.run(FILL + PREPARE, folder / "source").split()[-1]
        yield source, KINDS[1 - KINDS.index(request.param)], row


class Writers:
    """Processes that submit revision after revision, and what each has been told is stored."""

    def __init__(self, source):
        self.processes = [source.start(WRITE, name) for name in ("ann", "ben")]
        self.begun = [self._line(process).split()[1:] for process in self.processes]

    def _line(self, process):
        line = process.stdout.readline()
        assert line, process.stderr.read()
        return line.strip()

    def stored(self):
        """Read until each has stored at least three revisions; return their numbers."""
        return [max(int(self._line(process)) for _ in range(3)) for process in self.processes]

    def stop(self):
        for process in self.processes:
            assert process.poll() is None, process.stderr.read()
            process.kill()
            process.communicate()


def test_a_backup_under_writing_is_one_moment(drilled, server, tmp_path):
    source, other, _ = drilled
    writers = Writers(source)
    try:
        before = writers.stored()
        source.must("backup", tmp_path / "live.zip")
        writers.stored()
    finally:
        writers.stop()
    with installation(other, tmp_path / "moved", server) as target:
        assert "All of them are what the backup has" in target.must("restore", tmp_path / "live.zip")
        for here, there, stored in zip(revisions(target, writers), revisions(source, writers), before, strict=True):
            assert here == list(range(1, len(here) + 1))
            assert stored <= len(here) <= len(there)
        # Between a row and the next ones of its transaction there is no moment: nothing contradicts anything. Only the
        # row of work of an hour ago is late.
        found = json.loads(target.manage("checkdata", "--json").stdout)["found"]
        assert [(one["key"], one["count"]) for one in found] == [("stuck_work", 1)]


def test_the_restored_installation_is_the_same_and_works(drilled, server, tmp_path):
    source, other, row = drilled
    digest = digest_in(source.run(KEPT, tmp_path / "source", tmp_path / "whole.zip"))
    with installation(other, tmp_path / "restored", server) as target:
        target.must("restore", tmp_path / "whole.zip")
        said = target.run(KEPT + SIGN_IN, tmp_path / "target", tmp_path / "again.zip")
        assert digest_in(said) == digest
        assert exported(tmp_path / "target") == exported(tmp_path / "source")
        assert said.split()[-2:] == ["302", "200"]
        # The backup has work whose lease ended long ago: late until a worker runs, and in order then.
        late = target.manage("checkdata")
        assert (late.returncode, late.stdout.partition(":")[0]) == (1, "stuck_work")
        assert picked_up(target, row) == "done"
        assert "found nothing" in target.must("checkdata")
    with installation(KINDS[1 - KINDS.index(other)], tmp_path / "back", server) as back:  # there and back again
        back.must("restore", tmp_path / "again.zip")
        assert back.digest() == digest
    first, second = manifest(tmp_path / "whole.zip"), manifest(tmp_path / "again.zip")
    assert (first["tables"], first["files"], first["migrations"]) == (
        second["tables"], second["files"], second["migrations"],
    )  # fmt: skip
    assert first["files"]


def digest_in(said):
    """The digest that `canonical_export` has printed among other lines."""
    return re.search(r"^[0-9a-f]{64}", said, re.MULTILINE)[0]


def revisions(place, writers):
    """The numbers of the revisions that an installation has of each writer."""
    said = place.run(REVISIONS, *(f"{task},{rater}" for task, rater, _ in writers.begun))
    return [[int(one) for one in line.split()] for line in said.splitlines()]


def manifest(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))


def picked_up(target, row):
    """What becomes of a row that a worker of the old installation had claimed, when a worker starts here."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "config.worker", "jobs"], cwd=ROOT, env=target.environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        return target.run(STATUS, row, WAIT / 2).strip()
    finally:
        worker.terminate()
        worker.wait(timeout=30)
