"""What is erased of the way in: what people agreed to, said and practised."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from parts.way_in.models import (
    Consent,
    ConsentVersion,
    PersonalReply,
    PracticeAnswer,
    StepPassage,
)


class WayInErasing(Erasing):
    """What people said about themselves goes with them in any case; all else with their answers.

    Who decided is emptied with that person.
    """

    study_rows = (
        (PracticeAnswer, "passage__rater__study"), (StepPassage, "rater__study"), (Consent, "rater__study"),
        (ConsentVersion, "study"), (PersonalReply, "study"),
    )  # fmt: skip

    def has_answers(self, study: Study) -> bool:
        """Steps are open while a study is live, so a draft asks for nothing."""
        return study.status != Study.Status.DRAFT and StepPassage.objects.filter(rater__study=study).exists()

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(PracticeAnswer.objects.filter(passage__rater=rater))
        of_raters = (StepPassage, Consent)
        for model in of_raters:
            erased.delete(model.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        erased.delete(PersonalReply.objects.filter(person=person, study=study))
        own = Rater.objects.filter(study=study, person=person)
        open_now = StepPassage.objects.filter(rater__in=own, outcome=StepPassage.Outcome.OPEN)
        erased.empty(open_now.exclude(result=None), result=None)


ERASING = WayInErasing()
