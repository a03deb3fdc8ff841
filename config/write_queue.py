"""A queue in front of SQLite's one write lock: in this process, who asks first writes first."""

import os
import threading
from collections import deque
from functools import lru_cache


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
