"""Who may see which builds, uploads and trial searches: every function fetches or raises Http404."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from retrieval.models import IndexBuild, PaperUpload, TrialSearch


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


def paper_upload_for(person: Person, slug: str, pk: int) -> PaperUpload:
    """Return an upload of papers into a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    upload = PaperUpload.objects.filter(study=study, pk=pk).first()
    if upload is None:
        raise Http404(NOTHING)
    return upload
