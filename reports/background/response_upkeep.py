"""Periodic upkeep of stored responses: deletes those that are older than a day."""

from config.background.kinds import Sweep
from reports.api.once_per_key import forget_old_responses

EVERY = 600
SWEEP = Sweep("kept_responses", forget_old_responses, every=EVERY)
