"""Copies the items of one study into another. Safe to run twice: items that are there already stay."""

from datetime import timedelta

from annotation.models import Item, ItemCopy, Study
from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from files.reading import ImportRefusedError
from managing.building.duplicating import WORK_KEY, copy_items

GONE = "The study that the items come from has been deleted."
WAIT = 5.0


def copy(claim: Claim) -> None:
    """Copy the items of a claimed row."""
    row: ItemCopy = claim.row
    source = Study.objects.filter(pk=row.source_pk).first()
    if source is None:
        raise GiveUpError(GONE)
    try:
        with claim.kept_alive():
            copy_items(source, row.study, row.asked_by)
    except ImportPendingError as problem:
        raise TryLaterError(str(problem), WAIT, counts=False) from problem
    except ImportRefusedError as problem:
        raise GiveUpError(f"The items were not copied: {problem}") from problem
    with claim.finish(items=Item.objects.filter(study=row.study).count()):
        pass


WORK = Work(WORK_KEY, ItemCopy, copy, "jobs", lease=timedelta(minutes=2))
