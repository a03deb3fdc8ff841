"""Django's backend for SQLite, with a queue in front of its one write lock.

SQLite has no queue: a connection that finds the lock taken sleeps for longer and longer, so that under load some wait
for seconds while others write again and again. Here the threads of a process queue for the lock, and the first of them
retries every millisecond, as does the first of each other process. After `timeout` seconds it fails as locked.

SQLite itself never waits, because its own sleep keeps the connection's mutex. If the thread that has the lock collected
a cursor of that connection as garbage meanwhile, both would wait for each other, and with them all threads.
"""

import os
import sqlite3
import threading
import time
from collections import deque
from functools import lru_cache
from typing import Any

from django.db import OperationalError
from django.db.backends.sqlite3 import base

from config.site_busy import BUSY

BETWEEN_TRIES = 0.001


class WriteQueue:
    """Lets one thread at a time in. Those who wait are let in in the order in which they came."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()

    def enter(self, seconds: float) -> bool:
        """Wait for this thread's turn, at most `seconds`; whether it came. A thread whose turn came must `leave`."""
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=seconds):
            return True
        with self._guard:
            if turn in self._waiting:
                self._waiting.remove(turn)
                return False
        return True  # it came at the last moment

    def leave(self) -> None:
        """Let the next one in."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False


@lru_cache
def queue_of(database: str) -> WriteQueue:
    """This process's queue for a database file."""
    return WriteQueue()


# A child that is forked while a thread of its parent writes must not wait for that thread.
os.register_at_fork(after_in_child=queue_of.cache_clear)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection whose transactions wait for their turn before they begin."""

    _queue: WriteQueue | None = None
    """The queue that this connection's transaction has entered."""
    begin_until: float | None = None
    """When a transaction that is about to begin stops asking for the lock."""

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

    def _start_transaction_under_autocommit(self) -> None:
        until, queue = time.monotonic() + self.seconds, queue_of(str(self.settings_dict["NAME"]))
        if not queue.enter(self.seconds):
            raise OperationalError(BUSY[0])
        self._queue, self.begin_until = queue, until
        try:
            super()._start_transaction_under_autocommit()  # type: ignore[misc]
        except BaseException:
            self._leave()
            raise
        finally:
            self.begin_until = None

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
        until = self.owner.begin_until
        if until is None and not self.owner.in_atomic_block:
            until = time.monotonic() + self.owner.seconds
        while True:
            try:
                return execute(query, params)
            except sqlite3.OperationalError as problem:
                if until is None or not any(word in str(problem) for word in BUSY) or time.monotonic() >= until:
                    raise
            time.sleep(BETWEEN_TRIES)
