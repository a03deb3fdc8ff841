"""What is erased of routing: what says to which groups a rater belongs goes with their answers, or with their name."""

from accounts.models import Person
from annotation.erasing import Erasing
from annotation.models import Rater, Study
from config.erasure import ErasedRows
from parts.routing.models import QuotaMember, RoutedRater, RoutingQuota


class RoutingErasing(Erasing):
    study_rows = ((QuotaMember, "quota__study"), (RoutingQuota, "study"), (RoutedRater, "rater__study"))

    def erase_answers(self, rater: Rater, erased: ErasedRows) -> None:
        _forget_groups(rater, erased)

    def forget_person(self, person: Person, study: Study, erased: ErasedRows) -> None:
        for rater in Rater.objects.filter(study=study, person=person):
            _forget_groups(rater, erased)


ERASING = RoutingErasing()


def _forget_groups(rater: Rater, erased: ErasedRows) -> None:
    """Delete what says to which groups a rater belongs. What they have taken stays counted while it is there."""
    erased.delete(QuotaMember.objects.filter(rater=rater))
    erased.delete(RoutingQuota.objects.filter(rater=rater))
    erased.delete(RoutedRater.objects.filter(rater=rater))
