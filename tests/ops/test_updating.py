"""Updating and going back with Docker: the scripts with programs in place of Docker and git that note what they do."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from operating.management.commands import migrate
from operating.var_files import folders
from scripts import compose
from tests.ops.conftest import ROOT, clean_environment

FAKE_GIT = """#!/bin/sh
echo "git $*" >> {notes}
case "$*" in
  {fails}) exit 1 ;;
  "describe --tags --always") echo v0.1.0 ;;
  "checkout --quiet "*) echo "$3" > {files} ;;
esac
"""
FAKE_DOCKER = """#!/bin/sh
echo "$(cat {files}): $*" >> {notes}
case "$*" in {fails}) exit 1 ;; "compose logs "*) cat {log} ;; esac
"""
"""Notes whose files are there, because compose reads the names of services from them."""
APPLIED = "  Applying webhooks.0002_later... OK\n"
MADE = "Made a backup before the migration: {}\n"
UNTIL_THE_STOP = "/var/lib/interrater/backups/before-migration-20261126-120000.zip"


@pytest.fixture
def run(tmp_path):
    """A function that runs a script; commands that match `fails` fail, and `log` is what containers have printed.

    It returns the result and the commands.
    """

    def start(
        script: str, *arguments: str, fails: str = "nothing", log: str = ""
    ) -> tuple[subprocess.CompletedProcess, list[str]]:
        notes, files, printed = tmp_path / "notes", tmp_path / "files", tmp_path / "log"
        files.write_text("v0.1.0\n")
        printed.write_text(log)
        for name, text in {"docker": FAKE_DOCKER, "git": FAKE_GIT}.items():
            (tmp_path / name).write_text(text.format(notes=notes, files=files, fails=fails, log=printed))
            (tmp_path / name).chmod(0o755)
        done = subprocess.run(
            [str(ROOT / "deploy" / script), *arguments], capture_output=True, text=True, check=False, timeout=60,
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        )  # fmt: skip
        return done, notes.read_text().splitlines() if notes.exists() else []

    return start


def place(commands: list[str], part: str) -> int:
    (found,) = (number for number, command in enumerate(commands) if part in command)
    return found


def test_an_update_builds_and_makes_a_backup_before_anything_stops(run):
    done, commands = run("update.sh", "v0.2.0")
    assert done.returncode == 0, done.stderr
    assert commands == [
        "git describe --tags --always",
        "git fetch --tags",
        "git checkout --quiet v0.2.0",
        "v0.2.0: compose build",
        "git checkout --quiet v0.1.0",
        "v0.1.0: compose exec -T backup python manage.py dated_backup /backups",
        "v0.1.0: compose stop web workers backup",  # the names of what runs, which the new files may not have
        "git checkout --quiet v0.2.0",
        "v0.2.0: compose up -d --wait --remove-orphans",
        "v0.2.0: compose restart proxy",
    ]
    assert "Before it ran v0.1.0" in done.stdout


def test_the_backup_of_an_update_keeps_as_many_as_the_daily_one(run):
    _, commands = run("update.sh", "v0.2.0")
    values = {"ALLOWED_HOSTS": "rate.example.org", "BACKUP_KEEP": "60"}
    (service,) = (one for one in compose.services(values) if one.name == "backup")
    assert "--keep" not in " ".join((*service.command, commands[place(commands, "dated_backup")]))
    told = subprocess.run(
        [sys.executable, "manage.py", "dated_backup", "--help"], cwd=ROOT, capture_output=True, text=True, check=True,
        env=clean_environment(SECRET_KEY="k" * 50, BACKUP_KEEP=service.environment["BACKUP_KEEP"]),
    )  # fmt: skip
    assert "(BACKUP_KEEP: 60)" in " ".join(told.stdout.split())


@pytest.mark.parametrize("fails", ['"compose build"', "*dated_backup*", '"fetch --tags"'])
def test_nothing_stops_if_a_step_before_fails(run, fails):
    done, commands = run("update.sh", "v0.2.0", fails=fails)
    assert done.returncode != 0
    assert not any("stop" in command for command in commands)
    assert [command for command in commands if "checkout" in command][1:] in ([], ["git checkout --quiet v0.1.0"])


def test_an_update_that_does_not_start_goes_back_to_the_backup_of_its_migration(run):
    """The backup before the services stopped lacks what people answered until then."""
    log = MADE.format("/an/earlier/one.zip") + MADE.format(UNTIL_THE_STOP) + APPLIED
    done, commands = run("update.sh", "v0.2.0", fails='"compose up"*', log=log)
    assert done.returncode == 1
    assert f"\n  deploy/go_back.sh v0.1.0 {UNTIL_THE_STOP}\n" in done.stderr
    assert " /backups/" not in done.stderr
    assert re.search(r"logs --no-log-prefix --since 2\d{3}-\S+Z migrate$", commands[-1])  # not of earlier updates


def test_the_words_that_are_read_in_the_log_are_those_of_migrate():
    text = Path(inspect.getfile(migrate)).read_text(encoding="utf-8")
    assert MADE.format("{path}").strip() in text
    assert "failed and changed nothing" in migrate.UNCHANGED


def test_an_update_that_migrated_without_a_backup_says_what_is_missing_from_the_newest_one(run):
    done, _ = run("update.sh", "v0.2.0", fails='"compose up"*', log=APPLIED)
    assert "lacks the last answers" in done.stderr
    assert "deploy/go_back.sh v0.1.0 /backups/" in done.stderr
    assert "git checkout" not in done.stderr


@pytest.mark.parametrize("log", ["", MADE.format(UNTIL_THE_STOP) + migrate.UNCHANGED, "The disk is full. Nothing"])
def test_an_update_that_changed_no_data_needs_no_restore(run, log):
    done, _ = run("update.sh", "v0.2.0", fails='"compose up"*', log=log)
    assert done.returncode == 1
    assert "go_back.sh" not in done.stderr
    assert "git checkout v0.1.0 && docker compose build && docker compose up -d --wait" in done.stderr


def test_going_back_restores_beside_the_present_data_and_looks_at_it_when_the_site_runs(run):
    done, commands = run("go_back.sh", "v0.0.9", "/backups/a.zip")
    assert done.returncode == 0, done.stderr
    parts = [
        "v0.1.0: compose run --rm --no-deps -T backup test -r /backups/a.zip", "v0.0.9: compose build",
        "v0.1.0: compose stop web workers backup", "rm -rf /var/lib/interrater/restored",
        "CREATE DATABASE interrater_restored", "mkdir -m 0700 /var/lib/interrater/restored",
        "manage.py restore /backups/a.zip", "RENAME TO interrater_until_",
        "for name in turn_judges", "v0.0.9: compose up -d --wait --remove-orphans", "v0.0.9: compose restart proxy",
        "manage.py checkdata",
    ]  # fmt: skip
    assert [place(commands, part) for part in parts] == sorted(place(commands, part) for part in parts)
    restored = commands[place(commands, "manage.py restore")]
    assert restored.startswith("v0.0.9: ")
    assert "--no-deps" in restored  # otherwise migrate would make the tables
    (service,) = (one for one in compose.services({"ALLOWED_HOSTS": "x"}) if one.name == "backup")
    assert f" DATABASE_URL={service.environment['DATABASE_URL']}_restored " in restored
    assert f" VAR={service.environment['VAR']}/restored " in restored
    renamed = commands[place(commands, "RENAME TO interrater_until_")]
    assert "--single-transaction" in renamed
    assert renamed.endswith("-c ALTER DATABASE interrater_restored RENAME TO interrater")
    assert "DROP DATABASE IF EXISTS interrater_restored" in "".join(commands)
    assert "".join(commands).count("DROP") == 1


def test_what_checkdata_finds_after_going_back_stops_nothing(run):
    done, commands = run("go_back.sh", "v0.0.9", "/backups/a.zip", fails="*checkdata*")
    assert done.returncode == 0
    assert "run checkdata again" in done.stderr
    assert place(commands, "compose up -d --wait --remove-orphans") < place(commands, "checkdata")


@pytest.mark.parametrize("fails", ["*interrater_restored\\ OWNER*", "*\\ restore\\ *", "*RENAME*"])
def test_a_backup_that_cannot_be_restored_leaves_the_site_as_it_was(run, fails):
    done, commands = run("go_back.sh", "v0.0.9", "/backups/a.zip", fails=fails)
    assert done.returncode == 1
    assert "whose data is as it was" in done.stderr
    assert commands[-4:] == [
        "git checkout --quiet v0.1.0", "v0.1.0: compose build", "v0.1.0: compose up -d --wait --remove-orphans",
        "v0.1.0: compose restart proxy",
    ]  # fmt: skip
    assert not any("for name in turn_judges" in command for command in commands)


def test_the_files_that_change_places_are_those_of_backups():
    text = (ROOT / "deploy" / "go_back.sh").read_text(encoding="utf-8")
    assert set(text.split('\nfolders="')[1].split('"')[0].split()) == set(folders())


@pytest.mark.parametrize("fails", ["*test\\ -r*", '"compose build"'])
def test_a_missing_backup_stops_nothing(run, fails):
    done, commands = run("go_back.sh", "v0.1.0", "/backups/missing.zip", fails=fails)
    assert done.returncode != 0
    assert not any("stop" in command or "ALTER" in command for command in commands)


@pytest.mark.parametrize("script", ["update.sh", "go_back.sh"])
def test_the_scripts_stop_every_service_that_writes(script):
    text = (ROOT / "deploy" / script).read_text(encoding="utf-8")
    stopped = set(text.split("compose stop ")[1].splitlines()[0].split())
    assert stopped == set(compose.read()["services"]) - {"postgres", "redis", "migrate", "proxy"}


@pytest.mark.parametrize("script", ["update.sh", "go_back.sh"])
def test_a_script_without_a_version_does_nothing(run, script):
    done, commands = run(script)
    assert done.returncode != 0
    assert "Name the version" in done.stderr
    assert commands == []
    assert os.access(Path(ROOT / "deploy" / script), os.X_OK)
