"""The work and speed of each rater."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from django.db.models import Count, Q

from annotation.models import Annotation, Item, Rater, Rating, Study
from annotation.pools import OF_COUNTED, in_main_pool
from annotation.studies.snapshots import study_snapshot
from annotation.studies.study_progress import progress_of_study
from reports.figures.rows import chosen_raters

CURRENT = Q(annotations__is_current=True, **{f"annotations__task__{name}": value for name, value in OF_COUNTED.items()})


@dataclass(frozen=True)
class RaterShare:
    """A rater by the name used in files, with current answers, their share of all, and the median seconds per answer.

    Seconds are by the server's clock.
    """

    name: str
    kind: str
    answers: int
    share: float
    ratings: int
    skipped: int
    surplus: int
    seconds: float | None

    @property
    def percent(self) -> str:
        return f"{100 * self.share:.1f}"

    @property
    def bar(self) -> float:
        """The share as a width on a drawing of 60 units."""
        return round(60 * self.share, 1)


def kinds_in(study: Study) -> set[str]:
    """The kinds of raters in a study."""
    return set(Rater.objects.filter(study=study).values_list("kind", flat=True).distinct())


def machines_in(study: Study) -> list[str]:
    """The names of a study's models and metrics, in order."""
    return sorted(Rater.objects.filter(study=study).exclude(kind=Rater.Kind.HUMAN).values_list("name", flat=True))


def rater_shares(study: Study, kinds: Collection[str], names: Collection[str] = ()) -> list[RaterShare]:
    """The raters of `kinds`, or called one of `names`, with any answer, most ratings first, in three queries.

    `answers` counts submitted tasks; for raters whose ratings were all imported it is 0, and `ratings` counts lines.
    """
    seconds: dict[int, list[float]] = defaultdict(list)
    current = Annotation.objects.filter(
        chosen_raters(kinds, names), in_main_pool(study, "task__item"), rater__study=study, is_current=True
    )
    timed = current.filter(status="submitted")
    for rater, taken in timed.values_list("rater", "seconds"):
        if taken is not None:
            seconds[rater].append(taken)
    lines = dict(
        Rating.objects.filter(chosen_raters(kinds, names), in_main_pool(study), study=study, is_current=True)
        .values("rater")
        .annotate(n=Count("pk"))
        .values_list("rater", "n")
    )
    counts = list(
        Rater.objects.filter(Q(kind__in=kinds) | Q(name__in=names), study=study)
        .annotate(
            answers=Count("annotations", filter=CURRENT & Q(annotations__status="submitted")),
            skipped=Count("annotations", filter=CURRENT & Q(annotations__status="skipped")),
            surplus=Count(
                "annotations", filter=CURRENT & Q(annotations__status="submitted", annotations__surplus=True)
            ),
        )
        .values_list("pk", "name", "kind", "answers", "skipped", "surplus")
    )
    total = sum(lines.values())
    shares = [
        RaterShare(
            name=name,
            kind=kind,
            answers=answers,
            share=lines.get(pk, 0) / total if total else 0.0,
            ratings=lines.get(pk, 0),
            skipped=skipped,
            surplus=surplus,
            seconds=median(seconds[pk]) if seconds[pk] else None,
        )
        for pk, name, kind, answers, skipped, surplus in counts
        if answers or skipped or lines.get(pk)
    ]
    return sorted(shares, key=lambda one: (-one.ratings, one.name))


def kept_rater_shares(study: Study, choices: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept for the page of a report: raters, the progress, and whether any item has a category."""
    with study_snapshot(study):
        shares = rater_shares(study, choices["kinds"], choices["raters"])
        has_categories = Item.objects.filter(study=study, categories__isnull=False).exists()
        progress = progress_of_study(study)
    return {
        "raters": [asdict(one) for one in shares], "progress": asdict(progress), "has_categories": has_categories,
    }  # fmt: skip
