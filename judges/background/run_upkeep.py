"""Periodic upkeep of running runs: makes ratings of readings, and ends runs that are over."""

from annotation.models import JudgeRun
from annotation.studies.locking import ImportPendingError
from config.background.kinds import Sweep
from judges.recording import record_readings
from judges.run_states import end_if_over

EVERY = 3


def settle_runs() -> int:
    """Record the readings of each running run, and end those that are over; return how many have ended."""
    ended = 0
    for run in JudgeRun.objects.filter(status=JudgeRun.Status.RUNNING, work__isnull=False).select_related(
        "rater__study"
    ):
        try:
            record_readings(run)
            ended += end_if_over(run)
        except ImportPendingError:  # the next round tries again
            continue
    return ended


SWEEP = Sweep("runs", settle_runs, every=EVERY)
