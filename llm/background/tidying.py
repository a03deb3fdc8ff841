"""Calls whose worker was ended are resolved in the ledger, and expired reservations given back."""

from config.background.work import Sweep
from llm.ledger import sweep

SWEEP = Sweep("ledger", sweep, every=15)
