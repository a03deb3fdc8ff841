"""Periodic upkeep of uploaded papers: deletes files that are not needed any more."""

from config.background.kinds import Sweep
from retrieval.paper_uploads import remove_left_over

EVERY = 3600

SWEEP = Sweep("papers", remove_left_over, every=EVERY)
