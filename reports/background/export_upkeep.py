"""Periodic upkeep of kept exports: removes old files, and what lost workers have left."""

from config.background.kinds import Sweep
from reports.kept.kept_exports import remove_aged, remove_orphans

EVERY = 60


def clean_up() -> None:
    """Remove what is too old, then files that belong to no row."""
    remove_aged()
    remove_orphans()


SWEEP = Sweep("exports", clean_up, every=EVERY)
