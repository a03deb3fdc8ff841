"""Reading a whole study, for figures and exports, which must never show half of an import."""

from collections.abc import Iterator
from contextlib import contextmanager

from annotation.models import Study
from annotation.studies.locking import refuse_pending_import
from config.snapshot import snapshot


@contextmanager
def study_snapshot(study: Study) -> Iterator[Study]:
    """Yield the study; everything read inside the block is as of one moment. Raises ImportPendingError."""
    with snapshot():
        present = Study.objects.get(pk=study.pk)
        refuse_pending_import(present)
        yield present
