"""Makes the tasks of a study's items, chunk by chunk, and then opens the study if that was asked for."""

from contextlib import suppress
from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef

from annotation.models import Item, Slot, TaskPreparation
from annotation.pools import main_items
from annotation.studies.lifecycle import StudyRefusedError, make_live, prepare
from annotation.studies.locking import ImportPendingError, lock_study
from annotation.studies.planning import is_planned, planning_progress
from annotation.studies.preparing_tasks import WORK_KEY
from annotation.studies.redundancy import set_redundancy
from annotation.studies.steered_items import ItemStepRefusedError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from config.write_pauses import WritePauses

SECONDS = 1.0
"""Between two reports of progress."""
IMPORTING = "An import into this study is being completed."
MORE = "More items were imported."
WAIT = 3.0
AT_ONCE = 50
"""Items whose redundancy is changed between two reports of progress."""


def prepare_tasks(claim: Claim) -> None:
    """Do what a claimed row asks for. Each chunk is committed, so the next attempt continues after the last one."""
    row: TaskPreparation = claim.row
    study = row.study
    try:
        done, total = planning_progress(study)
        claim.update(done=done, total=total)
        with claim.kept_alive():
            if row.redundancy is not None:
                _change_redundancy(claim)
            before = study.planned_through
            while not prepare(study, SECONDS):
                done += main_items(study).filter(pk__gt=before, pk__lte=study.planned_through).count()
                before = study.planned_through
                claim.update(done=done, total=max(done, total))
        _finish(claim)
    except StudyRefusedError as problem:
        raise GiveUpError(str(problem)) from None
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None


def _change_redundancy(claim: Claim) -> None:
    """Give the tasks of each item with places the row's redundancy; the next attempt continues after the last item."""
    row: TaskPreparation = claim.row
    items = Item.objects.filter(Exists(Slot.objects.filter(item=OuterRef("pk"))), study=row.study).order_by("pk")
    pauses, total = WritePauses(), items.count()
    done = items.filter(pk__lte=row.changed_through).count()
    while some := list(items.filter(pk__gt=row.changed_through)[:AT_ONCE]):
        for item in some:
            with suppress(ItemStepRefusedError):  # it has so many places, or others are taken
                set_redundancy(item, row.redundancy or 1, row.why, row.person)
            pauses.take()
        done += len(some)
        row.changed_through = some[-1].pk
        claim.update(changed_through=row.changed_through, done=done, total=max(done, total))


def _finish(claim: Claim) -> None:
    """End the row and open the study. Items that were imported meanwhile are prepared before that."""
    row: TaskPreparation = claim.row
    with transaction.atomic():
        study = lock_study(row.study_id)
        if not is_planned(study):
            raise TryLaterError(MORE, 0, counts=False)
        _, total = planning_progress(study)
        with claim.finish(done=total, total=total):
            row.refresh_from_db(fields=["goes_live", "person"])  # nobody changes them any more
            if row.goes_live and not study.is_live:
                make_live(study, row.person)


WORK = Work(WORK_KEY, TaskPreparation, prepare_tasks, "jobs", lease=timedelta(minutes=2))
