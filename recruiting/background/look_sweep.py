"""Periodic upkeep that queues the looks of stop rules when their number of answers is reached."""

from config.background.kinds import Sweep
from recruiting.stopping.looking import queue_due_looks

SWEEP = Sweep("stop_looks", queue_due_looks, every=5)
