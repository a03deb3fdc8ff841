"""What operators are told about an old or remote database, and about limits that each process counts alone."""

import sqlite3
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import NotSupportedError, connection

from config.background.workers import report_alive
from operating import surroundings
from operating.surroundings import file_system_of, log_warnings, surroundings_warnings

pytestmark = [pytest.mark.both, pytest.mark.django_db]
MOUNT = "{number} 1 0:1 / {place} rw,relatime shared:1 - {kind} server:/disk rw\n"


@pytest.fixture
def site(monkeypatch, tmp_path):
    """An SQLite site that nothing is to be said about; a function that mounts a kind of file system below it."""

    def mount(kind, place=tmp_path):
        mounts = tmp_path / "mounts"
        mounts.write_text(
            MOUNT.format(number=1, place="/", kind="ext4") + MOUNT.format(number=2, place=place, kind=kind)
        )
        monkeypatch.setattr(surroundings, "MOUNTS", mounts)

    monkeypatch.setattr(connection, "vendor", "sqlite")
    monkeypatch.setitem(connection.settings_dict, "NAME", str(tmp_path / "var" / "interrater.sqlite3"))
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 3))
    mount("ext4")
    return mount


def ids():
    return [warning.id for warning in surroundings_warnings()]


def test_an_old_or_remote_sqlite_and_several_hosts_are_warned_of(site, monkeypatch, caplog, admin_client):
    report_alive("one:1:calls", ("calls",), True)
    report_alive("one:2:jobs", ("jobs",), True)
    assert ids() == []
    assert 'id="surroundings"' not in admin_client.get("/admin/").content.decode()
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 51, 2))
    assert ids() == ["operating.W001"]
    site("nfs4")
    report_alive("two:1:jobs", ("jobs",), True)
    assert ids() == ["operating.W001", "operating.W002", "operating.W003"]
    page, printed = admin_client.get("/admin/").content.decode(), StringIO()
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE", raising=False)  # Django refuses it, and browser tests need it
    call_command("check", tags=["compatibility"], deploy=True, stderr=printed, stdout=printed)
    log_warnings()
    for warning in surroundings_warnings():
        assert warning.id in printed.getvalue()
        assert warning.hint in page
        assert warning.hint in caplog.text


def test_the_file_system_is_that_of_the_nearest_mount(site, tmp_path):
    site("fuse.sshfs", tmp_path / "var")
    assert file_system_of(tmp_path / "var" / "x" / "y.sqlite3") == "fuse.sshfs"
    assert file_system_of(tmp_path / "variant") == "ext4"
    assert file_system_of(Path("/")) == "ext4"


def test_a_machine_without_a_list_of_mounts_is_not_warned(site, monkeypatch, tmp_path):
    monkeypatch.setattr(surroundings, "MOUNTS", tmp_path / "missing")
    assert ids() == []


@pytest.mark.skipif(connection.vendor != "postgresql", reason="about PostgreSQL's version")
def test_an_old_postgresql_is_refused(monkeypatch):
    monkeypatch.setattr(connection, "get_database_version", lambda: (13, 22))
    with pytest.raises(NotSupportedError, match="PostgreSQL 14 or later is required"):
        connection.check_database_version_supported()
