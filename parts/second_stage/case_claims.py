"""Give an annotator the next item of the second stage: one item to one annotator, never one that they rated."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from annotation.models import Assignment, Item, Rater, SeenItem, Study
from annotation.studies.locking import lock_rater
from config.database_clock import database_now
from parts.second_stage.disputed_units import disputed_items, rated_by
from parts.second_stage.models import SecondStageCase
from parts.second_stage.settings import may_adjudicate

LEASE = timedelta(hours=2)
TRIED = 20
"""Items that one claim tries, if others take them at the same time."""


def open_items(study: Study, rater: Rater) -> QuerySet[Item]:
    """The items that this rater can get: neither rated nor seen as a task by them, and not held by anybody else."""
    seen = Assignment.objects.filter(rater=rater, task__item=OuterRef("pk"))
    held = SecondStageCase.objects.filter(item=OuterRef("pk"), lease_until__gte=database_now()).exclude(rater=rater)
    return disputed_items(study).filter(~Exists(rated_by(rater)), ~Exists(seen), ~Exists(held))


def claim_case(study: Study, rater: Rater) -> SecondStageCase | None:
    """The rater's open case, or the next one; None if there is none for them. Safe for many annotators at once."""
    if not study.is_live:
        return None
    with transaction.atomic():
        rater = lock_rater(rater.pk)
        if not may_adjudicate(study, rater):
            return None
        mine = SecondStageCase.objects.filter(rater=rater, done_at=None).select_related("item").first()
        if mine is not None:
            if open_items(study, rater).filter(pk=mine.item_id).exists():
                SecondStageCase.objects.filter(pk=mine.pk).update(lease_until=database_now() + LEASE)
                return mine
            mine.delete()  # a researcher has answered since, or an answer was changed
        for item in open_items(study, rater)[:TRIED]:
            taken = _take(item, rater)
            if taken is not None:
                return taken
    return None


def _take(item: Item, rater: Rater) -> SecondStageCase | None:
    """Take an item that nobody has, or whose lease is over; None if somebody else was faster.

    From then on the rater gets none of its tasks, whether they decide it or not.
    """
    case = _taken(item, rater)
    if case is not None and not SeenItem.objects.filter(item=item, rater=rater).exists():  # the rater is locked
        SeenItem.objects.create(item=item, rater=rater)
    return case


def _taken(item: Item, rater: Rater) -> SecondStageCase | None:
    now = database_now()
    free = SecondStageCase.objects.filter(Q(lease_until__lt=now), item=item, done_at=None)
    if free.update(rater=rater, taken_at=now, lease_until=now + LEASE):
        return SecondStageCase.objects.select_related("item").get(item=item)
    try:
        with transaction.atomic():
            return SecondStageCase.objects.create(item=item, rater=rater, lease_until=now + LEASE)
    except IntegrityError:
        return None
