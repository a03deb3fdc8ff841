"""Commands that cannot continue say so in one sentence."""

import subprocess
import sys

import pytest

from tests.ops.conftest import ROOT, clean_environment, free_port


def manage(tmp_path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL, env=clean_environment(VAR=str(tmp_path / "var"), **environment),
    )  # fmt: skip


def assert_one_sentence(done: subprocess.CompletedProcess, *parts: str) -> None:
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    for part in parts:
        assert part in line


@pytest.mark.parametrize("command", [("migrate",), ("agreement", "study")])
@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("DATABASE_URL", "foo://bar", "postgres://user:password@host"),
        ("DATABASE_URL", "mysql://u@h/name", "postgres://user:password@host"),
        ("LOG_LEVEL", "foo", "DEBUG, INFO"),
    ],
)
def test_a_setting_that_cannot_be_read_is_explained_in_one_sentence(tmp_path, command, name, value, advice):
    assert_one_sentence(manage(tmp_path, *command, **{name: value}), name, advice)


@pytest.mark.parametrize(
    "command",
    [
        ("export_study", "s", "--out", "out"),
        *(pytest.param(one, marks=pytest.mark.thorough) for one in [("agreement", "s"), ("make_live", "s")]),
    ],
)
def test_a_database_without_tables_is_explained_in_one_sentence(tmp_path, command):
    (tmp_path / "var").mkdir()
    assert_one_sentence(manage(tmp_path, *command), "interrater.sqlite3", "manage.py migrate")


def test_a_database_that_does_not_answer_is_explained_in_one_sentence(tmp_path):
    address = f"postgres://nobody:hidden-word@127.0.0.1:{free_port()}/nothing"
    done = manage(tmp_path, "agreement", "study", DATABASE_URL=address)
    assert_one_sentence(done, "127.0.0.1:", "Check DATABASE_URL")
    assert "hidden-word" not in done.stderr


def test_a_database_whose_folder_is_missing_is_explained_in_one_sentence(tmp_path):
    done = manage(tmp_path, "agreement", "study", DATABASE_URL=f"sqlite:///{tmp_path}/nowhere/x.sqlite3")
    assert_one_sentence(done, "nowhere/x.sqlite3", "Check DATABASE_URL")
