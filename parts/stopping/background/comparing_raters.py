"""Compares the raters of a task after an answer, and asks a third one if they disagree.

Finished comparisons are deleted later: what they found is in the audit.
"""

from datetime import timedelta

from annotation.models import Task
from annotation.studies.corrections import StudyArchivedError
from annotation.studies.locking import ImportPendingError
from config.background.claiming import Claim
from config.background.kinds import GiveUpError, Sweep, TryLaterError, Work
from config.background.rows import WAITING
from config.database_clock import database_now
from parts.stopping.models import PairCheck
from parts.stopping.third_raters import WORK_KEY, compare_raters

IMPORTING = "An import into this study is being completed."
WAIT = 3.0
KEPT = timedelta(days=1)
AT_ONCE = 1000


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


def forget_checks() -> int:
    """Delete some old comparisons and return how many."""
    over = PairCheck.objects.filter(created_at__lt=database_now() - KEPT).exclude(status__in=WAITING)
    old = list(over.order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
    if old:
        PairCheck.objects.filter(pk__in=old).delete()
    return len(old)


WORK = Work(WORK_KEY, PairCheck, check_pair, "jobs", lease=timedelta(minutes=1), study="task__item__study")
SWEEP = Sweep("pair_checks", forget_checks, every=600)
