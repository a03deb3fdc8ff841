"""Access to a study's reports and exports: for the people who run it, because a report shows how others answer."""

from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, study_for
from annotation.models import Study
from reports.kept.kept_exports import exports_of
from reports.models import KeptExport


def reported_study(person: Person, slug: str) -> Study:
    """The study called `slug`, or Http404."""
    return study_for(person, slug, RESEARCHERS)


def kept_export_for(person: Person, slug: str, pk: int) -> KeptExport:
    """A kept export of a study that `person` runs."""
    return kept_export_of(reported_study(person, slug), pk)


def kept_export_of(study: Study, pk: int) -> KeptExport:
    """A kept export of the study, or Http404."""
    row = exports_of(study).select_related("study").filter(pk=pk).first()
    if row is None:
        raise Http404(NOTHING)
    return row
