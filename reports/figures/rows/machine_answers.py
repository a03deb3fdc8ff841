"""Which machines' answers a figure reads: those in the question's own shape, of one rerun per rater.

A rerun is a run, or one of its replicates. Values of different reruns are never mixed: figures about agreement use a
rater's latest complete rerun. Runs that a researcher has replaced are read by no figure.
"""

from collections import defaultdict
from datetime import UTC, datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotation.machine_shapes import own_shape
from annotation.models import JudgeRun, Question, Rater, Rating, Study
from annotation.protocols import protocols

PERSON = Q(rater__kind=Rater.Kind.HUMAN)
EARLIEST = datetime(1, 1, 1, tzinfo=UTC)

Rerun = tuple[str, int | None]
"""The run and the replicate of a rating."""


def not_replaced(rows: QuerySet[Rating]) -> QuerySet[Rating]:
    """The ratings without those of replaced runs."""
    replaced = JudgeRun.objects.filter(rater=OuterRef("rater"), name=OuterRef("run"), replaced_by__isnull=False)
    return rows.filter(~Exists(replaced))


def own_answers(rows: QuerySet[Rating], study: Study, question: Question) -> QuerySet[Rating]:
    """The ratings of a question in its own shape, of each machine only those of one rerun."""
    own = rows.filter(own_shape(question, protocols()[study.protocol]))
    return own.exclude(_other_reruns(own))


def left_out(rows: QuerySet[Rating], study: Study, question: Question) -> dict[str, int]:
    """The number of ratings of a question that `own_answers` leaves out, by the reason."""
    own = rows.filter(own_shape(question, protocols()[study.protocol]))
    own_count = own.count()
    return {
        "other_shapes": rows.count() - own_count,
        "other_reruns": own_count - own.exclude(_other_reruns(own)).count(),
    }


def _other_reruns(rows: QuerySet[Rating]) -> Q:
    """The condition for machines' ratings that are not of their rater's latest rerun; complete ones come first."""
    found: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    counted = rows.exclude(PERSON).values("rater", "run", "replicate").annotate(n=Count("pk"), last=Max("submitted_at"))
    for rater, run, replicate, last in counted.order_by().values_list("rater", "run", "replicate", "last"):
        found[rater].append((last or EARLIEST, run, -1 if replicate is None else replicate))
    several = {rater: reruns for rater, reruns in found.items() if len(reruns) > 1}
    incomplete = set(
        JudgeRun.objects.filter(rater__in=several).exclude(status=JudgeRun.Status.FINISHED).values_list("rater", "name")
    )
    others = Q(pk__in=())
    for rater, reruns in several.items():
        *_, run, replicate = max(reruns, key=lambda one: ((rater, one[1]) not in incomplete, *one))
        same = Q(run=run, replicate__isnull=True) if replicate < 0 else Q(run=run, replicate=replicate)
        others |= Q(rater=rater) & ~same
    return others
