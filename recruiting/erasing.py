"""What is erased of recruiting."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from recruiting.models import (
    CheckItem,
    CheckLook,
    Consent,
    ConsentVersion,
    ExclusionReply,
    ExtraPlace,
    FiledCheck,
    FiledLook,
    PairCheck,
    PersonalReply,
    PracticeAnswer,
    RaterExclusion,
    RaterNotice,
    StepPassage,
    StopContinuation,
    StopLook,
    StopPlan,
    StudyDryRun,
)


class RecruitingErasing(Erasing):
    """What people said about themselves goes with them in any case; all else goes with the rater's answers.

    Who decided is emptied with that person. Looks of stop rules stay without their figures.
    """

    study_rows = (
        (PracticeAnswer, "passage__rater__study"), (StepPassage, "rater__study"), (Consent, "rater__study"),
        (ConsentVersion, "study"), (PersonalReply, "study"), (CheckItem, "item__study"),
        (CheckLook, "rater__study"), (RaterNotice, "rater__study"), (ExclusionReply, "exclusion__rater__study"),
        (RaterExclusion, "rater__study"), (FiledCheck, "study"), (PairCheck, "task__item__study"),
        (ExtraPlace, "study"), (StopContinuation, "look__plan__study"), (StopLook, "plan__study"),
        (StopPlan, "study"), (FiledLook, "study"), (StudyDryRun, "study"),
    )  # fmt: skip
    item_rows = ((CheckItem, "item__study"), (PairCheck, "task__item__study"), (ExtraPlace, "study"))

    def has_answers(self, study: Study) -> bool:
        """Steps are open while a study is live, so a draft asks for nothing."""
        return study.status != Study.Status.DRAFT and StepPassage.objects.filter(rater__study=study).exists()

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(PracticeAnswer.objects.filter(passage__rater=rater))
        erased.delete(ExclusionReply.objects.filter(exclusion__rater=rater))
        for model in (StepPassage, Consent, CheckLook, RaterNotice, RaterExclusion, FiledCheck):
            erased.delete(model.objects.filter(rater=rater))
        erased.empty(StopLook.objects.filter(plan__study=rater.study).exclude(figures={}), figures={})
        for look in FiledLook.objects.filter(study=rater.study):
            line = {key: value for key, value in look.line.items() if key != "figures"}
            erased.empty(FiledLook.objects.filter(pk=look.pk), line=line)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.delete(PersonalReply.objects.filter(person=person, study=study))
        erased.empty(RaterNotice.objects.filter(rater__study=study, answered_by=person), answered_by=None)
        erased.empty(RaterExclusion.objects.filter(rater__study=study, by=person), by=None)
        erased.empty(RaterExclusion.objects.filter(rater__study=study, ended_by=person), ended_by=None)
        erased.empty(StopContinuation.objects.filter(look__plan__study=study, by=person), by=None)
        erased.empty(StudyDryRun.objects.filter(study=study, asked_by=person), asked_by=None)
        erased.empty(StudyDryRun.objects.filter(source_pk=study.pk, asked_by=person), asked_by=None)


ERASING = RecruitingErasing()
