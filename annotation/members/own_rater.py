"""Who a person is in a study in which they annotate."""

from accounts.models import Person
from annotation.access import ANNOTATORS, membership_for
from annotation.members.membership import rater_for
from annotation.models import Rater, Study


def own_rater(person: Person, slug: str) -> tuple[Study, Rater]:
    """Return the study called `slug` and the person's rater in it, made at first need. Raises Http404."""
    study = membership_for(person, slug, ANNOTATORS).study
    rater = rater_for(study, person)
    rater.study = study
    return study, rater
