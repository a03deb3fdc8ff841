"""Moving old audit entries to a file."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from accounts import audit_archive
from accounts.audit_archive import archive_audit
from accounts.audited_erasure import ErasureRefusedError
from accounts.auditing import identity_of, record
from accounts.models import AuditEntry
from config.erasure import ErasedRows, open_erasure

pytestmark = pytest.mark.django_db
LONG_AGO = datetime(2020, 5, 1, 12, tzinfo=UTC)
BEFORE = datetime(2021, 1, 1, tzinfo=UTC)


@pytest.fixture
def entries(owner, rater):
    """Three old entries and a new one."""
    for number in range(3):
        record(
            "member added", f"the {number}th \u2028 \U0001f9ca", actor=owner, about=rater, study="one", new={"n": 1e22}
        )
    with open_erasure("the test's clock"):
        AuditEntry.objects.update(at=LONG_AGO)
    record("signed in", actor=rater)
    return list(AuditEntry.objects.filter(at=LONG_AGO).order_by("pk"))


def test_old_entries_move_to_the_file_and_new_ones_stay(entries, owner, rater, tmp_path):
    path = tmp_path / "audit-2020.jsonl"
    assert archive_audit(BEFORE, path, owner) == 3
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    assert lines == [
        {
            "id": entry.pk, "at": "2020-05-01T12:00:00+00:00", "action": "member added", "study": "one",
            "actor": identity_of(owner, "one").pk, "about": identity_of(rater, "one").pk,
            "subject": entry.subject, "old": None, "new": {"n": 1e22},
        }
        for entry in entries
    ]  # fmt: skip
    assert (path.stat().st_mode & 0o777) == 0o600
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == ["signed in", "audit archived"]
    moved = AuditEntry.objects.get(action="audit archived")
    assert (moved.actor.person, moved.new["entries"], moved.new["file"]) == (owner, 3, "audit-2020.jsonl")
    assert moved.new["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_file_names_nobody(entries, tmp_path):
    archive_audit(BEFORE, tmp_path / "out", None)
    text = (tmp_path / "out").read_text(encoding="utf-8")
    assert "owner" not in text
    assert "rater" not in text


def test_nothing_moves_if_the_file_exists_or_cannot_be_written_or_nothing_is_old(entries, tmp_path):
    (tmp_path / "taken").write_text("kept")
    for path, before, words in (
        (tmp_path / "taken", BEFORE, "exists already"),
        (tmp_path / "no-folder" / "out", BEFORE, "cannot be written"),
        (tmp_path / "out", LONG_AGO - timedelta(days=1), "no entries that old"),
    ):
        with pytest.raises(ErasureRefusedError, match=words):
            archive_audit(before, path, None)
    assert (tmp_path / "taken").read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
    assert AuditEntry.objects.count() == 4


def test_if_two_archive_at_once_one_moves_the_entries(entries, tmp_path, monkeypatch):
    publish = audit_archive._publish

    def somebody_is_faster(part, path):
        monkeypatch.setattr(audit_archive, "_publish", publish)
        archive_audit(BEFORE, tmp_path / "first", None)
        publish(part, path)

    monkeypatch.setattr(audit_archive, "_publish", somebody_is_faster)
    with pytest.raises(ErasureRefusedError, match="Another archive is running"):
        archive_audit(BEFORE, tmp_path / "second", None)
    assert [path.name for path in tmp_path.iterdir()] == ["first"]
    assert AuditEntry.objects.filter(action="audit archived").count() == 1
    assert AuditEntry.objects.count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("problem", [OperationalError("the connection is lost"), KeyboardInterrupt()])
def test_the_file_is_kept_if_the_commit_may_have_succeeded(entries, tmp_path, monkeypatch, problem):
    path = tmp_path / "out"
    with monkeypatch.context() as patched:
        commit = connection._commit

        def commit_unheard():
            commit()
            raise problem

        patched.setattr(connection, "_commit", commit_unheard)
        with pytest.raises(CommandError, match="is kept") as told:
            call_command("archive_audit", str(path), "--before", "2021-01-01")
    assert str(path) in str(told.value)
    assert not AuditEntry.objects.filter(at=LONG_AGO).exists()
    assert AuditEntry.objects.get(action="audit archived").new["file"] == "out"
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    assert [json.loads(line)["id"] for line in lines] == [entry.pk for entry in entries]


@pytest.mark.django_db(transaction=True)
def test_the_file_is_removed_if_an_entry_cannot_be_deleted(entries, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(ErasedRows, "delete", interrupted)
    with pytest.raises(KeyboardInterrupt):
        archive_audit(BEFORE, tmp_path / "out", None)
    assert list(tmp_path.iterdir()) == []
    assert AuditEntry.objects.filter(at=LONG_AGO).count() == 3


def test_the_command(entries, tmp_path, capsys):
    call_command("archive_audit", str(tmp_path / "out"), "--before", "2021-01-01")
    assert "3 entries were moved to" in capsys.readouterr().out
    with pytest.raises(CommandError, match="no entries that old"):
        call_command("archive_audit", str(tmp_path / "again"), "--before", "2021-01-01")


def test_a_studys_oldest_entries_move_when_it_has_more_than_are_kept(entries, tmp_path, capsys):
    record("member added", "of another study", actor=None, study="two")
    with open_erasure("the test's clock"):
        for day, entry in enumerate(entries):
            AuditEntry.objects.filter(pk=entry.pk).update(at=LONG_AGO + timedelta(days=day))
        AuditEntry.objects.filter(study="two").update(at=LONG_AGO - timedelta(days=9))
    given = {"study": "one", "keep": 2}
    call_command("archive_audit", tmp_path / "out", **given)
    assert [json.loads(line)["id"] for line in (tmp_path / "out").read_text().rstrip("\n").split("\n")] == [
        entries[0].pk
    ]
    assert AuditEntry.objects.filter(study="one").count() == 2
    assert AuditEntry.objects.filter(study="two").count() == 1
    assert AuditEntry.objects.get(action="audit archived").new["study"] == "one"
    call_command("archive_audit", tmp_path / "again", **given)
    assert "at most 2 entries" in capsys.readouterr().out
    assert not (tmp_path / "again").exists()
    with pytest.raises(CommandError, match="--keep needs --study"):
        call_command("archive_audit", tmp_path / "again", keep=2)
