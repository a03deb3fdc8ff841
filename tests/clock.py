"""Another time for a part of a test, by the host's clock and by the database's."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from unittest import mock


@contextmanager
def at_time(moment: datetime) -> Iterator[None]:
    """Let it be `moment` in this process, within the block."""
    with (
        mock.patch("django.utils.timezone.now", return_value=moment),
        mock.patch("config.database_clock.time_on", return_value=moment),
    ):
        yield
