"""What is erased of crowds."""

from collections.abc import Collection

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from parts.crowds.models import (
    CrowdBrowser,
    CrowdId,
    CrowdStay,
    LeftParticipant,
    browser_digest,
    participant_digest,
)


class CrowdsErasing(Erasing):
    """A stay goes with the answers, and who somebody is to the recruiter with the person; hashes of it stay."""

    study_rows = ((CrowdStay, "study"), (CrowdId, "study"), (CrowdBrowser, "study"), (LeftParticipant, "study"))

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        erased.delete(CrowdStay.objects.filter(rater=rater))

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        _remember_participants(person, study)
        for model in (CrowdId, CrowdBrowser):
            erased.delete(model._default_manager.filter(person=person, study=study))

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


ERASING = CrowdsErasing()
