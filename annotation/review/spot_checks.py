"""Spot checks: a researcher checks a seeded sample of a batch's answers and leaves notes for annotators."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery

from accounts.auditing import record
from accounts.models import Person
from annotation.common_options import SPOT_CHECK_SHARE
from annotation.models import Annotation, Assignment, DrawnAnswer, SpotCheck, Study
from annotation.review.verdicts import ReviewedMeanwhileError, reviewer_for
from annotation.studies.batches import items_in, state_of
from annotation.studies.locking import refuse_import_since
from annotation.studies.planning import seeded
from annotation.studies.queries import unread_notes
from config.database_clock import database_now

OPTION, SHARE = "spot_check_share", SPOT_CHECK_SHARE
NOT_CHECKED = ("", 0, 0)
COLUMNS = ("pk", "task_id", "rater_id", "rater__name", "rater__person_id", "task__item__key", "task__key")


@dataclass(frozen=True)
class SampledAnswer:
    """A sampled answer with `verdict` and `number` of its last check ("" and 0: none yet).

    `revised`: the annotator has changed the answer since it was checked.
    """

    annotation: int
    rater: str
    item: str
    verdict: str = ""
    number: int = 0
    revised: bool = False
    task_id: int = 0
    rater_id: int = 0


def answers_in(study: Study, batch: int) -> QuerySet[Annotation]:
    """The answers of a batch from which the sample is drawn."""
    return Annotation.objects.filter(
        task__item__in=items_in(study, batch), is_current=True, status="submitted", rater__kind="human"
    )


def sample(study: Study, batch: int) -> list[SampledAnswer]:
    """A batch's sampled answers by annotator: a share of each annotator's, at least one, and all checked ones.

    The sample depends only on the study's seed, but answers already checked count first.
    """
    share = study.options.get(OPTION, SHARE)
    checks = checks_by_answer(SpotCheck.objects.filter(annotation__task__item__in=items_in(study, batch)))
    groups: dict[str, list[tuple[bool, int, SampledAnswer]]] = defaultdict(list)
    for pk, task, rater, name, person, item, key in answers_in(study, batch).values_list(*COLUMNS):
        last = checks.get((task, rater), NOT_CHECKED)
        checked = bool(last[2])
        if checked or person is not None:
            one = sampled_answer(pk, task, rater, name, item, last)
            groups[name].append((not checked, seeded(study, "spot check", name, item, key), one))
    chosen = []
    for name in sorted(groups):
        ranked = sorted(groups[name], key=lambda ranked: ranked[:2])
        wanted = max(1, math.ceil(share * len(ranked))) if share else 0
        chosen += [one for place, (fresh, _, one) in enumerate(ranked) if place < wanted or not fresh]
    return chosen


def sampled_answer(pk: int, task: int, rater: int, name: str, item: str, last: tuple[str, int, int]) -> SampledAnswer:
    """A current answer with its last check, as `checks_by_answer` gives it."""
    verdict, number, checked = last
    revised = bool(checked) and checked != pk
    return SampledAnswer(pk, name, item, verdict, number if checked == pk else 0, revised, task, rater)


def checks_by_answer(checks: QuerySet[SpotCheck]) -> dict[tuple[int, int], tuple[str, int, int]]:
    """The last check by task and rater: its verdict, its number and its annotation."""
    rows = checks.filter(is_current=True).order_by("annotation__revision")
    named = ("annotation__task_id", "annotation__rater_id", "verdict", "number", "annotation_id")
    return {(task, rater): (verdict, number, pk) for task, rater, verdict, number, pk in rows.values_list(*named)}


def unfinished(study: Study, batch: int, sampled: Sequence[SampledAnswer]) -> list[str]:
    """The work left in a batch before the next one, in words."""
    state, left = state_of(study, batch), sum(not one.verdict for one in sampled)
    found = [] if state.is_full else [f"{state.filled} of {state.places} slots are filled"]
    return found + ([f"{left} of {len(sampled)} spot checks are open"] if left else [])


def check(annotation: Annotation, verdict: str, note: str, person: Person, *, number: int) -> SpotCheck:
    """Add a check of an answer; `number` is the last check that the person saw (0: none).

    Raises ReviewedMeanwhileError if there is a later one.
    """
    study = annotation.rater.study
    reviewer = reviewer_for(study, person)
    with transaction.atomic():
        refuse_import_since(study)
        Annotation.objects.select_for_update(of=("self",), no_key=True).get(pk=annotation.pk)
        last = SpotCheck.objects.filter(annotation=annotation, is_current=True).first()
        if (last.number if last else 0) != number:
            raise ReviewedMeanwhileError
        if last is not None:
            SpotCheck.objects.filter(pk=last.pk).update(is_current=False)
        added = SpotCheck.objects.create(
            annotation=annotation, number=number + 1, verdict=verdict, note=note, by=reviewer, at=database_now()
        )
        drawn = DrawnAnswer.objects.filter(task=annotation.task_id, rater=annotation.rater_id, is_open=True)
        drawn.update(is_open=False)
        record(
            "answer checked",
            f"task {annotation.task_id} of rater {annotation.rater_id}",
            actor=person,
            about=annotation.rater.person,
            study=study.slug,
            old={"verdict": last.verdict, "number": last.number} if last else None,
            new={"verdict": verdict, "number": added.number},
        )
    return added


def notes_to(person: Person, study: Study) -> QuerySet[SpotCheck]:
    """All notes to this person in a study, latest first, each with the `task_key` of its task."""
    given = Assignment.objects.filter(task=OuterRef("annotation__task"), rater=OuterRef("annotation__rater"))
    notes = SpotCheck.objects.filter(annotation__rater__person=person, annotation__rater__study=study)
    return notes.exclude(note="").annotate(task_key=Subquery(given.values("key")[:1])).order_by("-pk")


def acknowledge(person: Person, study: Study, pks: Sequence[int]) -> int:
    """Mark these notes of the person as read; return how many were unread."""
    with transaction.atomic():
        unread = unread_notes(person).filter(annotation__rater__study=study, pk__in=pks).order_by("pk")
        found = list(unread.values_list("pk", flat=True))
        count = SpotCheck.objects.filter(pk__in=found, seen_at=None).update(seen_at=database_now())
        if count:
            record("notes read", study.slug, actor=person, study=study.slug, new={"notes": found})
    return count
