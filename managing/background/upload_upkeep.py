"""Periodic upkeep of uploads: deletes files that are not needed any more."""

from annotation.studies.locking import ImportPendingError
from config.background.kinds import Sweep
from managing.uploads.receiving import discard_old_files

EVERY = 60


def clean_up() -> None:
    """Delete files that were imported or forgotten; an import that is being completed is left to the next round."""
    try:
        discard_old_files()
    except ImportPendingError:
        return


SWEEP = Sweep("uploads", clean_up, every=EVERY)
