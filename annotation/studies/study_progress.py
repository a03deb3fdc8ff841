"""How far studies are: places for answers, and answers and ratings that were imported and fill none."""

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotation.models import Annotation, Assignment, Rater, Rating, Slot, Study
from annotation.studies.batches import FIRST


@dataclass(frozen=True)
class StudyProgress:
    """Places for answers in a study, and what people gave elsewhere: `total` = open + held + filled.

    `imported_answers` counts submitted answers from files that have no place; `imported` ratings that came alone.
    """

    total: int = 0
    filled: int = 0
    held: int = 0
    imported: int = 0
    imported_answers: int = 0

    @property
    def open(self) -> int:
        return self.total - self.filled - self.held

    @property
    def imports(self) -> list[tuple[int, str]]:
        """What was imported, as numbers with what is counted."""
        counts = ((self.imported_answers, "answer"), (self.imported, "rating"))
        return [(count, name if count == 1 else f"{name}s") for count, name in counts if count]

    @property
    def percent(self) -> int:
        return 100 * self.filled // self.total if self.total else 0


def progress_by_study(studies: QuerySet[Study]) -> dict[int, StudyProgress]:
    """Return the progress of each study by primary key, in three queries that read all of the studies' places."""
    filled, held = Q(state=Slot.State.FILLED), Q(state=Slot.State.HELD)
    rows = (
        Slot.objects.filter(study__in=studies, place__gte=FIRST)
        .values("study")
        .annotate(total=Count("pk"), filled=Count("pk", filter=filled), held=Count("pk", filter=held))
    )
    files = Rating.objects.filter(study__in=studies, annotation=None, is_current=True, rater__kind=Rater.Kind.HUMAN)
    imported = dict(files.order_by().values_list("study").annotate(Count("pk")))
    here = Assignment.objects.filter(rater=OuterRef("rater"), task=OuterRef("task"))
    place = Slot.objects.filter(holder=OuterRef("rater"), task=OuterRef("task"))
    answers = Annotation.objects.filter(
        ~Exists(here), ~Exists(place), rater__study__in=studies, rater__kind=Rater.Kind.HUMAN, is_current=True,
        status=Annotation.Status.SUBMITTED, task__item__withdrawn_at=None,
    )  # fmt: skip
    answered = dict(answers.order_by().values_list("rater__study").annotate(Count("pk")))
    found = {
        study: StudyProgress(imported=imported.get(study, 0), imported_answers=answered.get(study, 0))
        for study in {*imported, *answered}
    }
    for row in rows:
        study = row["study"]
        numbers = (row["total"], row["filled"], row["held"], imported.get(study, 0), answered.get(study, 0))
        found[study] = StudyProgress(*numbers)
    return found


def progress_of_study(study: Study) -> StudyProgress:
    """Return the progress of one study, as `progress_by_study` counts it."""
    return progress_by_study(Study.objects.filter(pk=study.pk)).get(study.pk, StudyProgress())
