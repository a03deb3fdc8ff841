"""The time by the database's clock, which decides leases and deadlines.

Several hosts share a database, and their clocks may differ by minutes. If each used its own, one would end a lease that
another has just given. So every time that decides something comes from here. On SQLite the host's clock is the
database's.
"""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connections
from django.db.utils import DEFAULT_DB_ALIAS
from django.utils import timezone

READ_AGAIN = 60.0
"""Seconds after which a connection reads the clock again: hosts may count seconds slightly differently."""
UPTIME = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""The clock that nobody can set; the second, of systems other than Linux, may stand still while a host sleeps."""
READING = "database_clock"
"""The attribute under which a connection has its last reading."""


@dataclass(frozen=True)
class ClockReading:
    """What the database's clock said, and how many seconds this host had been up then."""

    there: datetime
    up: float


def database_now() -> datetime:
    """Return the database's time. Costs a statement per connection and minute, and no other.

    Between readings the host's uptime is added, which nobody can set and no time zone shifts.
    """
    return time_on(connections[DEFAULT_DB_ALIAS])


def time_on(connection: Any) -> datetime:
    """Return the time by the clock of the database of `connection`."""
    if connection.vendor != "postgresql":
        return timezone.now()
    connection.ensure_connection()
    up, reading = _uptime(), getattr(connection.connection, READING, None)
    if reading is None or not 0 <= up - reading.up <= READ_AGAIN:
        reading = _read(connection) or reading or ClockReading(timezone.now(), up)
    return reading.there + timedelta(seconds=up - reading.up)


def _uptime() -> float:
    """Seconds since the host was started, those in which it slept included."""
    return time.clock_gettime(UPTIME)


def _read(connection: Any) -> ClockReading | None:
    """Read the clock, without Django's cursor; None in a failed transaction, which takes no statements."""
    raw = connection.connection
    if raw.info.transaction_status.name == "INERROR":
        return None
    with connection.wrap_database_errors:
        began = _uptime()
        there: datetime = raw.execute("SELECT clock_timestamp()", prepare=False).fetchone()[0]
    reading = ClockReading(there, (began + _uptime()) / 2)
    setattr(raw, READING, reading)
    return reading
