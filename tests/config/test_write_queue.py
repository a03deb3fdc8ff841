"""Who asks first for SQLite's write lock gets it first, and nobody waits for ever."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import OperationalError, connection, connections, transaction

from accounts.models import Person
from config.queued_sqlite3.base import WriteQueue, queue_of

pytestmark = [pytest.mark.quick, pytest.mark.both]


def wait_until(condition):
    while not condition():
        threading.Event().wait(0.001)


def test_those_who_wait_are_let_in_in_the_order_in_which_they_came():
    queue, entered = WriteQueue(), []
    assert queue.enter(1)

    def come(number):
        assert queue.enter(30)
        entered.append(number)
        queue.leave()

    with ThreadPoolExecutor(8) as pool:
        for number in range(8):
            pool.submit(come, number)
            wait_until(lambda number=number: len(queue._waiting) == number + 1)
        queue.leave()
    assert entered == list(range(8))
    assert queue.enter(0)


def test_who_has_waited_too_long_leaves_the_queue_to_the_others():
    queue = WriteQueue()
    assert queue.enter(0)
    assert not queue.enter(0.001)
    assert not queue._waiting
    queue.leave()
    assert queue.enter(0)


@pytest.fixture
def on_sqlite(transactional_db):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL has no single write lock")
    return queue_of(str(connection.settings_dict["NAME"]))


@pytest.fixture
def impatient():
    """A connection of this thread's settings that gives up soon."""
    other = connections["default"].copy()
    other.settings_dict["OPTIONS"] = {**other.settings_dict["OPTIONS"], "timeout": 0.05}
    yield other
    other.close()


def is_free(queue):
    if not queue.enter(0):
        return False
    queue.leave()
    return True


def test_a_transaction_holds_the_queue_until_it_ends(on_sqlite):
    with transaction.atomic():
        assert not is_free(on_sqlite)
        with transaction.atomic():
            Person.objects.create_user("inner")
        assert not is_free(on_sqlite)
    assert is_free(on_sqlite)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        1 / 0  # noqa: B018
    assert is_free(on_sqlite)


def test_a_connection_that_is_lost_in_its_transaction_leaves_the_queue(on_sqlite):
    def lose():
        connection.connection.close()
        raise OperationalError("lost")

    with pytest.raises(OperationalError, match="lost"), transaction.atomic():
        lose()
    assert is_free(on_sqlite)
    connection.close()


def test_a_lock_that_another_program_keeps_is_reported_and_the_queue_left(on_sqlite, impatient):
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OperationalError, match="database is locked"):
        impatient.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    assert is_free(on_sqlite)
    other.execute("ROLLBACK")
    other.close()
    with transaction.atomic():
        Person.objects.create_user("after")


def test_a_statement_outside_transactions_waits_too_and_not_within_sqlite(on_sqlite, impatient):
    with impatient.cursor() as cursor:
        (milliseconds,) = cursor.execute("PRAGMA busy_timeout").fetchone()
        assert milliseconds == 0  # SQLite would sleep with the connection's mutex
    other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    statement = "UPDATE accounts_person SET first_name = 'changed'"
    with pytest.raises(OperationalError, match="database is locked"), impatient.cursor() as cursor:
        cursor.execute(statement)
    with ThreadPoolExecutor(1) as pool, connection.cursor() as cursor:
        pool.submit(lambda: (time.sleep(0.05), other.execute("ROLLBACK")))
        cursor.execute(statement)
    other.close()


def test_a_queue_that_does_not_move_is_reported_as_a_locked_database(on_sqlite, impatient):
    assert on_sqlite.enter(0)
    with pytest.raises(OperationalError, match="database is locked"):
        impatient.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
    on_sqlite.leave()


def test_many_threads_write_without_an_error(on_sqlite):
    def write(number):
        try:
            for again in range(5):
                with transaction.atomic():
                    Person.objects.create(username=f"person-{number}-{again}")
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(write, range(12)))
    assert Person.objects.count() == 60
