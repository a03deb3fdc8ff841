"""Who may decide about a rater, and who may read and answer an exclusion."""

from django.http import Http404

from accounts.models import Person
from annotation.access import ANNOTATORS, NOTHING, RESEARCHERS, membership_for, study_for
from annotation.models import Rater, Study
from recruiting.checks.check_tables import RaterExclusion, RaterNotice


def rater_in(person: Person, slug: str, pk: int) -> Rater:
    """A person who rates in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    rater = Rater.objects.filter(study=study, kind=Rater.Kind.HUMAN, pk=pk).select_related("study", "person").first()
    if rater is None:
        raise Http404(NOTHING)
    return rater


def notice_in(person: Person, slug: str, pk: int) -> RaterNotice:
    """A notice about a rater of a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    notice = RaterNotice.objects.filter(rater__study=study, pk=pk).select_related("rater__study").first()
    if notice is None:
        raise Http404(NOTHING)
    return notice


def own_place(person: Person, slug: str) -> tuple[Study, RaterExclusion | None]:
    """The study in which `person` annotates, and their exclusion from it, if they are excluded."""
    study = membership_for(person, slug, roles=ANNOTATORS).study
    mine = RaterExclusion.objects.filter(rater__study=study, rater__person=person, ended_at=None)
    return study, mine.select_related("rater__study").first()
