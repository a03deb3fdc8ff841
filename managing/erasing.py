"""Summaries of items go with their study, and with the answers that they were counted from."""

from annotation.erasing import Erasing
from annotation.models import Rater
from config.erasure import ErasedRows
from managing.models import ItemSummary


class ManagingErasing(Erasing):
    """Summaries are counted again without the erased answers."""

    study_rows = ((ItemSummary, "study"),)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(ItemSummary.objects.filter(study=rater.study))


ERASING = ManagingErasing()
