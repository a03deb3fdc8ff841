"""What is erased of judges' work."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Study
from config.erasure import ErasedRows
from judges.models import Judgment, RunWork


class JudgesErasing(Erasing):
    """Judgments go with their study; their calls are erased with the ledger, their ratings with all ratings."""

    study_rows = ((Judgment, "run__rater__study"), (RunWork, "study"))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(RunWork.objects.filter(study=study, started_by=person), started_by=None)


ERASING = JudgesErasing()
