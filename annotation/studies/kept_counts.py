"""Counts of a study for its pages: a small study is counted at each visit, a large one by workers, who keep the counts.

A page shows kept counts at once, with their time, and requests new ones if the study has changed since. The audit says
whether it has: every change of what is counted writes an entry (`reports.kept.data_state` lists the changes).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import BooleanField, Case, Exists, OuterRef, Q, QuerySet, Value, When

from accounts.models import AuditEntry
from accounts.study_audit import entries_since
from annotation.models import Annotation, Item, Rating, Slot, Study, StudyCounts
from annotation.studies.counting import CountOf
from annotation.studies.locking import refuse_import_since
from config.background.kinds import works
from config.background.rows import WAITING, Status
from config.background.waking import enqueue
from config.database_clock import database_now
from config.parts import figureless_actions

WORK_KEY = "study_counts"
OVERVIEW, PACE, SPANS, PLAN, BATCH = "overview", "pace", "spans", "plan", "batch "
MOST_AT_ONCE = 5000
"""A study with more answers or more places for answers is counted by workers."""
RATINGS_PER_ANSWER = 4
"""So is a study with this many times more ratings, which may all have been imported."""
REST = 4.0
"""Counts are requested again after this many times as long as they took."""
LATE = timedelta(seconds=10)
"""How long after its time an entry of the audit may become visible, on PostgreSQL."""
LATE_IMPORT = timedelta(minutes=5)
"""The same for the entry of an import, whose rows the database checks when it commits."""
OLDEST = timedelta(hours=1)
"""Older counts are requested again, because those of the last day change with time."""
TRIED_AGAIN = timedelta(minutes=5)
OF_NO_COUNT = frozenset(
    {
        "task assigned",
        "study exported",
        "file exported",
        "notes read",
        "report frozen",
        "flag answers read",
        "comments read",
        "reviewer named",
        "file uploaded",
        "file choices made",
        "file discarded",
    }
)
OF_NO_SAMPLE = OF_NO_COUNT | {"answer checked", "flag answered", "batch released", "span reviewed"}
OF_NO_SPAN = OF_NO_COUNT | {"answer checked", "flag answered", "batch released"}


@dataclass(frozen=True)
class KeptCounts:
    """The newest kept counts of a subject, if there are any, and whether they are of the current data."""

    pk: int | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    read_at: datetime | None = None
    is_current: bool = False
    is_waiting: bool = False

    @property
    def are_there(self) -> bool:
        return self.pk is not None

    @property
    def mark(self) -> str:
        """What a page has shown, so that it can ask whether anything has changed."""
        return f"{self.pk or 0}.{self.is_current:d}.{self.is_waiting:d}"


def is_large(study: Study) -> bool:
    """Whether a page must not count the study itself. One query, which stops counting there."""
    found: Any = large_studies(Study.objects.filter(pk=study.pk)).get()
    return bool(found.is_large)


def large_studies(studies: QuerySet[Study]) -> QuerySet[Study]:
    """The studies, each with whether it `is_large`.

    Places are looked for by their items, because no index has all places of a study, and last, when the items are few.
    """
    answers = Annotation.objects.filter(rater__study=OuterRef("pk"))
    # A range, so that PostgreSQL reads an index also if nearly all rows belong to another study.
    of_study: dict[str, Any] = {"study__gte": OuterRef("pk"), "study__lte": OuterRef("pk")}
    ratings, places = Rating.objects.filter(**of_study), Slot.objects.filter(item__study=OuterRef("pk"))
    items = Item.objects.filter(**of_study)
    most_ratings = RATINGS_PER_ANSWER * MOST_AT_ONCE
    counted = {
        "some_answers": CountOf(answers.order_by().values("pk")[: MOST_AT_ONCE + 1]),
        "some_items": CountOf(items.order_by().values("pk")[: MOST_AT_ONCE + 1]),
        "some_places": CountOf(places.order_by().values("pk")[: MOST_AT_ONCE + 1]),
        "some_ratings": CountOf(ratings.order_by().values("pk")[: most_ratings + 1]),
    }
    most = {"some_items": MOST_AT_ONCE, "some_ratings": most_ratings, "some_answers": MOST_AT_ONCE,
            "some_places": MOST_AT_ONCE}  # fmt: skip
    exceeded = [When(**{f"{rows}__gt": number}, then=Value(True)) for rows, number in most.items()]
    is_large = Case(*exceeded, default=Value(False), output_field=BooleanField())
    return studies.alias(**counted).annotate(is_large=is_large)


def exceeds(rows: QuerySet[Any], most: int) -> bool:
    """Whether there are more than `most` rows; stops counting there."""
    return rows.order_by()[: most + 1].count() > most


def kept_counts(study: Study, subject: str, ignored: Collection[str] = OF_NO_COUNT) -> KeptCounts:
    """The kept counts of a subject; requests new ones if anything but the `ignored` actions has happened since.

    Raises ImportPendingError.
    """
    return kept_counts_of(study, [subject], ignored)[subject]


def kept_counts_of(
    study: Study, subjects: Collection[str], ignored: Collection[str] = OF_NO_COUNT
) -> dict[str, KeptCounts]:
    """The same for several subjects, in as many queries."""
    refuse_import_since(study)
    rows: dict[str, list[StudyCounts]] = {subject: [] for subject in subjects}
    for row in StudyCounts.objects.filter(study=study, subject__in=rows).order_by("pk"):
        rows[row.subject].append(row)
    done = {subject: _last(found, (Status.DONE,)) for subject, found in rows.items()}
    current = _current(study, [one for one in done.values() if one is not None], ignored)
    return {subject: _kept(study, subject, found, done[subject], current) for subject, found in rows.items()}


def _kept(
    study: Study, subject: str, rows: list[StudyCounts], done: StudyCounts | None, current: Collection[int]
) -> KeptCounts:
    waiting, is_current = _last(rows, WAITING), done is not None and done.pk in current
    failed = next((row for row in reversed(rows) if row.status not in {Status.DONE, *WAITING}), None)
    if not is_current and waiting is None and not _failed_lately(failed):
        waiting = _request(study, subject, done)
    if done is None:
        return KeptCounts(is_waiting=waiting is not None)
    return KeptCounts(done.pk, done.figures, done.read_at, is_current, waiting is not None)


def _last(rows: list[StudyCounts], statuses: Collection[str]) -> StudyCounts | None:
    return next((row for row in reversed(rows) if row.status in statuses), None)


def _current(study: Study, done: list[StudyCounts], ignored: Collection[str]) -> set[int]:
    """Which of the counts are of the current data, in one query."""
    recent = [row for row in done if row.read_at is not None and row.read_at >= database_now() - OLDEST]
    if not recent:
        return set()
    changed = {f"changed_{row.pk}": Exists(_changes(study, row.read_at, ignored)) for row in recent if row.read_at}
    found = Study.objects.filter(pk=study.pk).annotate(**changed).values(*changed).get()
    return {row.pk for row in recent if not found[f"changed_{row.pk}"]}


def _changes(study: Study, since: datetime, ignored: Collection[str]) -> QuerySet[AuditEntry]:
    entries = entries_since(study.slug, since - LATE_IMPORT)
    late = Q(at__gt=since - LATE) | Q(action__contains="imported")
    return entries.filter(late).exclude(action__in=sorted({*ignored, *figureless_actions()}))


def _failed_lately(failed: StudyCounts | None) -> bool:
    return failed is not None and failed.ended_at is not None and failed.ended_at > database_now() - TRIED_AGAIN


def _request(study: Study, subject: str, done: StudyCounts | None) -> StudyCounts | None:
    """Queue a count, not before the last one has been over for a while; None if another request has queued it."""
    due = now = database_now()
    if done is not None and done.ended_at is not None:
        due = max(now, done.ended_at + timedelta(seconds=REST * (done.seconds or 0.0)))
    try:
        with transaction.atomic():
            row = StudyCounts.objects.create(study=study, subject=subject, due_at=due)
            if due <= now:  # otherwise the sweep notifies workers when it is due
                enqueue(works()[WORK_KEY], row)
            return row
    except IntegrityError:
        return None
