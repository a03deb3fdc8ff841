"""Upkeep: workers complete imports whose process died after they were decided."""

from functools import partial

from config.background.kinds import Sweep
from files.reading.stepwise_import import resume

SECONDS = 3.0
"""How long a worker's other upkeep may wait for it."""

SWEEP = Sweep(key="pending_imports", run=partial(resume, SECONDS), every=5)
