"""Versions and schemas: what starts, what refuses to, and what a migration that fails leaves behind."""

import shutil
import subprocess
import sys

import pytest

from config import schema_state
from config.schema_state import WrongSchemaError, check_before, check_schema
from tests.house import ROOT
from tests.later_versions import write_later_version
from tests.operating.installations import QUICK_KINDS, Installation, installation, skip_without_server

pytestmark = [pytest.mark.both, pytest.mark.timeout(1800)]

SOMEBODY = """
call_command("migrate", verbosity=0)
from accounts.models import Person
Person.objects.create_user("somebody", password="a long password of somebody")
"""
LATER = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]
    operations = [
        migrations.CreateModel("Later", fields=[
            ("id", models.BigAutoField(primary_key=True)), ("text", models.TextField(default="")),
        ]),
    ]
"""
FAILING = """
from django.db import migrations, models

class Migration(migrations.Migration):
    dependencies = [("webhooks", "{before}")]
    operations = [
        migrations.CreateModel("Half", fields=[("id", models.BigAutoField(primary_key=True))]),
        migrations.RunSQL("INSERT INTO a_table_that_nobody_has VALUES (1)"),
    ]
"""


def later_version(site: Installation, **migrations: str) -> Installation:
    """The same installation under a version with more migrations of one app, by their names."""
    named = {name.lstrip("_"): text for name, text in migrations.items()}
    return Installation(site.url, site.var, write_later_version(site.var.parent, "webhooks", named), site.extra)


@pytest.fixture(scope="module")
def one_person(tmp_path_factory):
    """The folder of an installation on SQLite with one person: made once, copied by tests."""
    folder = tmp_path_factory.mktemp("one")
    with installation("sqlite", folder / "site") as made:
        made.run(SOMEBODY)
    return folder / "site"


@pytest.fixture(params=QUICK_KINDS)
def site(request, tmp_path, one_person):
    """An installation with one person."""
    skip_without_server(request.param)
    with installation(request.param, tmp_path / "site") as made:
        if request.param == "sqlite":
            shutil.copytree(one_person, tmp_path / "site", dirs_exist_ok=True)
        else:
            made.run(SOMEBODY)
        yield made


def backups(site):
    return sorted((site.var / "backups").glob("*.zip"))


def module(site, *arguments):
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, env=site.environment, capture_output=True, text=True, timeout=60,
        check=False,
    )  # fmt: skip


def test_a_version_older_than_the_schema_does_not_start(site):
    newer = later_version(site, _0002_later=LATER)
    newer.must("migrate", "-v", "0")
    sentence = "The database belongs to a later version than"
    assert sentence in site.refused("complete_imports")
    assert "webhooks.0002_later" in site.refused("migrate")
    assert sentence in site.refused("backup", site.var.parent / "b.zip")
    for start in (("config.worker", "calls"), ("config.startup", "--address", "http://127.0.0.1:1")):
        done = module(site, *start)
        assert (done.returncode, sentence in done.stderr, "Traceback" in done.stderr) == (1, True, False)
    web = module(site, "gunicorn", "config.wsgi", "--bind", "127.0.0.1:0", "--workers", "1", "--no-control-socket")
    assert web.returncode == 3
    assert sentence in web.stderr
    assert "[X] 0001_initial" in site.must("showmigrations", "webhooks")  # the command that goes on
    newer.must("complete_imports")


@pytest.mark.thorough
def test_processes_wait_for_migrations_and_say_so(site):
    newer = later_version(site, _0002_later=LATER)
    done = module(newer, "config.worker", "calls")
    assert done.returncode == 1
    assert "Run python manage.py migrate first, which makes a backup" in done.stderr


@pytest.mark.thorough
def test_a_migration_of_data_makes_a_backup_first_and_that_one_restores(site, tmp_path):
    assert backups(site) == []  # there was nothing to lose when the tables were made
    digest = site.digest()
    newer = later_version(site, _0002_later=LATER)
    assert "Made a backup before the migration" in newer.must("migrate", "-v", "0")
    [backup] = backups(site)
    newer.must("migrate", "-v", "0")
    assert backups(site) == [backup]
    with installation("sqlite", tmp_path / "old") as old:
        old.must("restore", backup)  # going back: the earlier version, in an empty database
        assert old.digest() == digest


@pytest.mark.thorough
def test_a_backup_is_restored_by_a_later_version_and_not_the_other_way_round(site, tmp_path):
    site.must("backup", tmp_path / "backup.zip")
    with installation("sqlite", tmp_path / "new") as new:
        forward = later_version(new, _0002_later=LATER)
        forward.must("restore", tmp_path / "backup.zip")  # loaded into its own schema, then migrated
        assert "[X] 0002_later" in forward.must("showmigrations", "webhooks")
        forward.must("backup", tmp_path / "newer.zip")
    with installation("sqlite", tmp_path / "older") as older:
        assert "that version" in older.refused("restore", tmp_path / "newer.zip")


@pytest.mark.thorough
def test_a_backup_before_a_migration_can_be_switched_off(site):
    newer = later_version(site, _0002_later=LATER)
    newer.extra = {"BACKUP_BEFORE_MIGRATE": "false"}
    newer.must("migrate", "-v", "0")
    assert backups(site) == []


def test_nothing_is_migrated_without_the_backup(site):
    (site.var / "backups").write_text("not a folder")
    newer = later_version(site, _0002_later=LATER)
    assert newer.manage("migrate", "-v", "0").returncode != 0
    site.must("complete_imports")


def test_a_migration_that_fails_leaves_what_the_earlier_version_starts_on(site):
    digest = site.digest()
    newer = later_version(site, _0002_failing=FAILING.format(before="0001_initial"))
    done = newer.manage("migrate", "-v", "0")
    assert done.returncode != 0
    assert "The migration failed and changed nothing: the version that ran before still starts." in done.stderr
    assert str(backups(site)[0]) in done.stderr
    site.must("complete_imports")
    assert site.digest() == digest


@pytest.mark.thorough
def test_a_migration_that_fails_later_stops_both_versions_and_names_the_backup(site, tmp_path):
    digest = site.digest()
    newer = later_version(site, _0002_later=LATER, _0003_failing=FAILING.format(before="0002_later"))
    done = newer.manage("migrate", "-v", "0")
    assert "between two versions and nothing starts on it" in done.stderr
    [backup] = backups(site)
    assert str(backup) in done.stderr
    assert "belongs to a later version" in site.refused("complete_imports")
    assert "migrations are missing" in module(newer, "config.worker", "calls").stderr
    with installation("sqlite", tmp_path / "back") as back:
        back.must("restore", backup)
        assert back.digest() == digest


def test_this_database_is_of_this_version(db, settings, tmp_path):
    settings.VAR = tmp_path
    check_schema(complete=True)
    check_before("backup")


def test_a_missing_migration_is_said_by_name(db, settings, tmp_path, monkeypatch):
    settings.VAR = tmp_path
    known = schema_state.names_on_disk()
    monkeypatch.setattr(schema_state, "names_on_disk", lambda: known | {("annotation", "0002_next")})
    check_schema(complete=False)
    with pytest.raises(WrongSchemaError, match=r"1 migrations are missing \(annotation\.0002_next\)"):
        check_schema(complete=True)


@pytest.mark.thorough
def test_a_database_that_does_not_exist_is_not_made(tmp_path):
    with installation("sqlite", tmp_path / "none") as none:
        none.run("from config.schema_state import check_schema; check_schema(complete=True)")
        assert not (tmp_path / "none" / "data.sqlite3").exists()
