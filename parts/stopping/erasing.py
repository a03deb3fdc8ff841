"""What is erased of stop rules: looks stay without their figures, and who looked or decided is emptied."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from parts.stopping.models import (
    ExtraPlace,
    FiledLook,
    PairCheck,
    ResultPeek,
    StopContinuation,
    StopLook,
    StopPlan,
)


class StopErasing(Erasing):
    study_rows = (
        (PairCheck, "task__item__study"), (ExtraPlace, "study"), (ResultPeek, "plan__study"),
        (StopContinuation, "look__plan__study"), (StopLook, "plan__study"), (StopPlan, "study"), (FiledLook, "study"),
    )  # fmt: skip
    item_rows = ((PairCheck, "task__item__study"), (ExtraPlace, "study"))
    noted = ((StopContinuation, "look__plan__study", ("reason",)),)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.empty(StopLook.objects.filter(plan__study=rater.study).exclude(figures={}), figures={})
        for look in FiledLook.objects.filter(study=rater.study):
            line = {key: value for key, value in look.line.items() if key != "figures"}
            erased.empty(FiledLook.objects.filter(pk=look.pk), line=line)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(ResultPeek.objects.filter(plan__study=study, by=person), by=None)
        erased.empty(StopContinuation.objects.filter(look__plan__study=study, by=person), by=None)


ERASING = StopErasing()
