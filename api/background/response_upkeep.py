"""Periodic upkeep of stored responses: deletes those that are older than a day.

Workers load this without the rest of the API, which takes 15 MB.
"""

from datetime import timedelta

from annotation.models import KeptResponse
from config.background.kinds import Sweep
from config.database_clock import database_now

KEPT = timedelta(hours=24)
EVERY = 600


def forget_old_responses() -> int:
    """Delete what is older than a day; return how many rows."""
    return KeptResponse.objects.filter(begun_at__lt=database_now() - KEPT).delete()[0]


SWEEP = Sweep("kept_responses", forget_old_responses, every=EVERY)
