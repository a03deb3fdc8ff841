"""Who is on the way into a study: its annotators, each on their own. Every function fetches, or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import ANNOTATORS, NOTHING, RESEARCHERS, membership_for, study_for
from annotation.members.membership import rater_for
from annotation.models import Rater, Study
from recruiting.models import StepPassage


def own_rater(person: Person, slug: str) -> tuple[Study, Rater]:
    """The study called `slug`, in which `person` annotates, and their rater, made at first need."""
    study = membership_for(person, slug, ANNOTATORS).study
    rater = rater_for(study, person)
    rater.study = study
    return study, rater


def waiting_passage(person: Person, slug: str, pk: int) -> StepPassage:
    """An attempt that a researcher decides, in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    passage = StepPassage.objects.select_related("rater__person").filter(rater__study=study, pk=pk).first()
    if passage is None:
        raise Http404(NOTHING)
    passage.rater.study = study
    return passage
