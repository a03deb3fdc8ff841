"""Who may answer the notice of a rule."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from recruiting.checks.check_tables import RaterNotice


def notice_in(person: Person, slug: str, pk: int) -> RaterNotice:
    """A notice about a rater of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    notice = RaterNotice.objects.filter(rater__study=study, pk=pk).select_related("rater__study").first()
    if notice is None:
        raise Http404(NOTHING)
    return notice
