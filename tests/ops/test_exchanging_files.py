"""Going back exchanges the files of VAR with those of the backup: the script's own lines, without Docker."""

import os
import re
import shutil
import signal
import subprocess

import pytest

from tests.ops.conftest import ROOT

SCRIPT = (ROOT / "deploy" / "go_back.sh").read_text(encoding="utf-8")
LINES = """
set -eu
var=$1 aside=interrater_until_1
inside() { shift; "$@"; }
%s
exchange_files
"""
MOVES = """#!/bin/sh
count=$(($(cat {folder}/moves) + 1))
echo $count > {folder}/moves
if [ $count = {number} ]; then {what}; fi
exec {mv} "$@"
"""
"""In place of `mv`: at its `number`th call it does something else first."""
FAIL, KILL = "exit 1", "kill -9 $PPID; exit 1"
PRESENT, RESTORED = ("uploads", "exports", "audit"), ("turn_judges", "exports", "audit")
"""Folders that have files before, and in the backup. The script makes the missing ones in restored/."""
AFTER = {
    "turn_judges/file": "restored", "exports/file": "restored", "audit/file": "restored",
    "interrater_until_1/uploads/file": "present", "interrater_until_1/exports/file": "present",
    "interrater_until_1/audit/file": "present",
}  # fmt: skip
COUNT = 7
"""Moves in all: three folders aside, and four to their places."""


@pytest.fixture
def var(tmp_path):
    """A VAR whose backup is restored beside it, as the script leaves it before it exchanges the files."""
    for folder, names, text in ((tmp_path / "var", PRESENT, "present"),
                                (tmp_path / "var" / "restored", RESTORED, "restored")):  # fmt: skip
        for name in names:
            (folder / name).mkdir(parents=True)
            (folder / name / "file").write_text(text, encoding="ascii")
    made = re.search(r"sh -c \"cd \$var/restored && (mkdir .+)\"", SCRIPT)[1]
    subprocess.run(["sh", "-c", f"{part('folders=.*')}; {made}"], cwd=tmp_path / "var" / "restored", check=True)
    return tmp_path / "var"


def part(pattern: str) -> str:
    return re.search(rf"^{pattern}$", SCRIPT, re.MULTILINE | re.DOTALL if "{" in pattern else re.MULTILINE)[0]


def exchange(var, number: int = 0, what: str = FAIL) -> int:
    """Run the script's lines; return their exit code."""
    programs = var.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "moves").write_text("0")
    text = MOVES.format(folder=programs, number=number, what=what, mv=shutil.which("mv"))
    (programs / "mv").write_text(text, encoding="ascii")
    (programs / "mv").chmod(0o755)
    lines = LINES % "\n".join((part("folders=.*"), part(r"exchange_files\(\) \{.*?^\}")))
    return subprocess.run(
        ["sh", "-c", lines, "sh", str(var)], env={"PATH": f"{programs}:{os.environ['PATH']}"}, check=False, timeout=60,
        stderr=subprocess.DEVNULL,
    ).returncode  # fmt: skip


def files(var) -> dict[str, str]:
    return {str(path.relative_to(var)): path.read_text() for path in var.rglob("*") if path.is_file()}


def test_the_files_change_places(var):
    assert exchange(var) == 0
    assert files(var) == AFTER
    assert int((var.parent / "programs" / "moves").read_text()) == COUNT
    assert not (var / "restored").exists()


@pytest.mark.parametrize("what", [FAIL, KILL])
@pytest.mark.parametrize("number", range(1, COUNT + 1))
def test_a_move_that_fails_or_is_cut_loses_nothing_and_the_next_run_finishes(var, number, what):
    """A folder that is exchanged already is not taken for one of before, though the backup alone had it."""
    before = files(var)
    code = exchange(var, number, what)
    assert code == (1 if what == FAIL else 128 + signal.SIGKILL)
    assert sorted(files(var).values()) == sorted(before.values())
    assert exchange(var) == 0
    assert files(var) == AFTER


def test_a_folder_that_was_made_since_is_not_mixed_with_one_of_before(var):
    exchange(var, 2)
    (var / "uploads").mkdir(exist_ok=True)
    (var / "uploads" / "new").write_text("since", encoding="ascii")
    (var / "interrater_until_1" / "uploads").mkdir(exist_ok=True)
    (var / "interrater_until_1" / "uploads" / "old").write_text("before", encoding="ascii")
    assert exchange(var) != 0
    assert {"restored", "since", "before"} <= set(files(var).values())
