"""What is erased of people's way into a study."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from recruiting.models import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage


class RecruitingErasing(Erasing):
    """What people said about themselves goes with them in any case; agreements and attempts go with their answers."""

    study_rows = (
        (PracticeAnswer, "passage__rater__study"), (StepPassage, "rater__study"), (Consent, "rater__study"),
        (ConsentVersion, "study"), (PersonalReply, "study"),
    )  # fmt: skip

    def has_answers(self, study: Study) -> bool:
        return StepPassage.objects.filter(rater__study=study).exists()

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(PracticeAnswer.objects.filter(passage__rater=rater))
        erased.delete(StepPassage.objects.filter(rater=rater))
        erased.delete(Consent.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.delete(PersonalReply.objects.filter(person=person, study=study))


ERASING = RecruitingErasing()
