"""Keeps threads of a worker free for people: patient work, for which nobody waits at a page, has places of its own.

A worker reads messages about patient work last, but a run fills all threads that it finds, each for as long as a call
takes. So patient work gets at most `CALL_THREADS` of a worker's threads, and the worker has some more. A message that
finds no place is put off and sent again when a place becomes free, to whichever worker reads it first.
"""

import os
import threading
from functools import lru_cache

from django.conf import settings

Message = tuple[str, int]


class PatientPlaces:
    """The places of patient work in a worker, and the messages that wait for one, each once."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._put_off: dict[Message, None] = {}
        self._lock = threading.Lock()

    def take(self, message: Message) -> bool:
        """Take a place, or put the message off."""
        with self._lock:
            if not self._left:
                self._put_off[message] = None
                return False
            self._left -= 1
            return True

    def free(self) -> Message | None:
        """Free a place; return the message that has waited longest, which has to be sent again, if any has."""
        with self._lock:
            self._left += 1
            message = next(iter(self._put_off), None)
            if message is not None:
                del self._put_off[message]
            return message


def patient_places() -> PatientPlaces:
    """Return the places in this process."""
    return _places(os.getpid())


@lru_cache(maxsize=1)
def _places(process: int) -> PatientPlaces:
    return PatientPlaces(settings.CALL_THREADS)


def call_threads() -> int:
    """Return how many threads a worker for calls has: those of patient work, and a quarter more, at least two."""
    return settings.CALL_THREADS + max(settings.CALL_THREADS // 4, 2)
