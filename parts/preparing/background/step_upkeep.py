"""Periodic upkeep of running steps: ends those that are over."""

from annotation.studies.locking import ImportPendingError
from config.background.kinds import Sweep
from parts.preparing.models import PreparationStep
from parts.preparing.step_states import end_if_over

EVERY = 3


def end_steps() -> int:
    """End each running step whose calls are over; return how many."""
    running = PreparationStep.objects.filter(status=PreparationStep.Status.RUNNING).select_related("study")
    return sum(_ended(step) for step in running)


def _ended(step: PreparationStep) -> bool:
    try:
        return end_if_over(step)
    except ImportPendingError:  # the next round tries again
        return False


SWEEP = Sweep("preparations", end_steps, every=EVERY)
