"""Reads kept reports and requests new ones: the only writer of requests. Web processes never compute a report."""

import hashlib
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from accounts.models import Person
from annotation.blinding import is_blind
from annotation.models import Study
from annotation.studies.locking import ImportPendingError, lock_study, refuse_import_since
from config.background.kinds import works
from config.background.rows import WAITING, Status
from config.background.waking import enqueue
from config.database_clock import database_now
from config.model_fields import canonical_json
from config.models import Erasure
from reports.figures.finite_figures import as_json
from reports.kept.data_state import answers_since, data_state, newest_entries, state_of
from reports.models import KeptReport
from reports.report_kinds import Choices, ReportKind, report_kinds

WORK_KEY = "report"
REST = 4.0
"""A report is computed again after this many times as long as it took, so that reports leave workers to others."""
TRIED_AGAIN = timedelta(minutes=5)
"""When a failed computation is requested again, if the data have not changed."""
ERASURES = 20
MOST_CHOICES = 50
"""Reports of one kind that a study keeps, each under other choices; the oldest go."""


MOST_WAITING, MOST_OF_PERSON = 24, 8
"""Reports of one study that wait at once: all of them, and those that one person has asked for."""
MOST_OVER_STUDIES = 3 * MOST_OF_PERSON
"""Reports that one person has asked for and that wait at once, over all studies."""
CROWDED_WAIT = 5.0
"""Seconds after which it is worth asking again for a report that was not queued."""


class ReportOutdatedError(Exception):
    """Answers were erased while a report was computed from them: it must not be kept."""


