"""How far this host's clock differs from the database's, for operators: nothing is decided by it."""

from datetime import datetime, timedelta

from django.db import connection
from django.utils import timezone


def clock_skew() -> timedelta:
    """Return how far this host's clock is ahead of the database's; SQLite has the same clock."""
    if connection.vendor != "postgresql":
        return timedelta(0)
    with connection.cursor() as cursor:
        before = timezone.now()
        cursor.execute("SELECT clock_timestamp()")
        there: datetime = cursor.fetchone()[0]
    return before + (timezone.now() - before) / 2 - there
