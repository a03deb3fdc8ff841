"""What is erased of hidden checks: what raters answered to them goes with their answers."""

from django.db.models import QuerySet

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study, Task
from config.erasure import ErasedRows
from parts.checks.models import CheckItem, CheckLook, DueCheck, FiledCheck, RaterNotice


class ChecksErasing(Erasing):
    study_rows = (
        (DueCheck, "rater__study"),
        (CheckItem, "item__study"),
        (CheckLook, "rater__study"),
        (RaterNotice, "rater__study"),
        (FiledCheck, "study"),
    )
    item_rows = ((CheckItem, "item__study"),)
    noted = ((RaterNotice, "rater__study", ("outcome",)),)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        for model in (DueCheck, CheckLook, RaterNotice, FiledCheck):
            erased.delete(model._default_manager.filter(rater=rater))

    def erase_tasks(self, tasks: QuerySet[Task], erased: ErasedRows) -> None:
        erased.delete(DueCheck.objects.filter(task__in=tasks))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(RaterNotice.objects.filter(rater__study=study, answered_by=person), answered_by=None)


ERASING = ChecksErasing()