@dataclass(frozen=True)
class Kept:
    """What a page shows of a report: the newest figures, if there are any, and whether newer ones will come."""

    study: Study
    done: KeptReport | None
    waiting: KeptReport | None
    failed: KeptReport | None
    is_current: bool
    is_crowded: bool = False
    """Whether it was not requested, because too many others wait: ask again later."""

    @property
    def is_there(self) -> bool:
        return self.done is not None

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The figures, read from the database on first use. Only if the report is there.

        A worker may have replaced the row since; then they are those of the newer one.
        """
        done = self._done
        rows = KeptReport.objects.values_list("figures", flat=True)
        text: str | None = rows.filter(pk=done.pk).first()
        if text is None:
            newer = _rows(self.study, done.kind, done.digest).filter(status=Status.DONE)
            text = newer.values_list("figures", flat=True).latest("pk")
        figures: dict[str, Any] = json.loads(text)
        return figures

    @property
    def figures_so_far(self) -> dict[str, Any] | None:
        """The figures; None if there are none yet."""
        return self.figures if self.is_there else None

    @property
    def _done(self) -> KeptReport:
        if self.done is None:
            raise LookupError("there are no figures yet")
        return self.done

    @property
    def read_at(self) -> datetime | None:
        return self.done.read_at if self.done else None

    @cached_property
    def newer(self) -> int:
        """How many answers were submitted since the data were read."""
        return answers_since(self.study, self.read_at) if self.read_at and not self.is_current else 0

    @property
    def reason(self) -> str:
        """Why newer figures could not be computed."""
        return self.failed.reason if self.failed and not self.waiting else ""

    @property
    def refused(self) -> str:
        """Why the choices select nothing, if they do."""
        return self.reason if self.failed and self.failed.refused else ""

    @property
    def wait(self) -> float:
        """Seconds after which it is worth asking again."""
        row = self.waiting
        if self.is_crowded:
            return CROWDED_WAIT
        due = max((row.due_at - database_now()).total_seconds(), 0.0) if row and row.status == Status.QUEUED else 0.0
        return due + max((self.done and self.done.seconds) or 0.0, 1.0)

    @property
    def mark(self) -> str:
        """What a page has shown, so that it can ask whether anything has changed."""
        rows = (self.done, self.waiting, self.failed)
        return ".".join("" if row is None else str(row.pk) for row in rows)


def kept_report(study: Study, key: str, choices: Choices, asker: Person | None = None) -> Kept:
    """The newest report with these choices; requests one if it is not of the current state of the data.

    One that waits with the same choices is found, even if somebody else has asked for it. `asker` is the person in
    whose name it is requested: each has few at once. Two queries, one of which reads the state. Raises
    ImportPendingError.
    """
    return kept_reports(study, [(key, choices)], asker)[0]


def kept_reports(study: Study, wanted: Sequence[tuple[str, Choices]], asker: Person | None = None) -> list[Kept]:
    """Several at once, by the key of their kind and their choices, in as few queries; see `kept_report`."""
    refuse_import_since(study)
    digests = [digest_of(study, choices) for _, choices in wanted]
    chosen = Q()
    for (key, _), digest in zip(wanted, digests, strict=True):
        chosen |= Q(kind=key, digest=digest)
    entries: dict[frozenset[str], list[int]] = {}
    states = []
    for key, choices in wanted:
        kind = report_kinds()[key]
        ignored = frozenset(kind.ignored(choices))
        if ignored not in entries:
            entries[ignored] = newest_entries(study, ignored)
        states.append(state_of(entries[ignored], kind.version))
    rows = list(KeptReport.objects.filter(chosen, study=study, frozen_as=None).defer("figures").order_by("pk"))
    return [
        _up_to_date(study, key, choices, state, asker, [row for row in rows if (row.kind, row.digest) == (key, digest)])
        for (key, choices), digest, state in zip(wanted, digests, states, strict=True)
    ]


def _up_to_date(
    study: Study, key: str, choices: Choices, state: str, asker: Person | None, rows: Iterable[KeptReport]
) -> Kept:
    """What `rows` have; requests a report if they have none of this state."""
    kept = _kept_of(study, rows, state)
    if kept.is_current or kept.waiting is not None or _stays_failed(kept, state):
        return kept
    if not _request(kept, key, choices, state, asker):
        return replace(kept, is_crowded=True)
    return _kept_of(study, _rows(study, key, digest_of(study, choices)).defer("figures").order_by("pk"), state)


def _kept_of(study: Study, rows: Iterable[KeptReport], state: str) -> Kept:
    done = waiting = failed = None
    for row in rows:
        if row.status == Status.DONE:
            done = row
        elif row.status in WAITING:
            waiting = row
        else:
            failed = row
    if failed is not None and failed.state != state:
        failed = None
    return Kept(study, done, waiting, failed, done is not None and done.state == state)


def _rows(study: Study, key: str, digest: str) -> QuerySet[KeptReport]:
    return KeptReport.objects.filter(study=study, kind=key, digest=digest, frozen_as=None)


def _stays_failed(kept: Kept, state: str) -> bool:
    """Whether the computation has failed with this very data, and it is too early to try again."""
    failed = kept.failed
    if failed is None or failed.ended_at is None:
        return False
    return failed.refused or failed.ended_at > database_now() - TRIED_AGAIN


def _request(kept: Kept, key: str, choices: Choices, state: str, asker: Person | None) -> bool:
    """Queue a computation, not before the last one has been over for a while. Nothing happens if one is queued.

    Return False if it was not queued because too many wait.
    """
    now = database_now()
    due = now
    if kept.done is not None and kept.done.ended_at is not None:
        due = max(now, kept.done.ended_at + timedelta(seconds=REST * (kept.done.seconds or 0.0)))
    try:
        with transaction.atomic():
            lock_study(kept.study.pk, archived=True)  # so that requests at once do not pass the limits
            if _is_full(kept.study, asker):
                return False
            row = KeptReport.objects.create(
                study=kept.study, kind=key, choices=dict(choices), digest=digest_of(kept.study, choices), state=state,
                due_at=due, requested_by=asker,
            )  # fmt: skip
            if due <= now:  # otherwise the sweep notifies workers when it is due
                enqueue(works()[WORK_KEY], row)
    except IntegrityError:  # another request has queued it meanwhile
        return True
    return True


def _is_full(study: Study, asker: Person | None) -> bool:
    """Whether so many reports of the study wait, or of the person in it or anywhere, that no more are queued."""
    waiting = KeptReport.objects.filter(status__in=WAITING)
    askers = list(waiting.filter(study=study).values_list("requested_by", flat=True)[:MOST_WAITING])
    if len(askers) == MOST_WAITING or asker is None:
        return len(askers) == MOST_WAITING
    own = waiting.filter(requested_by=asker)[:MOST_OVER_STUDIES]
    return askers.count(asker.pk) >= MOST_OF_PERSON or own.count() == MOST_OVER_STUDIES


def digest_of(study: Study, choices: Choices) -> str:
    """The digest that names these choices, and whether systems are called by codes."""
    named = {**choices, "blinded": True} if is_blind(study) else dict(choices)
    return hashlib.sha256(canonical_json(named).encode()).hexdigest()


@dataclass(frozen=True)
class Computed:
    """Figures as JSON text, and what is kept with them."""

    figures: str
    state: str
    read_at: datetime
    seconds: float
    erasures: tuple[int, ...]

    @property
    def fields(self) -> dict[str, Any]:
        return {"figures": self.figures, "state": self.state, "read_at": self.read_at, "seconds": self.seconds}


def computed(study: Study, kind: ReportKind, choices: Choices) -> Computed:
    """Compute a report. The state is read first: if the data change meanwhile, the report counts as out of date.

    Raises ChoiceInvalidError and ImportPendingError.
    """
    begun, read_at, erasures = time.monotonic(), database_now(), last_erasures()
    state = data_state(study, kind.version, kind.ignored(choices))
    figures = as_json(kind.compute(study, choices))
    return Computed(figures, state, read_at, time.monotonic() - begun, erasures)


def make_room(row: KeptReport, made: Computed) -> None:
    """Delete the reports that `row` replaces; call it in the transaction that keeps what was computed.

    Raises ReportOutdatedError if anything was erased since, and ImportPendingError.
    """
    lock_study(row.study_id, archived=True)  # an erasure holds this lock until it has deleted the kept reports
    if last_erasures() != made.erasures:
        raise ReportOutdatedError
    older = _rows(row.study, row.kind, row.digest).exclude(status__in=WAITING)
    older.exclude(pk=row.pk).delete()
    finished = KeptReport.objects.filter(study=row.study, kind=row.kind, frozen_as=None).exclude(status__in=WAITING)
    oldest = list(finished.exclude(pk=row.pk).order_by("-pk").values_list("pk", flat=True)[MOST_CHOICES - 1 :])
    KeptReport.objects.filter(pk__in=oldest).delete()


def last_erasures() -> tuple[int, ...]:
    """The newest erasures of the site; several, because one may end after another that began later."""
    return tuple(Erasure.objects.order_by("-pk").values_list("pk", flat=True)[:ERASURES])


def compute_here(study: Study, key: str, choices: Choices) -> dict[str, Any]:
    """Compute a report in this process, for commands, and keep it for pages.

    Raises ChoiceInvalidError and ImportPendingError.
    """
    kind, digest = report_kinds()[key], digest_of(study, choices)
    made = computed(study, kind, choices)
    try:
        with transaction.atomic():
            now = database_now()
            row = KeptReport(
                study=study, kind=key, choices=dict(choices), digest=digest, status=Status.DONE,
                started_at=made.read_at, ended_at=now, **made.fields,
            )  # fmt: skip
            make_room(row, made)
            row.save(force_insert=True)
    except (ReportOutdatedError, ImportPendingError):
        pass  # the figures are right for the command, but not for pages any more
    figures: dict[str, Any] = json.loads(made.figures)
    return figures


def is_kept(study: Study, key: str, choices: Mapping[str, Any]) -> bool:
    """Whether a report of the current state of the data is kept."""
    return _current(study, key, choices).exists()


def kept_figures(study: Study, key: str, choices: Mapping[str, Any]) -> dict[str, Any] | None:
    """The kept report of the current state of the data; None if there is none. Requests nothing."""
    text = _current(study, key, choices).values_list("figures", flat=True).order_by("pk").last()
    figures: dict[str, Any] | None = None if text is None else json.loads(text)
    return figures


def _current(study: Study, key: str, choices: Mapping[str, Any]) -> QuerySet[KeptReport]:
    kind = report_kinds()[key]
    state = data_state(study, kind.version, kind.ignored(choices))
    return _rows(study, key, digest_of(study, choices)).filter(status=Status.DONE, state=state)
