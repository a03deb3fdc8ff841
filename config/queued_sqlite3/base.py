"""Django's backend for SQLite, with a queue in front of its one write lock.

SQLite has no queue: a connection that finds the lock taken sleeps for longer and longer, so that under load some wait
for seconds while others write again and again. Here the threads of a process queue for the lock, and the first of them
retries every millisecond, as does the first of each other process. After `timeout` seconds it fails as locked.

SQLite itself never waits, because its own sleep keeps the connection's mutex. If the thread that has the lock collected
a cursor of that connection as garbage meanwhile, both would wait for each other, and with them all threads.
"""

import sqlite3
import time
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from config.site_busy import BUSY
from config.write_queue import WriteQueue, queue_of

BETWEEN_TRIES = 0.001


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose transactions wait for their turn before they begin."""

    _queue: WriteQueue | None = None
    """The queue that this connection's transaction has entered."""
    _begin_until: float | None = None

    @property
    def seconds(self) -> float:
        """How long to wait for the lock."""
        return float(self.settings_dict["OPTIONS"].get("timeout", 5))

    def get_new_connection(self, conn_params: Any) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.execute("PRAGMA busy_timeout = 0")
        return connection

    def create_cursor(self, name: Any = None) -> Any:
        return self.connection.cursor(factory=lambda raw: WaitingCursor(raw, self))

    def try_until(self) -> float | None:
        """When to stop asking for the lock; None in a transaction, which has it."""
        if self.in_atomic_block and self._begin_until is None:
            return None
        return self._begin_until if self._begin_until is not None else time.monotonic() + self.seconds

    def _start_transaction_under_autocommit(self) -> None:
        until, queue = time.monotonic() + self.seconds, queue_of(str(self.settings_dict["NAME"]))
        if not queue.enter(self.seconds):
            raise OperationalError(BUSY[0])
        self._queue, self._begin_until = queue, until
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise
        finally:
            self._begin_until = None

    def _commit(self) -> Any:
        done = super()._commit()  # type: ignore[misc]
        self._leave()
        return done

    def _rollback(self) -> Any:
        try:
            return super()._rollback()  # type: ignore[misc]
        finally:
            self._leave()

    def _close(self) -> Any:
        try:
            return super()._close()  # type: ignore[misc]
        finally:
            self._leave()

    def _leave(self) -> None:
        queue, self._queue = self._queue, None
        if queue is not None:
            queue.leave()


class WaitingCursor(base.SQLiteCursorWrapper):
    """A cursor that retries until it gets the lock; in a transaction, which has the lock, it tries once."""

    def __init__(self, raw: Any, owner: DatabaseWrapper) -> None:
        super().__init__(raw)
        self.owner = owner

    def execute(self, query: Any, params: Any = None) -> Any:
        return self._wait(super().execute, query, params)

    def executemany(self, query: Any, param_list: Any) -> Any:
        # The first try would use up a generator. In a transaction there is no second one.
        return self._wait(super().executemany, query, param_list if self.owner.in_atomic_block else list(param_list))

    def _wait(self, execute: Any, query: Any, params: Any) -> Any:
        until = self.owner.try_until()
        while True:
            try:
                return execute(query, params)
            except sqlite3.OperationalError as problem:
                if until is None or not any(word in str(problem) for word in BUSY) or time.monotonic() >= until:
                    raise
            time.sleep(BETWEEN_TRIES)
