"""Compares the raters of a task after an answer, and asks a third one if they disagree."""

from datetime import timedelta

from annotation.models import Task
from annotation.studies.corrections import StudyArchivedError
from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, TryLaterError, Work
from recruiting.stopping.stopping_models import PairCheck
from recruiting.stopping.third_raters import WORK_KEY, compare_raters

IMPORTING = "An import into this study is being completed."
WAIT = 3.0


def check_pair(claim: Claim) -> None:
    """Compare the raters of the row's task."""
    row: PairCheck = claim.row
    task = Task.objects.select_related("item").get(pk=row.task_id)
    try:
        compare_raters(task)
    except ImportPendingError:
        raise TryLaterError(IMPORTING, WAIT, counts=False) from None
    except StudyArchivedError as problem:
        raise GiveUpError(str(problem)) from None
    with claim.finish():  # comparing again would find the place that was made
        return


WORK = Work(WORK_KEY, PairCheck, check_pair, "jobs", lease=timedelta(minutes=1), study="task__item__study")
