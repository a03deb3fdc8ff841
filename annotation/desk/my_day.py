"""A person's own day: their answers, pace and active time, in all their studies, in one query."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from statistics import median
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db.models import Count, Q, Sum
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.models import Person
from annotation.models import Annotation, Study
from annotation.studies.pace_plan import StatedPace, pace_in
from config.database_clock import database_now

DAYS = 7
MOST_READ = 500
"""Answers from which a pace and a break are computed: more than anybody gives in a day of careful work."""
LEAST_TIMED = 3
"""With fewer timed answers there is no median worth showing."""
SHORTEST_PACE_MINUTES = 5
"""Below this many active minutes no pace is given: one quick answer would be called thousands of tasks per hour."""


@dataclass(frozen=True)
class WorkDone:
    """Answers, skipped tasks, and the seconds that pages counted for them, of a day or a study."""

    name: object
    answered: int = 0
    skipped: int = 0
    active_seconds: float = 0.0

    @property
    def minutes(self) -> float:
        return self.active_seconds / 60

    @property
    def per_hour(self) -> float | None:
        """The tasks per active hour, or None before enough active time was counted to say."""
        if self.minutes < SHORTEST_PACE_MINUTES:
            return None
        return (self.answered + self.skipped) / self.minutes * 60


@dataclass(frozen=True)
class PacedWork:
    """What a study expects of a task, and what the person's own median says, in minutes; their pay of an hour."""

    study: Study
    pace: StatedPace
    own_minutes: float | None
    pay_per_hour: float | None


@dataclass(frozen=True)
class BreakDue:
    """How long the person has worked without a break, and how long a break the study suggests, in minutes."""

    worked: float
    rest: float


@dataclass(frozen=True)
class MyDay:
    """Today in total and by study, and the last days in total, the latest first."""

    today: WorkDone
    studies: Sequence[WorkDone]
    days: Sequence[WorkDone]


def zone_called(name: str) -> tzinfo:
    """Return the time zone that a browser names, or the site's if it is unknown."""
    try:
        return ZoneInfo(name) if name else timezone.get_default_timezone()
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return timezone.get_default_timezone()


def day_of(person: Person, zone: tzinfo, now: datetime | None = None) -> MyDay:
    """Return what `person` did today and on the days before, by the days of `zone`."""
    today = timezone.localtime(now, zone).date()
    first = today - timedelta(days=DAYS - 1)
    begin = datetime(first.year, first.month, first.day, tzinfo=zone)
    given = Annotation.objects.filter(
        rater__person=person, is_current=True, status__in=Annotation.ANSWERED, submitted_at__gte=begin
    )
    rows = (
        given.annotate(day=TruncDate("submitted_at", tzinfo=zone))
        .values("day", "rater__study__slug", "rater__study__title")
        .annotate(
            answered=Count("pk", filter=Q(status="submitted")),
            skipped=Count("pk", filter=Q(status="skipped")),
            seconds=Sum("active_seconds", default=0.0),
        )
        .order_by("rater__study__slug")
    )
    found = [
        (row["day"], Study(slug=row["rater__study__slug"], title=row["rater__study__title"]),
         row["answered"], row["skipped"], row["seconds"])
        for row in rows
    ]  # fmt: skip
    studies = [WorkDone(study, *counts) for day, study, *counts in found if day == today]
    days = [today - timedelta(days=back) for back in range(DAYS)]
    by_day = [_sum(one, [WorkDone(day, *counts) for day, _, *counts in found if day == one]) for one in days]
    return MyDay(by_day[0], studies, by_day)


def paced_work(person: Person) -> tuple[list[PacedWork], BreakDue | None]:
    """The pace of the studies in which `person` worked in the last day and that state one; and a break, if it is due.

    Two queries, which read at most MOST_READ answers of one person.
    """
    now = database_now()
    given = Annotation.objects.filter(
        rater__person=person, is_current=True, status__in=Annotation.ANSWERED, submitted_at__gte=now - timedelta(days=1)
    ).order_by("-submitted_at")
    rows = list(given.values_list("rater__study", "opened_at", "submitted_at", "active_seconds")[:MOST_READ])
    taken: dict[int, list[float]] = defaultdict(list)
    for study_pk, _, _, active in rows:
        taken[study_pk] += [active] if active else []
    paced = []
    for study in Study.objects.filter(pk__in=taken).only("slug", "title", "options", "recruiting").order_by("slug"):
        pace, times = pace_in(study), taken[study.pk]
        if pace is not None:
            own = median(times) if len(times) >= LEAST_TIMED else None
            paced.append(PacedWork(study, pace, own / 60 if own else None, pace.pay_per_hour(own)))
    return paced, break_due(
        [one.pace for one in paced], [(opened, sent) for _, opened, sent, _ in rows if sent is not None], now
    )


def break_due(
    paces: Sequence[StatedPace], work: Sequence[tuple[datetime | None, datetime]], now: datetime
) -> BreakDue | None:
    """The break that is due after the newest stretch of work; `work` has the times of answers, the newest first."""
    asked = [pace for pace in paces if pace.break_after_minutes is not None]
    if not asked or not work:
        return None
    soonest = min(asked, key=lambda pace: pace.break_after_minutes or 0.0)
    rest, end = timedelta(minutes=soonest.break_minutes), now
    for opened, sent in work:
        if end - sent >= rest:
            break
        end = min(opened or sent, sent)
    worked = (now - end).total_seconds() / 60
    return BreakDue(worked, soonest.break_minutes) if worked >= (soonest.break_after_minutes or 0.0) else None


def _sum(day: date, parts: Sequence[WorkDone]) -> WorkDone:
    return WorkDone(
        day,
        sum(part.answered for part in parts),
        sum(part.skipped for part in parts),
        sum(part.active_seconds for part in parts),
    )
