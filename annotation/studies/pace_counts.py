"""How fast a study is answered, by day and rater: counted at each visit of a small study, kept for a large one."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, date, datetime, timedelta
from statistics import median
from typing import Any

from django.db.models import Min, QuerySet

from annotation.models import Annotation, Rater, Study
from annotation.pools import no_copies
from annotation.studies.kept_counts import PACE, KeptCounts, is_large, kept_counts
from annotation.studies.reading_speed import HastyAnswers, count_hasty, hasty_of
from annotation.studies.study_progress import StudyProgress, progress_of_study
from config.database_clock import database_now

DAYS, HOURS, WEEK = 28, 24, 7
CHUNK = 20_000
LEAST_ACTIVE = 300.0
"""With fewer active seconds no answers per hour are given: one quick answer would be called thousands per hour."""


@dataclass(frozen=True)
class RaterPace:
    """A rater's answers, those of the last week, and their speed; `seconds` is the median, by the server's clock."""

    answers: int = 0
    week: int = 0
    seconds: float | None = None
    active_seconds: float = 0.0
    timed: int = 0
    last: str | None = None

    @property
    def per_hour(self) -> float | None:
        """Answers per hour in which the page was in use, None if that time is too short or not known."""
        return 3600 * self.timed / self.active_seconds if self.active_seconds >= LEAST_ACTIVE else None

    @property
    def last_at(self) -> datetime | None:
        return datetime.fromisoformat(self.last) if self.last else None


@dataclass(frozen=True)
class StudyPace:
    """The counts of a study; `kept` says of when they are, None: of this moment. Empty while a worker counts."""

    figures: Mapping[str, Any] = field(default_factory=dict)
    kept: KeptCounts | None = None

    @property
    def progress(self) -> StudyProgress:
        return StudyProgress(**self.figures["progress"])

    @property
    def days(self) -> list[tuple[date, int]]:
        """The last whole days, the oldest first, with their answers."""
        first = date.fromisoformat(self.figures["first_day"])
        return [(first + timedelta(days=place), count) for place, count in enumerate(self.figures["days"])]

    @property
    def whole_days(self) -> Sequence[int]:
        """The answers of the whole days after that of the first answer, which is no whole day."""
        begun = self.figures["begun"]
        return [count for day, count in self.days if begun and day > date.fromisoformat(begun)]

    @property
    def last_day(self) -> int:
        """The answers of the last 24 hours."""
        return int(self.figures["last_day"])

    @property
    def last_week(self) -> int:
        return int(self.figures["last_week"])

    def hasty_of(self, pk: int) -> HastyAnswers:
        return hasty_of(self.figures.get("hasty", {}), pk)

    def of_rater(self, pk: int) -> RaterPace:
        return RaterPace(**self.figures["raters"].get(str(pk), {}))


def pace_of(study: Study) -> StudyPace:
    """The pace of the study. Raises ImportPendingError."""
    if not is_large(study):
        return StudyPace(count_pace(study))
    kept = kept_counts(study, PACE)
    return StudyPace(kept.figures, kept)


def _first_submitted(study: Study) -> dict[tuple[int, int], datetime]:
    """When each answer that was changed was first submitted, by task and rater. Reads only earlier revisions."""
    earlier = Annotation.objects.filter(
        rater__study=study,
        rater__kind=Rater.Kind.HUMAN,
        is_current=False,
        status="submitted",
        submitted_at__isnull=False,
    )
    rows = earlier.order_by().values_list("task", "rater").annotate(first=Min("submitted_at"))
    return {(task, rater): at for task, rater, at in rows.iterator(chunk_size=CHUNK)}


def _answers(study: Study) -> QuerySet[Annotation]:
    """People's submitted answers to the study's own tasks."""
    return Annotation.objects.filter(
        no_copies(study, "task__item"), rater__study=study, rater__kind=Rater.Kind.HUMAN, is_current=True,
        status="submitted",
    ).order_by()  # fmt: skip


def count_pace(study: Study) -> dict[str, Any]:
    """Count the study, as plain JSON values, in a few queries of which one reads each answer.

    An answer that was changed counts when it was first submitted.
    """
    now = database_now()
    today = now.astimezone(UTC).date()
    first_day = today - timedelta(days=DAYS)
    by_day: Counter[date] = Counter()
    taken: dict[int, list[float]] = defaultdict(list)
    raters: dict[int, dict[str, Any]] = defaultdict(lambda: asdict(RaterPace()))
    begun: datetime | None = None
    last_day = last_week = 0
    answers = _answers(study)
    changed = _first_submitted(study)
    columns = ("task", "rater", "submitted_at", "seconds", "active_seconds")
    for task, rater, at, seconds, active in answers.values_list(*columns).iterator(chunk_size=CHUNK):
        own = raters[rater]
        own["answers"] += 1
        if seconds is not None:
            taken[rater].append(seconds)
        if active:
            own["active_seconds"] += active
            own["timed"] += 1
        if at is None:  # imported
            continue
        own["last"] = max(own["last"] or "", at.astimezone(UTC).isoformat())
        at = changed.get((task, rater), at)
        begun = at if begun is None else min(begun, at)
        by_day[at.astimezone(UTC).date()] += 1
        last_day += at > now - timedelta(days=1)
        if at > now - timedelta(days=WEEK):
            last_week += 1
            own["week"] += 1
    for rater, own in raters.items():
        own["seconds"] = median(taken[rater]) if taken[rater] else None
    return {
        "progress": asdict(progress_of_study(study)),
        "first_day": first_day.isoformat(),
        "days": [by_day[first_day + timedelta(days=place)] for place in range(DAYS)],
        "today": by_day[today],
        "begun": begun.astimezone(UTC).date().isoformat() if begun else None,
        "last_day": last_day,
        "last_week": last_week,
        "hasty": count_hasty(study),
        "raters": {str(pk): own for pk, own in raters.items()},
    }
