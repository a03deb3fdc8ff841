"""Periodic upkeep of uploads: deletes files that are not needed any more."""

from config.background.kinds import Sweep
from managing.uploads.receiving import discard_old_files

EVERY = 60


def clean_up() -> None:
    """Delete files that were imported or forgotten."""
    discard_old_files()


SWEEP = Sweep("uploads", clean_up, every=EVERY)
