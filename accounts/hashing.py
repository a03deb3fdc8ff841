"""Password hashing, at most two at a time on a host.

A hash takes a processor for some tenths of a second, on purpose. Without a bound, sign-ins alone could keep all
processors and all threads of the web server busy. The places are locked files in `VAR`, so that all threads and
processes of the host share them, and a killed process gives its place back.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.sign_in_thread import IN_SIGN_IN_THREAD
from config.site_busy import SiteBusyError

HASHING, WAITING = 2, 3
"""How many hash at once, and how many more may wait, each with a thread that pages may need.

The sign-in threads, one in each process (`config.buffering_worker`), are not counted: no page needs them.
"""
LONGEST_WAIT = 5.0
"""How many seconds a thread waits; a sign-in thread, how many without anybody getting a place."""
LOOK_EVERY = 0.02


class HashingBusyError(SiteBusyError):
    """Too many passwords are being hashed on this host; none was checked or set."""


class BoundedPBKDF2Hasher(PBKDF2PasswordHasher):
    """Django's own hasher, which waits for a place. Raises HashingBusyError."""

    def encode(self, password: str, salt: str, iterations: int | None = None) -> str:
        with hashing_place(settings.VAR):
            return str(super().encode(password, salt, iterations))


@contextmanager
def hashing_place(folder: Path) -> Iterator[None]:
    """Hold one of the places for hashing. Raises HashingBusyError if too many wait, or none becomes free in time."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    patient = IN_SIGN_IN_THREAD.get()
    counted: AbstractContextManager[None] = nullcontext()
    if not patient:
        counted = _held(folder, "hashing-queue", HASHING + WAITING, 0)
    with counted, _held(folder, "hashing", HASHING, LONGEST_WAIT, patient=patient):
        yield


@contextmanager
def _held(folder: Path, name: str, count: int, seconds: float, *, patient: bool = False) -> Iterator[None]:
    """Hold a lock on one of `count` files; wait `seconds` at most, if `patient` since somebody last got one."""
    deadline, last = time.monotonic() + seconds, None
    while (descriptor := _take(folder, name, count)) is None:
        if patient and (taken := _times_taken(folder, name, count)) != last:
            deadline, last = time.monotonic() + seconds, taken
        if time.monotonic() >= deadline:
            raise HashingBusyError
        time.sleep(LOOK_EVERY)
    try:
        yield
    finally:
        # Unlocked by name, since a process that was forked meanwhile shares the open file.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _take(folder: Path, name: str, count: int) -> int | None:
    """Lock a file that nobody has locked, and return its descriptor."""
    for number in range(count):
        descriptor = os.open(_path(folder, name, number), os.O_RDONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            now = time.time_ns()  # finer than what the system would note itself
            os.utime(descriptor, ns=(now, now))
            return descriptor
    return None


def _times_taken(folder: Path, name: str, count: int) -> list[int]:
    """When each file was locked last, in any process."""
    return [_path(folder, name, number).stat().st_mtime_ns for number in range(count)]


def _path(folder: Path, name: str, number: int) -> Path:
    return folder / f"{name}-{number}.lock"
