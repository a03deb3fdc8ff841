"""Row locks on studies and raters, and the one order in which rows are locked.

A transaction that locks several rows takes them in this order, which rules out deadlocks:

    study → rater → slot → session

Calls to language models lock: endpoint → reservation → budgets (by primary key).

Every lock is `FOR NO KEY UPDATE` (`no_key=True`). PostgreSQL checks a new row's foreign keys by locking the rows that
it refers to `FOR KEY SHARE`. A plain `FOR UPDATE` on a study would keep each answer, call and audit entry of the study
waiting at its commit. SQLite has no row locks: there a transaction holds the one write lock from its beginning.

On SQLite a large import is moved into the tables in steps (`files.reading.stepwise_import`). Until it is
complete, these locks refuse the study, and so do readers that need all of it. A study whose deletion is decided
(`annotation.studies.stepwise_erasure`) is refused in the same places.
"""

from django.http import Http404

from annotation.models import Rater, Study
from annotation.studies.corrections import refuse_archived
from config.site_busy import SiteBusyError


class ImportPendingError(SiteBusyError):
    """An import is being completed. Workers finish it if its process died."""

    def __init__(self) -> None:
        super().__init__("An import into this study is being completed. Try again in a few seconds.")


class BeingErasedError(ImportPendingError):
    """The study is being deleted in steps, and cannot be kept any more. Callers treat it like a pending import."""

    def __init__(self) -> None:
        SiteBusyError.__init__(self, "This study is being deleted.")


class RaterGoneError(Http404):
    """The rater was erased after the request began: for the rest of it, there is nothing of theirs."""


def lock_study(pk: int, *, archived: bool = False) -> Study:
    """Return a study's current row, locked until the transaction ends. Raters can keep working.

    Raises ImportPendingError and, unless the caller may change `archived` studies, StudyArchivedError.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=pk)
    refuse_pending_import(study)
    if not archived:
        refuse_archived(study)
    return study


def lock_rater(pk: int, *related: str) -> Rater:
    """Return a rater's current row with its `related` rows, locked: one change of a rater's work at a time.

    Raises ImportPendingError if answers of this very rater are being imported, and RaterGoneError.
    """
    locked = Rater.objects.select_for_update(of=("self",), no_key=True).select_related(*related)
    rater = locked.filter(pk=pk).first()
    if rater is None:
        raise RaterGoneError
    if rater.import_pending:
        raise ImportPendingError
    return rater


def refuse_pending_import(study: Study) -> None:
    """Raise ImportPendingError if the study, as it was read, has a pending import or is being deleted."""
    if study.being_erased:
        raise BeingErasedError
    if study.pending_import_id is not None:
        raise ImportPendingError


def refuse_import_since(study: Study) -> None:
    """As `refuse_pending_import`, but reads the study's current row: call it in its own transaction or snapshot."""
    current = Study.objects.filter(pk=study.pk).only("being_erased", "pending_import").first()
    if current is not None:
        refuse_pending_import(current)
