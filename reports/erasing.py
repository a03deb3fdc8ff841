"""Kept reports and exports go with their study, and with the answers that they were made from."""

from datetime import datetime

from accounts.erased_names import ErasedNames, forget_names_in
from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Item, JudgeRun, Rater, Rating, Study
from config.background.rows import WAITING
from config.erasure import ErasedRows
from reports.kept.freezing import empty_frozen
from reports.kept.kept_exports import discard, folder_of, remove
from reports.models import KeptExport, KeptReport

ERASED = "It was made from answers that have been erased since."
TAKEN_BACK = "It was made from an answer that its rater has taken back since."
RUN_REPLACED = "It was made from a run that another one has replaced since."
NAMED = "It named somebody who has been erased since."
WITHDRAWN = "It was made from an item that has been withdrawn since."


class ReportErasing(Erasing):
    """Reports are computed again without the erased answers; files of exports are deleted.

    Frozen reports and exports stay as tombstones, which say what was here, and when and why it was removed.
    """

    study_rows = ((KeptReport, "study"), (KeptExport, "study"))

    def remove_files(self, study: Study) -> None:
        folder = folder_of(study.pk)
        if folder.is_dir():
            discard(folder)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        kept = KeptReport.objects.filter(study=rater.study)
        erased.delete(kept.filter(frozen_as=None))
        empty_frozen(rater.study, ERASED)
        erased.delete(KeptExport.objects.filter(study=rater.study, status__in=WAITING))
        remove(KeptExport.objects.filter(study=rater.study), ERASED)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(KeptReport.objects.filter(study=study, requested_by=person), requested_by=None)
        erased.empty(KeptExport.objects.filter(study=study, requested_by=person), requested_by=None)

    def forget_names(self, study: Study, names: ErasedNames, erased: ErasedRows) -> None:
        """Also take names from choices of reports, and from exports that were made with them."""
        forget_names_in(KeptReport.objects.filter(study=study), ("choices",), names, erased)
        settings = ("title", "description", "contact", "options")
        if names.rows_in(Study.objects.filter(pk=study.pk), settings).exists():
            erased.delete(KeptExport.objects.filter(study=study, status__in=WAITING))
            remove(KeptExport.objects.filter(study=study), NAMED)

    def item_withdrawn(self, item: Item) -> None:
        """Exports hold the texts of items; frozen reports only figures, so answers decide."""
        remove(KeptExport.objects.filter(study=item.study_id), WITHDRAWN)
        if Rating.objects.filter(item=item).exists():
            empty_frozen(item.study, WITHDRAWN)

    def answer_withdrawn(self, study: Study, submitted_at: datetime | None) -> None:
        """An export or frozen report that was read before the answer does not have it, and stays."""
        _remove_since(study, submitted_at, TAKEN_BACK)

    def run_replaced(self, run: JudgeRun, since: datetime | None) -> None:
        _remove_since(run.rater.study, since, RUN_REPLACED)


def _remove_since(study: Study, since: datetime | None, reason: str) -> None:
    """Remove the exports and frozen reports that were read at this time or later; all without a time."""
    with_it = {} if since is None else {"read_at__gte": since}
    remove(KeptExport.objects.filter(study=study, **with_it), reason)
    empty_frozen(study, reason, with_it)


ERASING = ReportErasing()
