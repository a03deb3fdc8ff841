"""Who may see which builds and trial searches: every function fetches or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from retrieval.models import IndexBuild, TrialSearch


def build_for(person: Person, slug: str, pk: int) -> IndexBuild:
    """Return a build of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    build = IndexBuild.objects.select_related("study").filter(study=study, pk=pk).first()
    if build is None:
        raise Http404(NOTHING)
    return build


def trial_for(person: Person, slug: str, pk: int) -> TrialSearch:
    """Return a trial search of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    trial = TrialSearch.objects.select_related("study", "item").filter(study=study, pk=pk).first()
    if trial is None:
        raise Http404(NOTHING)
    return trial
