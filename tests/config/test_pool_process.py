"""A process of the pool ends when it has rested after work, never while it works or before it has worked."""

import signal
import subprocess
import sys

import pytest
from billiard.pool import EX_RECYCLE

from config import pool_process
from config.pool_process import PoolProcess
from tests.house import ROOT


@pytest.fixture
def clock(monkeypatch):
    """A function that lets seconds pass."""
    now = [1000.0]
    monkeypatch.setattr(pool_process.time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


def test_only_a_process_that_has_worked_and_not_for_a_while_has_rested(clock):
    process = PoolProcess()
    clock(1000)
    assert not process.has_rested
    process.begin()
    clock(1000)
    assert not process.has_rested
    process.finish()
    clock(59)
    assert not process.has_rested
    clock(2)
    assert process.has_rested


def test_work_that_comes_with_the_signal_is_done(clock):
    process = PoolProcess()
    process.begin()
    process.finish()
    clock(61)
    process.begin()
    process.end_if_rested(signal.SIGURG, None)
    process.finish()
    clock(61)
    with pytest.raises(SystemExit) as ended:
        process.end_if_rested(signal.SIGURG, None)
    assert ended.value.code == EX_RECYCLE


POOL = """
import os, time
import billiard
from billiard.pool import Pool
from celery.signals import task_postrun, task_prerun
from config import pool_process
from config.pool_process import PoolProcess
pool_process.CHECK_EVERY = 0.05

def begin():
    PoolProcess(rested=0.2).watch()

def work(number):
    task_prerun.send(sender=None)
    try:
        return os.getpid()
    finally:
        task_postrun.send(sender=None)

if __name__ == "__main__":
    pool = Pool(1, initializer=begin, threads=True, sigprotect=True)
    first = pool.apply_async(work, (1,)).get(60)
    while any(process.pid == first for process in pool._pool):
        time.sleep(0.05)
    while True:  # a job that the old process took with it is given up by the pool
        try:
            second = pool.apply_async(work, (2,)).get(60)
            break
        except billiard.exceptions.WorkerLostError:
            pass
    print(first != second, flush=True)
    os._exit(0)
"""


def test_the_pool_replaces_a_process_that_has_rested_and_goes_on(tmp_path):
    program = tmp_path / "pool.py"
    program.write_text(POOL)
    done = subprocess.run(
        [sys.executable, str(program)], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == "True\n", done.stderr
