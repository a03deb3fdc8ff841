"""Upkeep: a decided deletion of a study goes on, however often its worker was killed."""

from annotation.studies.study_deletion import request_decided
from config.background.kinds import Sweep

SWEEP = Sweep(key="study_deletions", run=request_decided, every=60)
