"""A PostgreSQL that stands still is given up; one that is only slow, or full, is waited for. On a server of our own."""

import tempfile
from pathlib import Path

import dj_database_url
import psycopg
import pytest
from django.db import OperationalError
from django.db.utils import DEFAULT_DB_ALIAS, ConnectionHandler

from config.outages import UNAVAILABLE, outage_status
from config.watched_postgresql import base
from tests.faults.own_postgres import missing_program, own_postgres
from tests.faults.power_cuts import frozen

PLACES = 12


@pytest.fixture(scope="module")
def server():
    if missing := missing_program():
        pytest.skip(missing)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o711)
        with own_postgres(Path(folder), PLACES) as running:
            yield running


@pytest.fixture
def connection(server, monkeypatch, django_db_blocker):
    """A connection of Django's that asks the server again after a tenth of a second."""
    monkeypatch.setattr(base, "PATIENCE", 0.1)
    told = dj_database_url.parse(server.url) | {"ENGINE": "config.watched_postgresql"}
    told["OPTIONS"] = {"connect_timeout": 2}  # the shortest that there is
    opened = ConnectionHandler({DEFAULT_DB_ALIAS: told}).create_connection(DEFAULT_DB_ALIAS)
    with django_db_blocker.unblock():  # it is not the database of the tests
        opened.ensure_connection()
        yield opened
        opened.close()


@pytest.fixture
def asked(monkeypatch):
    """How each question of another connection ended."""
    outcomes = []
    connect = psycopg.connect

    def noted(**parameters):
        try:
            opened = connect(**parameters)
        except psycopg.Error as problem:
            outcomes.append(type(problem).__name__)
            raise
        outcomes.append("answered")
        return opened

    monkeypatch.setattr(psycopg, "connect", noted)
    return outcomes


def answer(connection, statement="SELECT 1"):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def all_places(server):
    """Connections in all places that the server has left."""
    held = []
    try:
        while True:
            held.append(psycopg.Connection.connect(server.url))
    except psycopg.OperationalError:
        return held


def test_a_server_that_stands_still_is_given_up_like_one_that_is_away(server, connection, asked):
    with frozen(server.process.pid):
        with pytest.raises(OperationalError, match="does not answer") as met:
            answer(connection)
        assert asked == ["ConnectionTimeout"]
        assert outage_status(met.value) == UNAVAILABLE
        assert not connection.is_usable()
    connection.close()
    assert answer(connection) == 1


def test_a_commit_to_a_server_that_stands_still_is_given_up(server, connection):
    connection.set_autocommit(False)
    assert answer(connection, "SELECT 1 FROM pg_advisory_xact_lock(1)") == 1
    with frozen(server.process.pid), pytest.raises(OperationalError, match="does not answer"):
        connection.commit()
    connection.close()
    assert answer(connection, "SELECT 1 FROM pg_advisory_xact_lock(1)") == 1  # the server ended the other transaction


def test_a_slow_statement_is_waited_for(connection, asked):
    assert answer(connection, "SELECT 1 FROM pg_sleep(1)") == 1
    assert set(asked) == {"answered"}


def test_a_slow_statement_is_waited_for_though_the_server_takes_no_more_connections(server, connection, asked):
    held = all_places(server)
    try:
        assert answer(connection, "SELECT 1 FROM pg_sleep(1)") == 1
    finally:
        for one in held:
            one.close()
    assert set(asked) == {"OperationalError"}
