"""Who may see a study's reports: those who run it. Raters would learn from them how the others answer.

Programs ask with a token, for the person who made it, or by the session of somebody signed in, who may look.
"""

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, studies_of, study_for
from annotation.models import Study, Token

NEEDS_TOKEN = "This takes a token: make one on the study's page of tokens."  # noqa: S105 - a sentence
NEEDS_WRITING = "This token may only read: make one that may write."


@dataclass(frozen=True)
class Caller:
    """Who asks the programming interface: `token` is None where a session shows who it is."""

    person: Person
    token: Token | None

    @property
    def named(self) -> str:
        """How the audit names what the person acts by."""
        return "session" if self.token is None else f"token {self.token.pk}"


def reported_study(person: Person, slug: str) -> Study:
    """The study called `slug`, or Http404."""
    return study_for(person, slug, RESEARCHERS)


def studies_open_to(caller: Caller) -> QuerySet[Study]:
    """The studies that the caller may read: by a token its one, else all that the person runs."""
    studies = studies_of(caller.person, RESEARCHERS)
    return studies if caller.token is None else studies.filter(pk=caller.token.study_id)


def study_open_to(caller: Caller, slug: str) -> Study:
    """The study called `slug`, or Http404."""
    study = studies_open_to(caller).filter(slug=slug).first()
    if study is None:
        raise Http404(NOTHING)
    return study


def study_to_export(caller: Caller, slug: str) -> Study:
    """As `study_open_to`, by token only: an export is recorded, and a followed link must record nothing."""
    if caller.token is None:
        raise PermissionDenied(NEEDS_TOKEN)
    return study_open_to(caller, slug)


def study_to_write(caller: Caller, slug: str) -> Study:
    """As `study_open_to`, for a token that may write; PermissionDenied is the same for every study."""
    if caller.token is None:
        raise PermissionDenied(NEEDS_TOKEN)
    if not caller.token.writes:
        raise PermissionDenied(NEEDS_WRITING)
    return study_open_to(caller, slug)
