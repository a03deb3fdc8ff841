"""What a backup contains, what it refuses, and that a kill or a full disk never leaves a file that looks whole."""

import json
import os
import resource
import signal
import stat
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import override_settings
from django.utils import timezone

from operating.backing_up import write_backup
from operating.backup_format import BackupRefusedError, OpenBackup
from operating.last_backup import last_backup, note_backup
from operating.making_backups import make_backup
from operating.stored_tables import kind_of
from operating.var_files import is_allowed, kept_files
from tests.operating.installations import installation

pytestmark = pytest.mark.both
WHILE_WRITING = """
from operating import backing_up
write, names = backing_up._write_table, []
def slowly(archive, table):
    names.append(table.name)
    if len(names) == 20:
        print("writing", flush=True)
        sys.stdin.readline()
    return write(archive, table)
backing_up._write_table = slowly
call_command("backup", sys.argv[1])
"""


@pytest.fixture
def site(db, tmp_path):
    """A VAR of the test's own, with files of all kinds."""
    var = tmp_path / "var"
    for name in (
        "turn_judges/a-study/ab12/model.safetensors", "uploads/12345678-1234-1234-1234-123456789abc.jsonl",
        "exports/7/12345678-1234-1234-1234-123456789abc.zip", "exports/7/half-written.part", "indexes/x/y",
        "audit/audit-20260131T000000-a1b2c3.jsonl", "audit/.audit-20260201T000000-d4e5f6.jsonl.9f.part",
        "secret_key", "models/m/weights", "broker/message", "endpoints.yaml",
    ):  # fmt: skip
        (var / name).parent.mkdir(parents=True, exist_ok=True)
        (var / name).write_text(f"CANARY {name}", encoding="utf-8")
    with override_settings(VAR=var, ENDPOINTS_FILE=var / "other.yaml"):
        yield tmp_path


def test_every_type_of_column_has_a_form_in_backups():
    models = apps.get_models(include_auto_created=True)
    assert {kind_of(field) for model in models for field in model._meta.concrete_fields} >= {"plain", "time", "uuid"}


def test_a_backup_has_every_table_and_the_files_that_rows_refer_to(site, study):
    write_backup(site / "one.zip")
    with zipfile.ZipFile(site / "one.zip") as archive:
        names = set(archive.namelist())
        manifest = json.loads(archive.read("manifest.json"))
        everything = b"".join(archive.read(name) for name in names)
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    assert set(manifest["tables"]) == tables
    assert names == {f"tables/{name}.jsonl" for name in tables} | {f"files/{name}" for name in manifest["files"]} | {
        "manifest.json"
    }
    assert list(manifest["files"]) == list(kept_files()) == [
        "audit/audit-20260131T000000-a1b2c3.jsonl", "exports/7/12345678-1234-1234-1234-123456789abc.zip",
        "turn_judges/a-study/ab12/model.safetensors", "uploads/12345678-1234-1234-1234-123456789abc.jsonl",
    ]  # fmt: skip
    assert manifest["tables"]["annotation_study"]["rows"] == 1
    assert manifest["endpoints_file"].endswith("other.yaml")
    assert b"CANARY secret_key" not in everything
    assert settings.SECRET_KEY.encode() not in everything


def test_only_its_owner_can_read_a_backup(site):
    write_backup(site / "one.zip")
    assert stat.S_IMODE((site / "one.zip").stat().st_mode) == 0o600


def test_keys_of_endpoints_are_named_and_not_copied(site, monkeypatch):
    text = "endpoints:\n  campus:\n    base_url: http://127.0.0.1:1/v1\n    key: CAMPUS_KEY\n    models: {small: {}}\n"
    (site / "var/other.yaml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("CAMPUS_KEY", "CANARY-SECRET")
    manifest = write_backup(site / "one.zip")
    assert manifest.key_variables == ["CAMPUS_KEY"]
    assert b"CANARY-SECRET" not in (site / "one.zip").read_bytes()


def test_a_backup_never_replaces_a_file(site):
    (site / "one.zip").write_bytes(b"older")
    with pytest.raises(CommandError, match="exists already, and a backup never replaces a file"):
        call_command("backup", site / "one.zip")
    assert (site / "one.zip").read_bytes() == b"older"
    with pytest.raises(CommandError, match="does not exist"):
        call_command("backup", site / "nowhere" / "one.zip")


def test_two_backups_to_one_place_at_once_are_refused(site):
    import fcntl

    with (site / "one.zip.partial").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BackupRefusedError, match="Another backup is writing"):
            write_backup(site / "one.zip")
    write_backup(site / "one.zip")
    assert not (site / "one.zip.partial").exists()


def test_a_full_disk_leaves_no_file_and_is_said_and_remembered(site, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    write_backup(site / "before.zip")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CommandError, match="is full, so no backup was made"):
        call_command("backup", site / "one.zip")
    assert sorted(path.name for path in site.glob("*.zip*")) == ["before.zip"]
    assert "is full" in last_backup().problem
    assert last_backup().made_at is None


def test_a_file_that_may_not_grow_is_no_backup(site):
    """The real thing: the system refuses to write more."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(BackupRefusedError, match="cannot be written"):
            write_backup_noted(site / "one.zip")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not list(site.glob("one.zip*"))


def write_backup_noted(path):
    make_backup(path)


def test_a_killed_backup_leaves_no_file_of_that_name_and_the_next_one_works(tmp_path):
    with installation("sqlite", tmp_path / "one") as one:
        one.must("migrate", "-v", "0")
        process = one.start(WHILE_WRITING, tmp_path / "b.zip")
        assert process.stdout.readline() == "writing\n"
        process.kill()
        process.communicate()
        assert not (tmp_path / "b.zip").exists()
        assert (tmp_path / "b.zip.partial").exists()
        with pytest.raises(BackupRefusedError, match="is not a backup, or only a part of one"):
            OpenBackup(tmp_path / "b.zip.partial")
        one.must("backup", tmp_path / "b.zip")
        assert not (tmp_path / "b.zip.partial").exists()
        OpenBackup(tmp_path / "b.zip").check_digests()


def test_the_last_backup_is_known_and_late_after_some_hours(site):
    assert last_backup().needs_attention
    call_command("backup", site / "one.zip")
    known = last_backup()
    assert (known.problem, known.file, known.size) == ("", str(site / "one.zip"), (site / "one.zip").stat().st_size)
    assert known.rows > 0
    assert not known.needs_attention
    with pytest.raises(CommandError):
        call_command("backup", site / "one.zip")
    failed = last_backup()
    assert (failed.made_at, failed.is_late, failed.needs_attention) == (known.made_at, False, True)
    kept = Path(settings.VAR) / "last_backup.json"
    old = json.loads(kept.read_text()) | {"made_at": (timezone.now() - timedelta(hours=49)).isoformat(), "problem": ""}
    kept.write_text(json.dumps(old))
    assert last_backup().is_late
    with override_settings(BACKUP_WARN_HOURS=50):
        assert not last_backup().needs_attention
    kept.write_text("{")
    assert last_backup().made_at is None
    note_backup(site / "one.zip", 1, 1, 0.5)
    assert not last_backup().is_late


@pytest.mark.parametrize("name", ["../secret_key", "exports/../../x", "indexes/a", "secret_key", "turn_judges/../../x"])
def test_a_backup_s_files_go_only_where_they_belong(name):
    assert not is_allowed(name)
    assert is_allowed("turn_judges/study/ab/model.safetensors")
