"""A study's progress, pace and people: counted at each visit of a small study, kept for a large one."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q

from annotation.models import Annotation, Assignment, Membership, Rater, Study
from annotation.models.people import Role
from annotation.pools import main_items, no_copies
from annotation.review.flags import open_flags
from annotation.studies.counting import CountOf
from annotation.studies.kept_counts import OVERVIEW, KeptCounts, is_large, kept_counts, kept_counts_of
from annotation.studies.queries import skipped_in
from annotation.studies.reading_speed import NO_HASTY_ANSWERS, HastyAnswers, count_hasty, hasty_of
from annotation.studies.study_progress import StudyProgress, progress_of_study
from config.database_clock import database_now


@dataclass(frozen=True)
class Pace:
    """A study's answers of the last day and the last week, and the time of the last one."""

    day: int
    week: int
    last: datetime | None


@dataclass(frozen=True)
class Contribution:
    """A member or rater of a study with counts of their answers. Imported raters have no membership.

    `is_counted` is false while a worker counts a large study for the first time, or again since the rater came.
    """

    membership: Membership | None
    rater: Rater | None
    submitted: int = 0
    skipped: int = 0
    surplus: int = 0
    flagged: int = 0
    last: datetime | None = None
    is_counted: bool = True
    hasty: HastyAnswers = NO_HASTY_ANSWERS

    @property
    def shown_name(self) -> str:
        """What pages with figures call the person: annotators by the random name of their rater, others by their own.

        Who is who is on a page of its own.
        """
        if self.membership is None or self.membership.role == Role.ANNOTATOR:
            return self.rater.name if self.rater else "an annotator without tasks"
        return str(self.membership.person)

    @property
    def is_annotating(self) -> bool:
        """Whether the person rates, or has rated, in the study."""
        return self.rater is not None or (self.membership is not None and self.membership.role == Role.ANNOTATOR)

    @property
    def may_annotate(self) -> bool:
        """Whether the person is one of the study's annotators now."""
        member = self.membership
        return member is not None and member.active and member.role == Role.ANNOTATOR and member.person.is_active


@dataclass(frozen=True)
class Overview:
    """The counts of a study's pages; `kept` says of when they are, None: of this moment.

    `also` has a large study's kept counts of the other subjects that were requested.
    """

    study: Study
    figures: Mapping[str, Any] = field(default_factory=dict)
    kept: KeptCounts | None = None
    also: Mapping[str, KeptCounts] = field(default_factory=dict)

    @property
    def items(self) -> int | None:
        """The number of items of the main pool."""
        return self.figures.get("items")

    @property
    def has_items(self) -> bool:
        return self.items is None or self.items > 0

    @property
    def progress(self) -> StudyProgress | None:
        return StudyProgress(**self.figures["progress"]) if self.figures else None

    @property
    def pace(self) -> Pace | None:
        if not self.figures:
            return None
        pace = self.figures["pace"]
        return Pace(pace["day"], pace["week"], _time(pace["last"]))

    @property
    def flagged(self) -> int:
        return int(self.figures.get("flagged", 0))

    @property
    def skipped(self) -> int:
        return int(self.figures.get("skipped", 0))

    def last_flagged(self) -> Assignment | None:
        """The newest flagged task, if any was counted."""
        if not self.flagged:
            return None
        return Assignment.objects.filter(pk=self.figures["last_flagged"]).exclude(flag="").first()

    def last_skipped(self) -> Annotation | None:
        """The newest skipped task, if any was counted."""
        if not self.skipped:
            return None
        return Annotation.objects.filter(pk=self.figures["last_skipped"]).first()

    def contributions(self) -> list[Contribution]:
        """All past and present members: owners and researchers, then annotators by name, then imported raters."""
        people = Rater.objects.filter(study=self.study, kind=Rater.Kind.HUMAN)
        raters = sorted(people, key=lambda rater: rater.name)
        by_person = {rater.person_id: rater for rater in raters if rater.person_id}
        order = [role.value for role in Role]
        members = sorted(
            Membership.objects.filter(study=self.study).select_related("person"),
            key=lambda one: (order.index(one.role), not one.active, _place_of(one, by_person)),
        )
        rows = [self._contribution(member, by_person.pop(member.person_id, None)) for member in members]
        others = [rater for rater in raters if rater.person_id in by_person or not rater.person_id]
        return rows + [self._contribution(None, rater) for rater in others]

    def _contribution(self, membership: Membership | None, rater: Rater | None) -> Contribution:
        if rater is None:
            return Contribution(membership, None)
        counts = self.figures.get("raters", {}).get(str(rater.pk))
        if counts is None:  # a rater who came after the count has no answers in it
            is_counted = bool(self.figures) and (self.kept is None or self.kept.is_current)
            return Contribution(membership, rater, is_counted=is_counted)
        hasty = hasty_of(self.figures.get("hasty", {}), rater.pk)
        return Contribution(membership, rater, hasty=hasty, **{**counts, "last": _time(counts["last"])})


