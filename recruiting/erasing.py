"""What is erased of recruiting."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from recruiting.models import CheckItem, CheckLook, ExclusionReply, FiledCheck, RaterExclusion, RaterNotice


class RecruitingErasing(Erasing):
    """What checks found about a rater goes with the rater's answers; who decided is emptied with that person."""

    study_rows = (
        (CheckItem, "item__study"), (CheckLook, "rater__study"), (RaterNotice, "rater__study"),
        (ExclusionReply, "exclusion__rater__study"), (RaterExclusion, "rater__study"), (FiledCheck, "study"),
    )  # fmt: skip
    item_rows = ((CheckItem, "item__study"),)

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(CheckLook.objects.filter(rater=rater))
        erased.delete(RaterNotice.objects.filter(rater=rater))
        erased.delete(ExclusionReply.objects.filter(exclusion__rater=rater))
        erased.delete(RaterExclusion.objects.filter(rater=rater))
        erased.delete(FiledCheck.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.empty(RaterNotice.objects.filter(rater__study=study, answered_by=person), answered_by=None)
        erased.empty(RaterExclusion.objects.filter(rater__study=study, by=person), by=None)
        erased.empty(RaterExclusion.objects.filter(rater__study=study, ended_by=person), ended_by=None)


ERASING = RecruitingErasing()
