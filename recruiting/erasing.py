"""What is erased of recruiting."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from recruiting.models import ExtraPlace, PairCheck, StopContinuation, StopLook, StopPlan, StudyDryRun


class RecruitingErasing(Erasing):
    """Stop rules go with their study. When a rater is erased, looks stay without their figures."""

    study_rows = (
        (PairCheck, "task__item__study"), (ExtraPlace, "study"), (StopContinuation, "look__plan__study"),
        (StopLook, "plan__study"), (StopPlan, "study"), (StudyDryRun, "study"),
    )  # fmt: skip
    item_rows = ((PairCheck, "task__item__study"), (ExtraPlace, "study"))

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        """Empty the figures of looks; when they were taken and what was decided stays."""
        erased.empty(StopLook.objects.filter(plan__study=rater.study).exclude(figures={}), figures={})

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(StopContinuation.objects.filter(look__plan__study=study, by=person), by=None)
        erased.empty(StudyDryRun.objects.filter(study=study, asked_by=person), asked_by=None)
        erased.empty(StudyDryRun.objects.filter(source_pk=study.pk, asked_by=person), asked_by=None)


ERASING = RecruitingErasing()
