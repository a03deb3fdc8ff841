"""Claim rows, process them, and store the results: the only writer of the fields of `Row`.

A claim is a conditional update that sets a token and a lease. Every later write requires that token, so two workers
with the same message, or a worker that was thought dead, never write twice. Only the writing itself happens inside a
transaction.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID, uuid4

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.db.models import Q, QuerySet

from config.background.kinds import ClaimLostError, GiveUpError, StopAskedError, TryLaterError, Work, works
from config.background.rows import IS_WAITING, WAITING, Row, Status
from config.database_clock import database_now
from config.prepared_sql import Columns, fetch_all, stored, update
from config.request_ids import current_request_id, working_for

logger = logging.getLogger(__name__)
UNEXPECTED = "An unexpected error occurred. The worker's log has the details."
NEVER_ENDED = "The work was started {} times, and the worker was ended each time before it finished."
TOO_LONG = "The work took longer than JOB_MINUTES ({}) allows and was stopped."
NO_RESULT = "The work ended without a result."
STOPPED = "Stopped on request."
FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0
MINE = "id = %s AND token = %s AND status = 'running'"
CLAIM = (
    "UPDATE \"{}\" SET status = 'running', token = %s, lease_until = %s, attempt = attempt + 1, reason = '',"
    " started_at = COALESCE(started_at, %s) WHERE id = %s AND NOT stop_asked"
    " AND ((status = 'queued' AND due_at <= %s) OR (status = 'running' AND lease_until < %s)) AND attempt < %s"
    " RETURNING {}"
)
"""The condition is `claimable` without the rows that were asked to stop."""
DUE = (
    "SELECT id FROM \"{}\" WHERE status IN ('queued', 'running')"
    " AND ((status = 'queued' AND (due_at <= %s OR stop_asked)) OR (status = 'running' AND lease_until < %s))"
    " ORDER BY due_at, id LIMIT %s"
)
"""The condition is `claimable`. Every worker asks this of every kind of work again and again."""


class Claim:
    """The right to write the result of one row, as long as the row has its token."""

    def __init__(self, work: Work, row: Any, token: UUID) -> None:
        self.work, self.row, self.token = work, row, token
        self.ended = False

    def _mine(self) -> QuerySet[Any]:
        return self.work.model._default_manager.filter(pk=self.row.pk, token=self.token, status=Status.RUNNING)

    def renew(self) -> None:
        """Send a heartbeat, which renews the lease. Raises ClaimLostError and StopAskedError."""
        self.update()

    def update(self, **fields: Any) -> None:
        """Store progress and renew the lease. Raises ClaimLostError and StopAskedError."""
        asked = self._mine().values_list("stop_asked", flat=True).first()
        if asked:
            raise StopAskedError
        if asked is None or not self._mine().update(lease_until=database_now() + self.work.lease, **fields):
            raise ClaimLostError
        self._remember(fields)

    def stop_asked(self) -> bool:
        """Whether somebody asked the work to stop, or the claim is lost. Work asks every second or so while it waits.

        This is a heartbeat, too: it renews a lease of which half is over.
        """
        found = self._mine().values_list("stop_asked", "lease_until").first()
        if found is None:
            return True
        asked, until = found
        now = database_now()
        if not asked and until - now < self.work.lease / 2:
            return not self._mine().update(lease_until=now + self.work.lease)
        return bool(asked)

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Send heartbeats from a thread during a long step that cannot send them itself."""
        over = threading.Event()
        context = copy_context()  # so that log lines of the thread have the same request id
        thread = threading.Thread(target=context.run, args=(self._keep, over), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _keep(self, over: threading.Event) -> None:
        """Renew the lease until the step is over or another worker has the row."""
        while not over.wait(self.work.lease.total_seconds() / 4):
            try:
                if not self._mine().update(lease_until=database_now() + self.work.lease):
                    break
            except DatabaseError as problem:
                logger.warning("%s: heartbeat failed (%s)", self.work.key, " ".join(str(problem).split()))
                connections.close_all()  # of this thread; the next heartbeat opens new ones
        connections.close_all()

    @contextmanager
    def finish(self, **fields: Any) -> Iterator[None]:
        """Store the result, together with the rows written in the block, or nothing. Raises ClaimLostError."""
        with transaction.atomic():
            self._end(Status.DONE, "", fields)
            yield

    def give_up(self, status: Status, reason: str, fields: dict[str, Any]) -> None:
        """Store that there is no result. Raises ClaimLostError."""
        with transaction.atomic():
            self._end(status, reason, fields)
            if self.work.ended is not None:
                self.row.refresh_from_db()
                self.work.ended(self.row)

    def put_back(self, problem: TryLaterError) -> None:
        """Queue the row again; fail it if its attempts are used up, or stop it if asked to. Raises ClaimLostError."""
        if problem.counts and self.row.attempt >= self.work.attempts:
            self.give_up(Status.FAILED, problem.reason, problem.fields)
            return
        values = dict(
            status=Status.QUEUED, token=None, lease_until=None, woken_at=None, reason=problem.reason,
            due_at=database_now() + timedelta(seconds=problem.seconds),
            attempt=self.row.attempt - (0 if problem.counts else 1), **problem.fields,
        )  # fmt: skip
        with transaction.atomic():
            self._end_with(values)
            abandon(self.work, self.row.pk)

    def _end(self, status: Status, reason: str, fields: dict[str, Any]) -> None:
        self._end_with(dict(status=status, token=None, reason=reason, ended_at=database_now(), **fields))

    def _end_with(self, values: dict[str, Any]) -> None:
        model = self.work.model
        if not update(model, values, MINE, [self.row.pk, stored(model, "token", self.token)]):
            raise ClaimLostError
        self.ended = True
        self._remember(values)

    def _remember(self, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            setattr(self.row, name, value)


def claimable(now: datetime) -> Q:
    """The condition for rows that may be started or failed: due, asked to stop, or held under an expired lease."""
    queued = Q(status=Status.QUEUED) & (Q(due_at__lte=now) | Q(stop_asked=True))
    return Q(IS_WAITING) & (queued | Q(status=Status.RUNNING, lease_until__lt=now))


def due_keys(work: Work, most: int) -> list[int]:
    """The keys of at most this many rows that are `claimable` now, in the order in which they were due."""
    model, now = work.model, database_now()
    at = stored(model, "due_at", now)
    return [pk for (pk,) in fetch_all(DUE.format(model._meta.db_table), [at, at, most])]


def claim(work: Work, pk: int) -> Claim | None:
    """Claim the row for a lease; None if it is not due, another worker has it, or its attempts are used up."""
    now, token, model = database_now(), uuid4(), work.model
    at, until = (stored(model, "due_at", time) for time in (now, now + work.lease))
    columns, sql = _claiming(model)
    taken = fetch_all(sql, [stored(model, "token", token), until, at, pk, at, at, work.attempts])
    return Claim(work, columns.must_take(iter(taken[0])), token) if taken else None


@cache
def _claiming(model: type[Row]) -> tuple[Columns[Row], str]:
    table = model._meta.db_table
    columns = Columns(model, f'"{table}"')
    return columns, CLAIM.format(table, columns.sql)


def process_row(key: str, pk: int) -> bool:
    """Claim a row and process it, with whatever result; return False if it could not be claimed."""
    work = works()[key]
    taken = claim(work, pk)
    if taken is None:
        return False
    with working_for(taken.row.request_id):
        try:
            _run(taken)
        except ClaimLostError:
            logger.info("%s %s: another worker has it, or it is finished", key, pk)
    return True


def _run(taken: Claim) -> None:
    work, row = taken.work, taken.row
    try:
        work.run(taken)
    except ClaimLostError:
        raise
    except StopAskedError:
        taken.give_up(Status.STOPPED, STOPPED, {})
    except GiveUpError as problem:
        taken.give_up(Status.FAILED, problem.reason, problem.fields)
    except TryLaterError as problem:
        taken.put_back(problem)
    except SoftTimeLimitExceeded:
        logger.warning("%s %s took too long", work.key, row.pk)
        taken.give_up(Status.FAILED, TOO_LONG.format(settings.JOB_MINUTES), {})
    except Exception:  # the edge of a task: any error is logged and becomes the row's reason
        logger.exception("%s %s failed at attempt %s", work.key, row.pk, row.attempt)
        taken.put_back(TryLaterError(UNEXPECTED, min(FIRST_WAIT * 2 ** (row.attempt - 1), LONGEST_WAIT)))
    else:
        if not taken.ended and taken._mine().exists():
            taken.give_up(Status.FAILED, NO_RESULT, {})


def abandon(work: Work, pk: int) -> bool:
    """Fail a row whose attempts are used up, or stop one that was asked to; return False if it has changed."""
    with transaction.atomic():
        rows = work.model._default_manager.select_for_update(no_key=True)
        row = rows.filter(claimable(database_now()), pk=pk).first()
        if row is None or not (row.stop_asked or row.attempt >= work.attempts):
            return False
        row.status = Status.STOPPED if row.stop_asked else Status.FAILED
        row.reason = STOPPED if row.stop_asked else NEVER_ENDED.format(row.attempt)
        row.token, row.ended_at = None, database_now()
        row.save(update_fields=["status", "reason", "token", "ended_at"])
        if work.ended is not None:
            work.ended(row)
    return True


def requeue(work: Work, row: Row) -> bool:
    """Queue a failed or stopped row again with all its attempts; return False if it was neither."""
    with transaction.atomic():
        now = database_now()
        over = work.model._default_manager.filter(pk=row.pk, status__in=[Status.FAILED, Status.STOPPED])
        done = over.update(
            status=Status.QUEUED, attempt=0, token=None, lease_until=None, due_at=now, woken_at=None, stop_asked=False,
            reason="", ended_at=None, request_id=current_request_id(),
        )  # fmt: skip
    row.refresh_from_db()
    return bool(done)


def ask_to_stop(work: Work, row: Row) -> bool:
    """Stop a queued row at once and a running one at its next heartbeat; return False if it was finished."""
    with transaction.atomic():
        rows = work.model._default_manager.select_for_update(no_key=True)
        found = rows.filter(pk=row.pk, status__in=WAITING).first()
        if found is None:
            return False
        found.stop_asked = True
        if found.status == Status.QUEUED:
            found.status, found.reason, found.ended_at = Status.STOPPED, STOPPED, database_now()
        found.save(update_fields=["stop_asked", "status", "reason", "ended_at"])
        if found.status == Status.STOPPED and work.ended is not None:
            work.ended(found)
    row.refresh_from_db()
    return True


def run_waiting(limit: int = 1000) -> int:
    """Process all rows that are due, in this thread; return how many. For commands and tests."""
    done = 0
    while done < limit:
        before = done
        for key, work in works().items():
            for pk in due_keys(work, limit - done):
                done += abandon(work, pk) or process_row(key, pk)
        if done == before:
            break
    return done
