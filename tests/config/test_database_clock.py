"""Leases and deadlines follow the database's clock, and no other."""

import ast
from datetime import timedelta
from unittest import mock

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from config import database_clock
from config.database_clock import READING, database_now
from tests.house import named, nodes, sources

pytestmark = pytest.mark.both
OF_THE_HOST = {
    "config/clock_skew.py": "compares the host's clock with the database's",
    "config/database_clock.py": "SQLite's clock",
    "llm/client/retries.py": "when a request was sent, for people to read; its length is measured by another clock",
    "llm/extractive_calls.py": "the same",
    "operating/backing_up.py": "when a file was made",
    "operating/last_backup.py": "compares times in a file of this host",
    "operating/part.py": "the age of that file",
    "operating/management/commands/dated_backup.py": "the hour of the day at which a backup is made",
}
"""The modules that may ask this host's clock, and why."""
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has the clock of its host")


def asks_the_host(node):
    return isinstance(node, ast.Attribute) and node.attr == "now" and ast.unparse(node) == "timezone.now"


def test_no_other_module_asks_the_hosts_clock():
    assert {named(path) for path in sources() if any(map(asks_the_host, nodes(path)))} == set(OF_THE_HOST)


@pytest.mark.django_db
def test_it_is_the_databases_time():
    assert abs(database_now() - timezone.now()) < timedelta(minutes=1)
    assert database_now().utcoffset() == timedelta(0)


@on_postgresql
@pytest.mark.django_db
def test_a_clock_that_somebody_sets_changes_nothing():
    before, wrong = database_now(), timezone.now() + timedelta(hours=3)
    with mock.patch("django.utils.timezone.now", return_value=wrong), mock.patch("time.time", return_value=0.0):
        assert before <= database_now() < before + timedelta(minutes=1)


@on_postgresql
@pytest.mark.django_db
def test_a_connection_reads_the_clock_once_per_minute(monkeypatch, django_assert_num_queries):
    database_now()
    first = getattr(connection.connection, READING)
    with django_assert_num_queries(0):
        database_now()
    assert getattr(connection.connection, READING) is first
    later = database_clock._uptime() + database_clock.READ_AGAIN + 1
    monkeypatch.setattr(database_clock, "_uptime", lambda: later)
    database_now()
    assert getattr(connection.connection, READING) is not first


@on_postgresql
@pytest.mark.django_db
def test_a_failed_transaction_still_knows_the_time(monkeypatch):
    known = database_now()
    monkeypatch.setattr(database_clock, "READ_AGAIN", -1.0)
    with transaction.atomic():
        with pytest.raises(DatabaseError):
            connection.cursor().execute("SELECT nothing FROM nowhere")
        assert known <= database_now() < known + timedelta(minutes=1)
        transaction.set_rollback(True)


@on_postgresql
@pytest.mark.django_db(transaction=True)
def test_a_new_connection_reads_the_clock_itself():
    database_now()
    connection.close()
    assert abs(database_now() - timezone.now()) < timedelta(minutes=1)
    assert hasattr(connection.connection, READING)
