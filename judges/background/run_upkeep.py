"""Periodic upkeep of running runs: makes ratings of readings, and ends runs that are over."""

import logging

from annotation.models import JudgeRun
from annotation.studies.locking import ImportPendingError
from config.background.kinds import Sweep
from judges.models import RunWork
from judges.recording import record_readings
from judges.run_states import end_if_over, keep_reservation, settle_if_ended

logger = logging.getLogger(__name__)
EVERY = 3


def settle_runs() -> int:
    """Record the readings of each run that is not settled, and end those that are over; return how many are settled."""
    waiting = RunWork.objects.filter(settled=False).select_related("run__rater__study")
    return sum(settle_run(work.run) for work in waiting)


def settle_run(run: JudgeRun) -> bool:
    """Record the readings of a run, end it if it is over, and return whether nothing is left to do for it."""
    try:
        record_readings(run)
        keep_reservation(run)
        end_if_over(run)
        return settle_if_ended(run)
    except ImportPendingError:  # the next round tries again
        return False
    except LookupError:  # a protocol or metric that is not installed any more must not keep other runs waiting
        logger.exception("The run %s cannot be settled by this version", run.pk)
        return False


SWEEP = Sweep("runs", settle_runs, every=EVERY)
