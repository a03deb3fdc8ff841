"""`make run` from outside: what it prints, what it leaves behind, what it ends."""

import http.client
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import sys
import time
from pathlib import Path

import pytest

from tests.ops.conftest import below, children_of, launching, wait_for_the_end_of

FULL_DATABASE = """
import sqlite3
plain = sqlite3.connect
def connect(*args, **more):
    connection = plain(*args, **more)
    connection.execute("PRAGMA max_page_count = 12")
    return connection
sqlite3.connect = sqlite3.dbapi2.connect = connect
"""
FULL_DISK = """
import errno, tempfile
def full(*args, **more):
    raise OSError(errno.ENOSPC, "No space left on device")
tempfile.TemporaryFile = full
"""


def status_of(port: str, path: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def links_in(text: str) -> list[str]:
    return re.findall(r"http://127\.0\.0\.1:\d+/\S+", text)


def usernames(var) -> list[str]:
    with sqlite3.connect(var / "interrater.sqlite3") as database:
        return [name for (name,) in database.execute("SELECT username FROM accounts_person ORDER BY username")]


def workers_in(var) -> set[int]:
    """The processes of the workers with a heartbeat."""
    with sqlite3.connect(var / "interrater.sqlite3") as database:
        return {int(name.split(":")[1]) for (name,) in database.execute("SELECT name FROM config_worker")}


def assert_one_sentence(launched, *parts: str) -> None:
    assert launched.process.wait() == 1
    assert "Traceback" not in launched.said
    assert launched.said.count("\n") == 1, launched.said
    for part in parts:
        assert part in launched.said


def all_ended_by(running, number: int) -> str:
    """Send a signal, which must end every process and free the port; return what was printed since the start."""
    printed = running.wait_for_workers()
    children = below(running.process.pid)
    assert len(children) == 7  # web: parent and 2, workers: parent, calls, jobs and one that computes
    code, rest = running.end(number)  # reads until no process holds the output
    assert code == 0
    wait_for_the_end_of(*children)
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", int(running.port)))
    return printed + rest


@pytest.fixture(scope="module")
def running(first_start, tmp_path_factory):
    """A second start on altered data, whose processes tests may kill, in any order: its launcher starts them again."""
    folder = tmp_path_factory.mktemp("running")
    var = Path(shutil.copytree(first_start, folder / "kept var"))
    with sqlite3.connect(var / "interrater.sqlite3") as database:
        database.execute("UPDATE annotation_study SET title = 'Changed since', status = 'paused'")
    with launching(folder) as start:
        site = start(var)
        site.wait_for_workers()
        yield site


def test_a_first_start_creates_the_demo_and_a_link_for_each_person(launch):
    running = launch()
    assert running.ready, running.said
    links = running.var / "links.txt"
    assert stat.S_IMODE(links.stat().st_mode) == 0o600
    assert stat.S_IMODE(running.var.stat().st_mode) == 0o700
    written = links_in(links.read_text(encoding="utf-8"))
    assert len(written) == len(set(written)) == 4
    assert all(link.startswith(f"http://127.0.0.1:{running.port}/") for link in written)
    assert status_of(running.port, written[0].partition(f":{running.port}")[2]) == 200
    assert links_in(all_ended_by(running, signal.SIGTERM)) == written
    assert usernames(running.var) == ["demo-annotator-1", "demo-annotator-2", "demo-annotator-3", "demo-researcher"]


@pytest.mark.thorough
def test_a_second_start_keeps_the_data_and_gives_new_links(running, first_start):
    before = links_in((first_start / "links.txt").read_text(encoding="utf-8"))
    after = links_in((running.var / "links.txt").read_text(encoding="utf-8"))
    assert len(before) == len(after) == 4
    assert not set(before) & set(after)
    assert "Preparing" not in running.said
    assert "Collecting" not in running.said
    with sqlite3.connect(running.var / "interrater.sqlite3") as database:
        found = set(database.execute("SELECT title, status FROM annotation_study"))
        assert found == {("Changed since", "paused")}
    assert len(usernames(running.var)) == 4


@pytest.mark.thorough
def test_without_the_demo_there_is_no_account(launch):
    running = launch(DEMO="0")
    assert running.ready, running.said
    assert usernames(running.var) == []
    assert not (running.var / "links.txt").exists()


@pytest.mark.thorough
def test_a_start_without_the_demo_removes_old_links(launch, kept_var):
    assert launch(kept_var, DEMO="no").ready
    assert not (kept_var / "links.txt").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_other_signals_end_all_processes_as_well(launch, kept_var, number):
    all_ended_by(launch(kept_var), number)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
@pytest.mark.thorough
def test_nothing_outlives_a_killed_launcher(launch, kept_var):
    running = launch(kept_var)
    running.wait_for_workers()
    code, _ = running.end(signal.SIGKILL)  # reads until no process holds the output
    assert code == -signal.SIGKILL


def test_a_web_server_that_dies_is_restarted_on_the_same_port(running):
    os.kill(running.child("gunicorn"), signal.SIGKILL)
    assert "web server ended" in running.read_until("starts again")
    assert status_of(running.port, "/sign-in/") == 200  # waits in the socket's queue until somebody answers


def test_a_killed_worker_is_restarted_while_pages_keep_working(running):
    workers = running.child("config.worker")
    killed = children_of(workers)
    in_pool = [pid for worker in killed for pid in children_of(worker)]
    assert (len(killed), len(in_pool)) == (2, 1)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    assert status_of(running.port, "/sign-in/") == 200
    running.wait_for_workers()
    now = set(children_of(workers))  # of the same parent, which has loaded the program already
    while running.process.poll() is None and not now <= workers_in(running.var):
        time.sleep(0.1)
    assert now <= workers_in(running.var)
    assert now.isdisjoint(killed)
    wait_for_the_end_of(*in_pool)


@pytest.mark.thorough
def test_workers_end_with_their_killed_parent_and_start_again(launch, kept_var):
    running = launch(kept_var)
    running.wait_for_workers()
    parent = running.child("config.worker")
    below_it = below(parent)
    os.kill(parent, signal.SIGKILL)
    running.wait_for_workers()
    wait_for_the_end_of(*below_it)


def test_a_killed_web_process_is_replaced_by_another_fork(running):
    parent = running.child("gunicorn")
    before = children_of(parent)
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert status_of(running.port, "/sign-in/") == 200
    os.kill(parent, signal.SIGHUP)  # makes new processes, and ends those from before gracefully
    while running.process.poll() is None and len(set(children_of(parent)) - set(before)) < 2:
        time.sleep(0.1)
    assert status_of(running.port, "/sign-in/") == 200


@pytest.mark.thorough
def test_a_second_start_elsewhere_has_workers_of_its_own(launch, kept_var, first_start, tmp_path):
    first = launch(kept_var)
    first.wait_for_workers()
    second = launch(
        Path(shutil.copytree(kept_var, tmp_path / "other", ignore=shutil.ignore_patterns("*-wal", "*-shm")))
    )
    assert second.ready, second.said
    second.wait_for_workers()
    assert len(first.children) == len(second.children) == 2
    assert second.end()[0] == 0
    assert len(first.children) == 2


def test_a_port_in_use_is_explained_in_one_sentence(launch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        launched = launch(PORT=str(port))
    assert_one_sentence(launched, f"Port {port} is taken", f"PORT={port + 1} make run")
    assert not (launched.var / "interrater.sqlite3").exists()


@pytest.mark.parametrize("port", ["99999", "http", "\uff18\uff10", "-1"])
def test_an_invalid_port_is_explained_in_one_sentence(launch, port):
    assert_one_sentence(launch(PORT=port), "PORT must be a number", "PORT=8001 make run")


def test_an_invalid_demo_switch_is_explained_in_one_sentence(launch):
    assert_one_sentence(launch(DEMO="maybe"), "DEMO must be 1, empty or 0", "DEMO=0 make run")


def test_a_folder_that_cannot_be_written_is_explained_in_one_sentence(launch, tmp_path):
    assert_one_sentence(launch(Path("/proc/interrater")), "cannot be written", "VAR=")


@pytest.mark.parametrize("inside", ["", "var"])
def test_a_file_in_place_of_the_folder_is_explained_in_one_sentence(launch, tmp_path, inside):
    (tmp_path / "file").write_text("in the way")
    assert_one_sentence(launch(tmp_path / "file" / inside), "a file is in the way", "VAR=")


def test_a_full_disk_at_start_is_explained_in_one_sentence(launch, kept_var, shim):
    launched = launch(kept_var, PYTHONPATH=shim(FULL_DISK))
    assert_one_sentence(launched, "is full", "df -h")


@pytest.mark.thorough
def test_a_full_disk_during_migration_is_explained_in_one_sentence(launch, shim):
    launched = launch(PYTHONPATH=shim(FULL_DATABASE))
    assert launched.process.wait() == 1
    assert "Traceback" not in launched.said
    first, second = launched.said.splitlines()
    assert first.startswith("Preparing the database")
    assert "is full" in second


def test_a_database_that_does_not_answer_is_explained_in_one_sentence(launch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        launched = launch(DATABASE_URL=f"postgres://nobody:hidden-word@127.0.0.1:{port}/nothing")
    assert_one_sentence(launched, f"127.0.0.1:{port}", "DATABASE_URL")
    assert "hidden-word" not in launched.said


def test_an_unsafe_production_start_is_explained_in_one_sentence(launch):
    launched = launch(PROFILE="production", SECRET_KEY="changeme", ALLOWED_HOSTS="rate.example.org")
    assert_one_sentence(launched, "SECRET_KEY", "secrets.token_urlsafe")
