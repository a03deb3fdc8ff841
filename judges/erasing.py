"""What is erased of judges' work."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from judges.models import Judgment, RunWork
from llm.erasing import erase_texts


class JudgesErasing(Erasing):
    """Judgments go with their study; their calls are erased with the ledger, their ratings with all ratings."""

    study_rows = ((Judgment, "run__rater__study"), (RunWork, "study"))

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        """Erase the judgments of a machine, and the texts of the calls that were made for them."""
        judgments = Judgment.objects.filter(run__rater=rater)
        erase_texts(rater.study, [f"judgment:{pk}" for pk in judgments.values_list("pk", flat=True)], erased)
        erased.delete(judgments)
        erased.delete(RunWork.objects.filter(run__rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(RunWork.objects.filter(study=study, started_by=person), started_by=None)


ERASING = JudgesErasing()
