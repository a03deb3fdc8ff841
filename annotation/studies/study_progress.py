"""How far studies are: places for answers, and ratings that were imported and fill none."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.models import Rater, Rating, Slot, Study
from annotation.studies.batches import FIRST


@dataclass(frozen=True)
class StudyProgress:
    """Places for answers in a study: `total` = open + held + filled; `imported` counts people's ratings from files."""

    total: int = 0
    filled: int = 0
    held: int = 0
    imported: int = 0

    @property
    def open(self) -> int:
        return self.total - self.filled - self.held

    @property
    def percent(self) -> int:
        return 100 * self.filled // self.total if self.total else 0


def progress_by_study(studies: QuerySet[Study]) -> dict[int, StudyProgress]:
    """Return the progress of each study by primary key, in two queries that read all of the studies' places."""
    filled, held = Q(state=Slot.State.FILLED), Q(state=Slot.State.HELD)
    rows = (
        Slot.objects.filter(study__in=studies, place__gte=FIRST)
        .values("study")
        .annotate(total=Count("pk"), filled=Count("pk", filter=filled), held=Count("pk", filter=held))
    )
    files = Rating.objects.filter(study__in=studies, annotation=None, is_current=True, rater__kind=Rater.Kind.HUMAN)
    imported = dict(files.order_by().values_list("study").annotate(Count("pk")))
    found = {study: StudyProgress(imported=count) for study, count in imported.items()}
    for row in rows:
        study = row["study"]
        found[study] = StudyProgress(row["total"], row["filled"], row["held"], imported.get(study, 0))
    return found


def progress_of_study(study: Study) -> StudyProgress:
    """Return the progress of one study, as `progress_by_study` counts it."""
    return progress_by_study(Study.objects.filter(pk=study.pk)).get(study.pk, StudyProgress())
