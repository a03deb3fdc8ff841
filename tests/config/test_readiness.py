"""What probes are told: that the process answers, and which parts it lacks."""

from collections import namedtuple
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from config import readiness
from config.background.workers import report_alive
from config.models import Worker
from operating.last_backup import note_backup, note_failure

Usage = namedtuple("Usage", "total used free")
pytestmark = [pytest.mark.quick, pytest.mark.both, pytest.mark.django_db]


def asked(client):
    response = client.get("/readyz")
    assert response["Cache-Control"] == "no-store, private"
    return response.status_code, response.json()


def start_workers():
    report_alive("host:1:calls", ("calls",), True)
    report_alive("host:2:jobs", ("jobs",), True)


@pytest.fixture(autouse=True)
def recent_backup(settings, tmp_path):
    settings.VAR = tmp_path
    note_backup(tmp_path / "backup.tar", 1, 1, 0.1)


def test_a_process_that_answers_needs_no_database(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


def test_a_site_with_everything_is_ready(client):
    start_workers()
    status, told = asked(client)
    assert (status, told["status"]) == (200, "ok")
    expected = {"database", "migrations", "disk", "workers", "broker", "clocks", "backup"}
    assert expected <= told["checks"].keys()
    assert set(told["checks"].values()) == {"ok"}


def test_without_workers_people_can_still_rate(client):
    status, told = asked(client)
    assert (status, told["status"], told["checks"]["workers"]) == (200, "degraded", "degraded")


def test_a_site_without_a_recent_backup_is_degraded(client, settings, tmp_path):
    start_workers()
    note_failure("the disk is full")
    assert asked(client)[1]["checks"]["backup"] == "degraded"
    note_backup(tmp_path / "backup.tar", 1, 1, 0.1)
    assert asked(client)[1]["checks"]["backup"] == "ok"


def test_a_broker_that_workers_cannot_reach_is_degraded(client):
    start_workers()
    report_alive("host:2:jobs", ("jobs",), False)
    assert asked(client)[1]["checks"]["broker"] == "degraded"


@pytest.mark.parametrize(
    ("free", "state", "status"), [(2 << 30, "ok", 200), (1 << 29, "degraded", 200), (0, "down", 503)]
)
def test_a_disk_that_fills_up_is_told(client, monkeypatch, free, state, status):
    start_workers()
    monkeypatch.setattr(readiness.shutil, "disk_usage", lambda path: Usage(4 << 30, 0, free))
    found, told = asked(client)
    assert (found, told["checks"]["disk"]) == (status, state)


def test_a_database_that_is_away_is_down_and_nothing_else_is_asked(client, monkeypatch):
    def away():
        raise OperationalError("connection refused: CANARY")

    monkeypatch.setattr(connection, "cursor", away)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["checks"]) == (503, {"database": "down"})
    assert b"CANARY" not in response.content


def test_a_database_without_this_versions_migrations_is_down(client, monkeypatch):
    monkeypatch.setattr(readiness, "names_in_database", lambda: {("config", "0001_initial")})
    status, told = asked(client)
    assert (status, told["checks"]["migrations"]) == (503, "down")


def test_clocks_that_differ_are_told(client):
    start_workers()
    assert asked(client)[1]["checks"]["clocks"] == "ok"
    Worker.objects.filter(name="host:2:jobs").update(clock_skew=-600.0)
    assert asked(client)[1]["checks"]["clocks"] == "degraded"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has the clock of its host")
def test_the_skew_is_that_of_this_hosts_clock(monkeypatch):
    ahead = timezone.now
    assert abs(readiness.clock_skew()) < timedelta(seconds=1)
    monkeypatch.setattr("config.clock_skew.timezone.now", lambda: ahead() + timedelta(minutes=10))
    assert timedelta(minutes=9) < readiness.clock_skew() < timedelta(minutes=11)
