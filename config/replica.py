"""Reading from a replica of the database, for reports and exports in workers and commands; see docs/operating.md.

Inside `read_from_replica`, each snapshot of a study (`annotation.studies.snapshots`) is read there, once the replica
has replayed all that the main database had when the snapshot began. So what was read before, such as the state that a
report claims, is never newer than the snapshot. Everything outside snapshots, and every write, goes to the main
database. A replica that is away or stays behind costs a bounded wait and a line in the log, never an old figure.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.cache import cache
from django.db import Error, connections
from django.db.utils import DEFAULT_DB_ALIAS, ConnectionHandler

from config.database_clock import READING, time_on

Result = TypeVar("Result")
logger = logging.getLogger(__name__)
LONGEST_WAIT, SHORT_WAIT, POLL = 5.0, 1.0, 0.02
"""Seconds that a snapshot waits for the replica, and upkeep that only tries it, and between two questions."""
AVOIDED = 30
"""Seconds for which a process does not ask a replica again that was away or behind."""
AVOID = "the replica is avoided"
MAIN_POSITION = "SELECT pg_current_wal_insert_lsn()::text, (SELECT system_identifier FROM pg_control_system())"
REPLAYED = (
    "SELECT pg_is_in_recovery(), (SELECT system_identifier FROM pg_control_system()),"
    " COALESCE(pg_last_wal_replay_lsn() >= %s::pg_lsn, false)"
)
_reading: ContextVar[bool] = ContextVar("reading_replica", default=False)


class ReplicaUnusableError(Exception):
    """The replica cannot be read now; the message says why."""


def read_from_replica(work: Callable[[], Result]) -> Result:
    """Return what `work` returns; its snapshots of studies are read from the replica, if there is one to use.

    If the replica fails while it is read, `work` runs once more, on the main database alone. It must not leave
    anything that another run would mind.
    """
    if settings.REPLICA is None:
        return work()
    token = _reading.set(True)
    try:
        return work()
    except ReplicaUnusableError as problem:
        _avoid(problem)
    finally:
        _reading.reset(token)
    return work()


@contextmanager
def on_replica() -> Iterator[None]:
    """Let this thread's queries go to the replica inside the block, which only reads; see `read_from_replica`.

    They go to the main database if the replica cannot be used, or inside a transaction. Raises ReplicaUnusableError if
    the replica fails within the block.
    """
    main = connections[DEFAULT_DB_ALIAS]
    replica = _caught_up(main) if _reading.get() and not main.in_atomic_block else None
    if replica is None:
        yield
        return
    connections[DEFAULT_DB_ALIAS] = replica
    try:
        yield
    except Error as problem:
        raise ReplicaUnusableError(_words(problem)) from problem
    finally:
        connections[DEFAULT_DB_ALIAS] = main
        replica.close()


def note_replica_state() -> None:
    """Try the replica, and note for `/readyz` whether it can be used; without one, nothing is noted."""
    reason = ""
    if settings.REPLICA is not None:
        try:
            _opened(connections[DEFAULT_DB_ALIAS], SHORT_WAIT).close()
        except ReplicaUnusableError as problem:
            reason = str(problem)
    _note(reason)


def replica_note() -> Path:
    """The file that exists while workers cannot use the replica; it says why."""
    return Path(settings.VAR) / "replica_unusable"


def _caught_up(main: Any) -> Any:
    """An open connection to the replica that has all that `main` has now; None if it cannot be used."""
    if cache.get(AVOID):
        return None
    try:
        return _opened(main)
    except ReplicaUnusableError as problem:
        _avoid(problem)
        return None


def _opened(main: Any, wait: float | None = None) -> Any:
    """As `_caught_up`, but raises ReplicaUnusableError."""
    with main.cursor() as cursor:
        cursor.execute(MAIN_POSITION)
        position, cluster = cursor.fetchone()
    replica = ConnectionHandler({DEFAULT_DB_ALIAS: settings.REPLICA}).create_connection(DEFAULT_DB_ALIAS)
    try:
        _wait_for(replica, position, cluster, LONGEST_WAIT if wait is None else wait)
        time_on(main)  # times in the snapshot are by the clock of the main database, too
        setattr(replica.connection, READING, getattr(main.connection, READING))
    except Error as problem:
        replica.close()
        raise ReplicaUnusableError(_words(problem)) from problem
    except ReplicaUnusableError:
        replica.close()
        raise
    return replica


def _wait_for(replica: Any, position: str, cluster: int, wait: float) -> None:
    """Return once the replica has replayed `position` of the write-ahead log. Raises ReplicaUnusableError."""
    until = time.monotonic() + wait
    while True:
        with replica.cursor() as cursor:
            cursor.execute(REPLAYED, [position])
            is_standby, its_cluster, has_it = cursor.fetchone()
        if not is_standby or its_cluster != cluster:
            raise ReplicaUnusableError("it is not a streaming replica of the main database")
        if has_it:
            return
        if time.monotonic() >= until:
            raise ReplicaUnusableError(f"after {wait:g} seconds it was still behind the main database")
        time.sleep(POLL)


def _avoid(problem: Exception) -> None:
    """Log why the main database is read, and leave the replica alone for a while."""
    logger.warning("The replica is not read for %s seconds, but the main database (%s)", AVOIDED, problem)
    cache.set(AVOID, True, AVOIDED)
    _note(str(problem))


def _note(reason: str) -> None:
    """Write down why the replica cannot be used, or that it can."""
    try:
        if reason:
            replica_note().write_text(f"{reason}\n", encoding="utf-8")
        else:
            replica_note().unlink(missing_ok=True)
    except OSError as problem:
        logger.warning("The state of the replica could not be noted in %s (%s)", settings.VAR, problem.strerror)


def _words(problem: Exception) -> str:
    return " ".join(str(problem).split())
