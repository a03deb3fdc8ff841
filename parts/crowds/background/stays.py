"""Periodic upkeep that ends stays whose time is over, so that abandoned tasks are free again."""

from config.background.kinds import Sweep
from parts.crowds.ending import end_overdue

SWEEP = Sweep("crowd_stays", end_overdue, every=10)
