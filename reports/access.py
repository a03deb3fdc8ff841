"""Who may see a study's reports: those who run it. Raters would learn from them how the others answer."""

from accounts.models import Person
from annotation.access import RESEARCHERS, study_for
from annotation.models import Study


def reported_study(person: Person, slug: str) -> Study:
    """The study called `slug`, or Http404."""
    return study_for(person, slug, RESEARCHERS)
