"""Counts large studies and draws the samples of their batches, and keeps both for the pages."""

import time
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction

from annotation.models import DrawnAnswer, SpotCheck, StudyCounts
from annotation.review.span_steps import count_spans
from annotation.review.spot_checks import sample
from annotation.studies.batches import state_of
from annotation.studies.kept_counts import BATCH, OVERVIEW, PACE, PLAN, SPANS, WORK_KEY
from annotation.studies.live_checks import CHECKS, item_facts
from annotation.studies.locking import ImportPendingError, lock_study, refuse_import_since
from annotation.studies.pace_counts import count_pace
from annotation.studies.plan_table import count_groups
from annotation.studies.study_overview import count_overview
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.background.rows import WAITING
from config.bulk_insert import insert_rows
from config.database_clock import database_now
from config.models import Erasure
from config.parts import parts

ERASED = "Answers were erased while they were counted."
IMPORTING = "An import into this study is being completed."
UNKNOWN = "This version of the software has no such counts."
WAIT = 3.0
AT_ONCE = 2000
"""Rows of a sample that are written in one transaction."""
ERASURES = 20
COLUMNS = ("counts_id", "place", "task_id", "rater_id", "is_open")
LATELY = timedelta(hours=1)
"""A sample is drawn in less time."""


def count(claim: Claim) -> None:
    """Count the subject of a claimed row. The new counts replace the older ones of the subject."""
    row: StudyCounts = claim.row
    begun, read_at, erasures = time.monotonic(), database_now(), _last_erasures()
    try:
        refuse_import_since(row.study)
        with claim.kept_alive():
            figures = _figures(claim)
        with transaction.atomic():
            lock_study(row.study_id, archived=True)  # an erasure holds this lock until it has deleted the counts
            if _last_erasures() != erasures:
                raise TryLaterError(ERASED, WAIT, counts=False)
            older = StudyCounts.objects.filter(study=row.study, subject=row.subject).exclude(status__in=WAITING)
            DrawnAnswer.objects.filter(counts__in=older.exclude(pk=row.pk).values("pk")).delete()
            older.exclude(pk=row.pk).delete()
            with claim.finish(figures=figures, read_at=read_at, seconds=time.monotonic() - begun):
                _close_checked(row)
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None
    except IntegrityError:  # an answer of the sample was erased
        raise TryLaterError(ERASED, WAIT) from None


def _figures(claim: Claim) -> dict[str, Any]:
    study, subject = claim.row.study, claim.row.subject
    if subject == OVERVIEW:
        return count_overview(study)
    if subject == PACE:
        return count_pace(study)
    if subject == CHECKS:
        return item_facts(study)
    if subject == SPANS:
        return count_spans(study)
    if subject == PLAN:
        return count_groups(study)
    for part in parts():
        if subject in part.counts:
            return part.counts[subject](study)
    if not subject.startswith(BATCH):
        raise GiveUpError(UNKNOWN)
    batch = int(subject.removeprefix(BATCH))
    state = asdict(state_of(study, batch))
    del state["number"]
    return {"state": state, "sampled": _draw(claim, batch)}


def _draw(claim: Claim, batch: int) -> int:
    """Write the sample of a batch beside the row; nobody reads it before the row is done. Returns its size."""
    row = claim.row
    DrawnAnswer.objects.filter(counts=row).delete()  # of a worker that was killed
    drawn = [
        (row.pk, place, one.task_id, one.rater_id, not one.verdict)
        for place, one in enumerate(sample(row.study, batch))
    ]
    for first in range(0, len(drawn), AT_ONCE):
        with transaction.atomic():
            claim.renew()
            insert_rows(DrawnAnswer, COLUMNS, drawn[first : first + AT_ONCE])
    return len(drawn)


def _close_checked(row: StudyCounts) -> None:
    """Mark as checked what was checked while the sample was drawn."""
    lately = SpotCheck.objects.filter(by__study=row.study_id, at__gt=database_now() - LATELY).values_list(
        "annotation__task_id", "annotation__rater_id"
    )
    for task, rater in set(lately):
        DrawnAnswer.objects.filter(counts=row, task=task, rater=rater, is_open=True).update(is_open=False)


def _last_erasures() -> tuple[int, ...]:
    """The newest erasures of the site; several, because one may end after another that began later."""
    return tuple(Erasure.objects.order_by("-pk").values_list("pk", flat=True)[:ERASURES])


WORK = Work(WORK_KEY, StudyCounts, count, "jobs", lease=timedelta(minutes=2), attempts=2)