def _place_of(member: Membership, raters: Mapping[int, Rater]) -> str:
    """By what a list is in order: annotators by their random names, so that their order says nothing of their own."""
    if member.role != Role.ANNOTATOR:
        return str(member.person).casefold()
    rater = raters.get(member.person_id)
    return rater.name if rater else ""


def overview_of(study: Study, also: Collection[str] = ()) -> Overview:
    """The counts of the study's pages, and of a large study those of other subjects. Raises ImportPendingError."""
    if not is_large(study):
        return Overview(study, count_overview(study))
    kept = kept_counts_of(study, [OVERVIEW, *also])
    return Overview(study, kept[OVERVIEW].figures, kept[OVERVIEW], kept)


def progress_now(study: Study) -> StudyProgress | None:
    """The study's progress, of a large one as it was counted last.

    None before the first count, and if none was counted and the data have changed since. Raises ImportPendingError.
    """
    return kept_progress(study) if is_large(study) else progress_of_study(study)


def kept_progress(study: Study) -> StudyProgress | None:
    """The progress that workers have counted, as far as it is known. Raises ImportPendingError."""
    kept = kept_counts(study, OVERVIEW)
    progress = Overview(study, kept.figures).progress
    return progress if progress is not None and (progress.filled or kept.is_current) else None


def count_overview(study: Study) -> dict[str, Any]:
    """Count the study, as plain JSON values."""
    flagged, skipped = open_flags(study), skipped_in(study)
    flags, skips = flagged.count(), skipped.count()
    return {
        "items": main_items(study).count(),
        "progress": asdict(progress_of_study(study)),
        "pace": _count_pace(study),
        "flagged": flags,
        "last_flagged": flagged.values_list("pk", flat=True).first() if flags else None,
        "skipped": skips,
        "last_skipped": skipped.values_list("pk", flat=True).first() if skips else None,
        "raters": _count_raters(study),
        "hasty": count_hasty(study),
    }


def _count_pace(study: Study) -> dict[str, Any]:
    """Count the answers of the last days; one that was changed counts when it was first submitted."""
    now = database_now()
    row = Annotation.objects.filter(
        no_copies(study, "task__item"), rater__study=study, is_current=True, status="submitted"
    ).aggregate(
        day=Count("pk", filter=_new_since(now - timedelta(days=1))),
        week=Count("pk", filter=_new_since(now - timedelta(days=7))),
        last=Max("submitted_at"),
    )
    return {**row, "last": _text(row["last"])}


def _new_since(moment: datetime) -> Q:
    """The condition for answers that nobody had submitted before the moment."""
    same = Annotation.objects.filter(task=OuterRef("task"), rater=OuterRef("rater"), is_current=False)
    return Q(submitted_at__gte=moment) & ~Q(Exists(same.filter(status="submitted", submitted_at__lt=moment)))


def _count_raters(study: Study) -> dict[str, dict[str, Any]]:
    current = Q(annotations__is_current=True) & no_copies(study, "annotations__task__item")
    submitted = current & Q(annotations__status="submitted")
    flagged = Assignment.objects.filter(rater=OuterRef("pk")).exclude(flag="").values("pk")
    counted = Rater.objects.filter(study=study, kind=Rater.Kind.HUMAN).annotate(
        submitted=Count("annotations", filter=submitted),
        skipped=Count("annotations", filter=current & Q(annotations__status="skipped")),
        surplus=Count("annotations", filter=submitted & Q(annotations__surplus=True)),
        last=Max("annotations__submitted_at"),
        flagged=CountOf(flagged),
    )
    names = ("submitted", "skipped", "surplus", "flagged", "last")
    return {str(row.pop("pk")): {**row, "last": _text(row["last"])} for row in counted.order_by().values("pk", *names)}


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
