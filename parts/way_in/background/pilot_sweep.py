"""Periodic upkeep that ends pilots whose last task was not sent in time, so that a researcher can decide."""

from config.background.kinds import Sweep
from parts.way_in.pilot_tasks import end_pilots

SWEEP = Sweep("pilots", end_pilots, every=30)
