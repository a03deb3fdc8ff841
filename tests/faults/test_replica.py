"""Reports and exports read a real streaming replica: never older bytes than the main database's, whatever it does."""

import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests.faults.own_postgres import missing_program, own_postgres, own_replica
from tests.operating.installations import Installation

pytestmark = [pytest.mark.one_database, pytest.mark.timeout(300)]
PREPARE = """
call_command("migrate", verbosity=0)
from tests.load.imported_studies import live_study
from accounts.models import Person
from annotation.members.membership import add_member
add_member(live_study("rating", 8, 2), Person.objects.create(username="ann", password="!"), "annotator", None)
"""
ANSWER = """
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import rater_for
from annotation.models import Study
from accounts.models import Person
from uuid import uuid4
study = Study.objects.get()
form = {"q-follows": ["true"], "q-how_well": ["5"], "q-comment": ["Good."]}
task = next_assignment(study, rater_for(study, Person.objects.get()))
submit(task, Submission(form, revision=0, guidelines_version=1, client_key=uuid4()))
"""
WORK = """
from annotation.models import Study
from config.background.claiming import run_waiting
from reports.kept_reports import kept_report
from reports.models import KeptReport
from reports.report_kinds.agreement import agreement_choices
kept_report(Study.objects.get(), "agreement", agreement_choices())
run_waiting()
print(KeptReport.objects.get(kind="agreement").status)
"""
DYING = """
import os, signal
import reports.exporting as exporting
counts = exporting._counts
def killed(study):
    exporting._counts = counts
    os.killpg({pid}, signal.SIGKILL)
    return counts(study)
exporting._counts = killed
call_command("export_study", "load", "--out", sys.argv[1], "--data-only", verbosity=0)
assert exporting._counts is counts
"""
READS = "SELECT COALESCE(sum(seq_scan + idx_scan), 0) FROM pg_stat_user_tables WHERE relname = 'annotation_rating'"


@pytest.fixture(scope="module")
def site():
    """A site with a study and an answer, its main database, and a replica that it is told to read."""
    if missing := missing_program():
        pytest.skip(missing)
    with TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        folder.chmod(0o711)  # the servers' user passes through it
        (folder / "main").mkdir()
        main = servers.enter_context(own_postgres(folder / "main"))
        replica = servers.enter_context(own_replica(folder / "replica", main))
        (folder / "var").mkdir()
        installation = Installation(main.url, folder / "var", extra={"REPLICA_DATABASE_URL": replica.url})
        installation.run(PREPARE + ANSWER)
        yield installation, main, replica


def asked(server, sql):
    with psycopg.connect(server.url, autocommit=True) as connection:
        return connection.execute(sql).fetchone()[0]


def exported(installation, folder, *more, from_main=False):
    """The files of an export, by name, and what was logged; `from_main` reads no replica."""
    shutil.rmtree(folder, ignore_errors=True)
    extra = installation.extra
    installation.extra = {} if from_main else extra
    done = installation.manage("export_study", "load", "--out", folder, *more)
    installation.extra = extra
    assert done.returncode == 0, done.stderr
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return files, done.stderr


@pytest.mark.thorough
def test_exports_and_reports_are_read_from_the_replica_with_the_same_bytes(site, tmp_path):
    installation, main, replica = site
    of_main, _ = exported(installation, tmp_path / "out", from_main=True)
    before = asked(main, READS), asked(replica, READS)
    of_replica, logged = exported(installation, tmp_path / "out")
    assert of_replica == of_main
    assert "main database" not in logged
    installation.run(ANSWER)
    between = asked(main, READS), asked(replica, READS)
    assert before[1] < between[1]
    assert installation.run(WORK).split() == ["done"]
    assert asked(replica, READS) > between[1]
    assert asked(main, READS) == between[0]


@pytest.mark.thorough
def test_a_replica_that_lags_is_waited_for_and_then_passed_over(site, tmp_path):
    installation, _, replica = site
    before, _ = exported(installation, tmp_path / "out", "--data-only", from_main=True)
    asked(replica, "SELECT pg_wal_replay_pause()")
    installation.run(ANSWER)
    fresh, logged = exported(installation, tmp_path / "out", "--data-only")
    asked(replica, "SELECT pg_wal_replay_resume()")
    assert fresh == exported(installation, tmp_path / "out", "--data-only", from_main=True)[0]
    assert fresh["annotations.jsonl"] != before["annotations.jsonl"]
    assert "still behind the main database" in logged
    assert (installation.var / "replica_unusable").exists()


@pytest.mark.thorough
def test_a_replica_that_dies_while_it_is_read_or_is_away_loses_no_export(site, tmp_path):
    installation, _, replica = site
    expected, _ = exported(installation, tmp_path / "out", "--data-only", from_main=True)
    dying = DYING.format(pid=replica.process.pid)
    shutil.rmtree(tmp_path / "out")
    installation.run(dying, tmp_path / "out")
    files = {path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    assert files == expected.keys()
    again, logged = exported(installation, tmp_path / "out", "--data-only")
    assert again == expected
    assert "The replica is not read" in logged
