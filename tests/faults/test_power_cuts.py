"""Copies of a power cut are really looked at: what they lack or break is named."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.power_cuts import PowerCuts, family, frozen
from tests.load.server import environment, run

LOST = "5f0c1f2e-0000-4000-8000-000000000000"
COUNTS = "import time\nnumber = 0\nwhile True:\n    number += 1\n    print(number, flush=True)\n    time.sleep(0.001)\n"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    """A small study in a database of SQLite, and the environment of programs that use it."""
    folder = tmp_path_factory.mktemp("cut")
    env = environment(f"sqlite:///{folder / 'load.sqlite3'}", folder)
    run(["-m", "tests.load.prepare", "1", "2", "1"], env)
    return folder / "load.sqlite3", env


def copied(database, tmp_path, keys):
    cuts = PowerCuts(tmp_path / "cuts", tmp_path / "ledgers")
    place = cuts._next()
    shutil.copyfile(database, place / "copy.sqlite3")
    (place / "acknowledged.json").write_text(json.dumps(keys))
    return cuts, place


def test_a_whole_copy_is_right_and_a_lost_answer_is_named(database, tmp_path):
    path, env = database
    cuts, place = copied(path, tmp_path, [])
    assert cuts.problems(env) == []
    (place / "acknowledged.json").write_text(json.dumps([LOST]))
    assert cuts.problems(env) == [f"cut-0: lost: {LOST}"]


@pytest.mark.thorough
def test_a_damaged_copy_is_named(database, tmp_path):
    path, env = database
    cuts, place = copied(path, tmp_path, [])
    with (place / "copy.sqlite3").open("r+b") as file:
        file.seek(200_000)
        file.write(b"\xff" * 400_000)
    with pytest.raises(AssertionError, match=r"malformed|not a database"):
        assert cuts.problems(env) == ["malformed"]


def test_a_frozen_process_does_nothing_until_the_end():
    with subprocess.Popen([sys.executable, "-c", COUNTS], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline().strip() == "1"
            with frozen(process.pid):
                assert family(process.pid) == [process.pid]
                assert Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"
            assert int(process.stdout.readline()) > 1
        finally:
            process.kill()
