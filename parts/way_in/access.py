"""Who may decide about people on the way into a study. Every function fetches, or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from parts.way_in.models import StepPassage


def waiting_passage(person: Person, slug: str, pk: int) -> StepPassage:
    """An attempt that a researcher decides, in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    passage = StepPassage.objects.select_related("rater__person").filter(rater__study=study, pk=pk).first()
    if passage is None:
        raise Http404(NOTHING)
    passage.rater.study = study
    return passage
