"""The studies that a person runs, on their home page: counts of small studies, kept counts of large ones."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Person
from annotation.access import RESEARCHERS, studies_of
from annotation.models import Invitation, Membership, Project, Study, StudyCounts
from annotation.models.people import Role
from annotation.pools import planned_items
from annotation.review.flags import open_flags
from annotation.studies.counting import CountOf
from annotation.studies.kept_counts import OVERVIEW, kept_counts, large_studies
from annotation.studies.locking import ImportPendingError
from annotation.studies.study_progress import StudyProgress, progress_by_study
from config.background.rows import Status
from config.database_clock import database_now

MOST_FLAGS = 100
REQUESTED_AT_ONCE = 3
"""Large studies without counts whose counts one visit requests."""
STATES = (Study.Status.LIVE, Study.Status.DRAFT, Study.Status.PAUSED, Study.Status.CLOSED)


@dataclass(frozen=True)
class RunStudy:
    """A study on the home page of a person who runs it; `progress` is None until a worker has counted it."""

    study: Study
    progress: StudyProgress | None
    flagged: int
    annotators: int
    invited: int
    unprepared: bool

    @property
    def more_flags(self) -> bool:
        """Whether there may be more open flags than were counted."""
        return self.flagged >= MOST_FLAGS


def runs_of(person: Person, *, archived: bool = False, project: Project | None = None) -> list[RunStudy]:
    """Return the studies that `person` runs, live ones first, in a few queries, whatever their number and size.

    Only `archived` ones or all others; with `project` all of that project.
    """
    studies = studies_of(person, RESEARCHERS).select_related("project")
    if project is not None:
        studies = studies.filter(project=project)
    else:
        studies = studies.filter(archived_at__isnull=not archived)
    rows = list(_annotated(studies))
    large = [row for row in rows if row.is_large]
    small = Study.objects.filter(pk__in=[row.pk for row in rows if not row.is_large])
    progress: dict[int, StudyProgress | None] = {**(progress_by_study(small) if len(large) < len(rows) else {})}
    progress.update(_kept_progress(large))
    rows.sort(key=lambda row: (STATES.index(Study.Status(row.status)), -row.pk))
    return [
        RunStudy(row, progress.get(row.pk, StudyProgress()), row.flagged, row.annotators, row.invited, row.unprepared)
        for row in rows
    ]


def _annotated(studies: QuerySet[Study]) -> Any:
    flagged = open_flags(OuterRef("pk")).order_by().values("pk")[:MOST_FLAGS]
    annotators = Membership.objects.filter(study=OuterRef("pk"), active=True, role=Role.ANNOTATOR).values("pk")
    waiting = Invitation.objects.filter(
        study=OuterRef("pk"), accepted_at=None, revoked_at=None, expires_at__gt=database_now()
    )
    unprepared = planned_items(OuterRef("pk")).filter(pk__gt=OuterRef("planned_through"))
    return large_studies(studies).annotate(
        flagged=CountOf(flagged),
        annotators=CountOf(annotators),
        invited=CountOf(waiting.values("pk")),
        unprepared=Exists(unprepared),
    )


def _kept_progress(large: list[Study]) -> dict[int, StudyProgress | None]:
    """The kept progress of large studies; it may be a while old. Counts that were never made are requested.

    So are those without an answer, which are not shown if they may be older than the first answers.
    """
    if not large:
        return {}
    done = StudyCounts.objects.filter(study__in=large, subject=OVERVIEW, status=Status.DONE).order_by("pk")
    kept = {study: StudyProgress(**figures["progress"]) for study, figures in done.values_list("study", "figures")}
    doubtful = [one for one in large if (known := kept.get(one.pk)) is None or (known.total and not known.filled)]
    for number, study in enumerate(doubtful):
        try:
            is_current = number < REQUESTED_AT_ONCE and kept_counts(study, OVERVIEW).is_current
        except ImportPendingError:
            is_current = False
        if not is_current:
            kept.pop(study.pk, None)
    return {study.pk: kept.get(study.pk) for study in large}
