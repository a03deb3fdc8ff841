"""Claiming rows, doing them, and writing what came of it: the only writer of what `Row` holds.

A claim is a conditional update that sets a token and a lease; every later write asks for that token, so two
workers with the same message, or one that was thought dead, never write twice. Nothing runs inside a transaction
but the writing itself.
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from config.background.rows import WAITING, Row, Status
from config.background.work import ClaimLostError, GiveUpError, StopAskedError, TryLaterError, Work, works

logger = logging.getLogger(__name__)
UNEXPECTED = "Something went wrong that was not foreseen; the log of the worker says what."
NEVER_ENDED = "The work was begun {} times and never came to an end: the worker was ended each time."
TOO_LONG = "The work took longer than JOB_MINUTES ({}) allows, and was ended."
NO_RESULT = "The work ended without a result."
STOPPED = "Stopped by somebody."
FIRST_WAIT, LONGEST_WAIT = 2.0, 60.0


class Claim:
    """The right to write one row's result, as long as its token stands there."""

    def __init__(self, work: Work, row: Any, token: UUID) -> None:
        self.work, self.row, self.token = work, row, token

    def _mine(self) -> QuerySet[Any]:
        return self.work.model._default_manager.filter(pk=self.row.pk, token=self.token, status=Status.RUNNING)

    def renew(self) -> None:
        """A sign of life: the lease begins anew. Raises ClaimLostError and StopAskedError."""
        self.update()

    def update(self, **fields: Any) -> None:
        """Write how far it is, and renew the lease. Raises ClaimLostError and StopAskedError."""
        asked = self._mine().values_list("stop_asked", flat=True).first()
        if asked:
            raise StopAskedError
        if asked is None or not self._mine().update(lease_until=timezone.now() + self.work.lease, **fields):
            raise ClaimLostError
        self._remember(fields)

    def stop_asked(self) -> bool:
        """Whether somebody asked to stop, or the claim is no longer ours: asked every second or so while waiting.

        It is a sign of life too: where half the lease has gone by, it is renewed.
        """
        found = self._mine().values_list("stop_asked", "lease_until").first()
        if found is None:
            return True
        asked, until = found
        now = timezone.now()
        if not asked and until - now < self.work.lease / 2:
            return not self._mine().update(lease_until=now + self.work.lease)
        return bool(asked)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Signs of life from a thread of its own, while a long step goes on that can give none."""
        over = threading.Event()
        thread = threading.Thread(target=self._keep, args=(over,), name="lease", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _keep(self, over: threading.Event) -> None:
        """Renew the lease until told that it is over, or somebody else has the row."""
        while not over.wait(self.work.lease.total_seconds() / 4):
            try:
                if not self._mine().update(lease_until=timezone.now() + self.work.lease):
                    break
            except DatabaseError as problem:
                logger.warning("%s: no sign of life (%s)", self.work.key, " ".join(str(problem).split()))
                connections.close_all()  # those of this thread; the next sign has new ones
        connections.close_all()

    @contextmanager
    def finish(self, **fields: Any) -> Iterator[None]:
        """Write the result; rows written in the block are kept with it or not at all. Raises ClaimLostError."""
        with transaction.atomic():
            self._end(Status.DONE, "", fields)
            yield

    def give_up(self, status: Status, reason: str, fields: dict[str, Any]) -> None:
        """Write that there is no result. Raises ClaimLostError."""
        with transaction.atomic():
            self._end(status, reason, fields)
            if self.work.ended is not None:
                self.row.refresh_from_db()
                self.work.ended(self.row)

    def put_back(self, problem: TryLaterError) -> None:
        """Queue the row again, or give it up where its attempts are used up. Raises ClaimLostError."""
        if problem.counts and self.row.attempt >= self.work.attempts:
            self.give_up(Status.FAILED, problem.reason, problem.fields)
            return
        values = dict(
            status=Status.QUEUED, token=None, lease_until=None, woken_at=None, reason=problem.reason,
            due_at=timezone.now() + timedelta(seconds=problem.seconds),
            attempt=self.row.attempt - (0 if problem.counts else 1), **problem.fields,
        )  # fmt: skip
        if not self._mine().update(**values):
            raise ClaimLostError
        self._remember(values)

    def _end(self, status: Status, reason: str, fields: dict[str, Any]) -> None:
        values = dict(status=status, token=None, reason=reason, ended_at=timezone.now(), **fields)
        if not self._mine().update(**values):
            raise ClaimLostError
        self._remember(values)

    def _remember(self, fields: dict[str, Any]) -> None:
        for name, value in fields.items():
            setattr(self.row, name, value)


def claimable(now: datetime) -> Q:
    """Rows that may be begun or given up: due or to stop, or begun by somebody who was not heard of again."""
    queued = Q(status=Status.QUEUED) & (Q(due_at__lte=now) | Q(stop_asked=True))
    return queued | Q(status=Status.RUNNING, lease_until__lt=now)


def claim(work: Work, pk: int) -> Claim | None:
    """Take the row for a lease; None where it is not to be done, somebody has it, or its attempts are used up."""
    now, token = timezone.now(), uuid4()
    rows = work.model._default_manager.filter(pk=pk)
    taken = rows.filter(claimable(now), attempt__lt=work.attempts, stop_asked=False).update(
        status=Status.RUNNING, token=token, lease_until=now + work.lease, attempt=F("attempt") + 1,
        started_at=Coalesce("started_at", now), reason="",
    )  # fmt: skip
    return Claim(work, rows.get(), token) if taken else None


def do(key: str, pk: int) -> bool:
    """Claim a row and do it, whatever comes of it; False where there was nothing to do."""
    work = works()[key]
    taken = claim(work, pk)
    if taken is None:
        return False
    try:
        _run(taken)
    except ClaimLostError:
        logger.info("%s %s: somebody else has it, or it is over", key, pk)
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
    except Exception:  # the edge of a task: whatever its work raised is logged, and becomes what the row says
        logger.exception("%s %s failed at attempt %s", work.key, row.pk, row.attempt)
        taken.put_back(TryLaterError(UNEXPECTED, min(FIRST_WAIT * 2 ** (row.attempt - 1), LONGEST_WAIT)))
    else:
        if taken._mine().exists():
            taken.give_up(Status.FAILED, NO_RESULT, {})


def abandon(work: Work, pk: int) -> bool:
    """Write that a row whose attempts are used up, or which is to stop, has no result; False where it has changed."""
    with transaction.atomic():
        rows = work.model._default_manager.select_for_update()
        row = rows.filter(claimable(timezone.now()), pk=pk).first()
        if row is None or not (row.stop_asked or row.attempt >= work.attempts):
            return False
        row.status = Status.STOPPED if row.stop_asked else Status.FAILED
        row.reason = STOPPED if row.stop_asked else NEVER_ENDED.format(row.attempt)
        row.token, row.ended_at = None, timezone.now()
        row.save(update_fields=["status", "reason", "token", "ended_at"])
        if work.ended is not None:
            work.ended(row)
    return True


def requeue(work: Work, row: Row) -> bool:
    """Queue a failed or stopped row anew, all its attempts before it; False where it was neither."""
    with transaction.atomic():
        now = timezone.now()
        over = work.model._default_manager.filter(pk=row.pk, status__in=[Status.FAILED, Status.STOPPED])
        done = over.update(
            status=Status.QUEUED, attempt=0, token=None, lease_until=None, due_at=now, woken_at=None, stop_asked=False,
            reason="", ended_at=None,
        )  # fmt: skip
    row.refresh_from_db()
    return bool(done)


def ask_to_stop(work: Work, row: Row) -> bool:
    """Have a row stop: a queued one at once, a running one at its next sign of life; False where it was over."""
    with transaction.atomic():
        rows = work.model._default_manager.select_for_update()
        found = rows.filter(pk=row.pk, status__in=WAITING).first()
        if found is None:
            return False
        found.stop_asked = True
        if found.status == Status.QUEUED:
            found.status, found.reason, found.ended_at = Status.STOPPED, STOPPED, timezone.now()
        found.save(update_fields=["stop_asked", "status", "reason", "ended_at"])
        if found.status == Status.STOPPED and work.ended is not None:
            work.ended(found)
    row.refresh_from_db()
    return True


def run_waiting(limit: int = 1000) -> int:
    """Do what is due here and now, in this thread, until nothing is; returns how many. For commands and tests."""
    done = 0
    while done < limit:
        before = done
        for key, work in works().items():
            due = work.model._default_manager.filter(claimable(timezone.now())).order_by("due_at", "pk")
            for pk in due.values_list("pk", flat=True)[: limit - done]:
                done += abandon(work, pk) or do(key, pk)
        if done == before:
            break
    return done
