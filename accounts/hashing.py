"""Password hashing, at most two at a time on a host.

A hash takes a processor for some tenths of a second, on purpose. Without a bound, sign-ins alone could keep all
processors and all threads of the web server busy. The places are locked files in `VAR`, so that all threads and
processes of the host share them, and a killed process gives its place back.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher

from config.site_busy import SiteBusyError

HASHING, WAITING = 2, 3
"""How many hash at once, and how many more may wait, each with a thread that pages may need.

Sign-ins wait elsewhere: `config.buffering_worker` gives them a thread of their own in each process.
"""
LONGEST_WAIT = 5.0
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
    with _held(folder, "hashing-queue", HASHING + WAITING, 0), _held(folder, "hashing", HASHING, LONGEST_WAIT):
        yield


@contextmanager
def _held(folder: Path, name: str, count: int, seconds: float) -> Iterator[None]:
    """Hold a lock on one of `count` files; wait `seconds` at most for one of them."""
    deadline = time.monotonic() + seconds
    while (descriptor := _take(folder, name, count)) is None:
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
        descriptor = os.open(folder / f"{name}-{number}.lock", os.O_RDONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
        else:
            return descriptor
    return None
