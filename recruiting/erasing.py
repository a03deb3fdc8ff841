"""What is erased of recruiting."""

from collections.abc import Collection

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from recruiting.crowds.crowd_tables import browser_digest, participant_digest
from recruiting.models import (
    Consent,
    ConsentVersion,
    CrowdBrowser,
    CrowdId,
    CrowdStay,
    LeftParticipant,
    PersonalReply,
    PracticeAnswer,
    StepPassage,
)


class RecruitingErasing(Erasing):
    """What people said about themselves goes with them in any case; all else with their answers.

    Who decided is emptied with that person.
    """

    study_rows = (
        (PracticeAnswer, "passage__rater__study"), (StepPassage, "rater__study"), (Consent, "rater__study"),
        (ConsentVersion, "study"), (PersonalReply, "study"),
        (CrowdStay, "study"), (CrowdId, "study"), (CrowdBrowser, "study"), (LeftParticipant, "study"),
    )  # fmt: skip

    def has_answers(self, study: Study) -> bool:
        """Steps are open while a study is live, so a draft asks for nothing."""
        return study.status != Study.Status.DRAFT and StepPassage.objects.filter(rater__study=study).exists()

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(PracticeAnswer.objects.filter(passage__rater=rater))
        of_raters = (StepPassage, Consent, CrowdStay)
        for model in of_raters:
            erased.delete(model.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        _remember_participants(person, study)
        for model in (PersonalReply, CrowdId, CrowdBrowser):
            erased.delete(model._default_manager.filter(person=person, study=study))
        own = Rater.objects.filter(study=study, person=person)
        open_now = StepPassage.objects.filter(rater__in=own, outcome=StepPassage.Outcome.OPEN)
        erased.empty(open_now.exclude(result=None), result=None)

    def more_names(self, person: Person, study: Study) -> Collection[str]:
        """Return who they are to the recruiter."""
        crowd = CrowdId.objects.filter(person=person, study=study).values_list("participant", "session")
        return [name for row in crowd for name in row if name]


def _remember_participants(person: Person, study: Study) -> None:
    """Keep keyed hashes of who came, so that leaving is no way to try again or be paid twice.

    They are of the participant id, and of the browsers that came by the public link, which knows nothing else.
    """
    known = CrowdId.objects.filter(person=person, study=study).values_list("participant", flat=True)
    browsers = CrowdBrowser.objects.filter(person=person, study=study, is_public=True).values_list("key", flat=True)
    digests = [participant_digest(study.pk, one) for one in known] + [browser_digest(study.pk, one) for one in browsers]
    left = [LeftParticipant(study=study, digest=digest) for digest in digests]
    LeftParticipant.objects.bulk_create(left, ignore_conflicts=True)


ERASING = RecruitingErasing()
