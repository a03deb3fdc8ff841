"""Periodic upkeep of the ledger: marks lost calls and releases expired reservations."""

from config.background.kinds import Sweep
from llm.ledger import sweep

SWEEP = Sweep("ledger", sweep, every=15)
