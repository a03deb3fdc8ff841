"""Periodic upkeep of the replica's state, which `/readyz` tells."""

from config.background.kinds import Sweep
from config.replica import note_replica_state

SWEEP = Sweep("replica", note_replica_state, every=60)
