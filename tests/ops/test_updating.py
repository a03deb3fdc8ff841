"""Updating and going back with Docker: the scripts with programs in place of Docker and git that note what they do."""

import os
import subprocess
from pathlib import Path

import pytest

from scripts import compose
from tests.ops.conftest import ROOT

FAKE = """#!/bin/sh
echo "{name} $*" >> {notes}
case "$*" in {fails}) exit 1 ;; "describe --tags --always") echo v0.1.0 ;; esac
"""


@pytest.fixture
def run(tmp_path):
    """A function that runs a script; commands that match `fails` fail. Returns the result and the commands."""

    def start(script: str, *arguments: str, fails: str = "nothing") -> tuple[subprocess.CompletedProcess, list[str]]:
        notes = tmp_path / "notes"
        for name in ("docker", "git"):
            (tmp_path / name).write_text(FAKE.format(name=name, notes=notes, fails=fails))
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
    parts = [
        "git checkout --quiet v0.2.0", "compose build", "dated_backup /backups", "compose stop", "up -d --wait",
        "restart proxy",
    ]  # fmt: skip
    assert [place(commands, part) for part in parts] == sorted(place(commands, part) for part in parts)
    assert "Before it ran v0.1.0" in done.stdout


@pytest.mark.parametrize("fails", ['"compose build"', "*dated_backup*", '"fetch --tags"'])
def test_nothing_stops_if_a_step_before_fails(run, fails):
    done, commands = run("update.sh", "v0.2.0", fails=fails)
    assert done.returncode != 0
    assert not any("stop" in command for command in commands)


def test_an_update_that_does_not_start_says_how_to_go_back(run):
    done, _ = run("update.sh", "v0.2.0", fails='"compose up -d --wait"')
    assert done.returncode == 1
    assert "deploy/go_back.sh v0.1.0 /backups/" in done.stderr


def test_going_back_restores_into_an_empty_database_and_keeps_the_other(run):
    done, commands = run("go_back.sh", "v0.1.0", "/backups/a.zip")
    assert done.returncode == 0, done.stderr
    parts = [
        "test -r /backups/a.zip", "git checkout", "compose build", "compose stop", "ALTER DATABASE",
        "restore /backups/a.zip", "checkdata", "up -d --wait", "restart proxy",
    ]  # fmt: skip
    assert [place(commands, part) for part in parts] == sorted(place(commands, part) for part in parts)
    assert "CREATE DATABASE interrater" in commands[place(commands, "ALTER DATABASE")]
    assert "--no-deps" in commands[place(commands, "restore /backups")]  # otherwise migrate would make the tables
    assert "DROP" not in "".join(commands)


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
