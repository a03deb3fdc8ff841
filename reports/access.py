"""Access to a study's reports and API: for the people who run it, because a report shows raters how others answer.

A program uses the token of the person who created it. A signed-in person may read with their session.
"""

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING, RESEARCHERS, studies_of, study_for
from annotation.models import Study, Token
from annotation.studies.locking import refuse_pending_import

NEEDS_TOKEN = "A token is needed: create one on the study's Tokens page."  # noqa: S105 - a sentence
NEEDS_WRITING = "This token may only read. Create one that may also write."


@dataclass(frozen=True)
class Caller:
    """A caller of the API; `token` is None for a browser session."""

    person: Person
    token: Token | None

    @property
    def named(self) -> str:
        """The caller's credential as the audit records it."""
        return "session" if self.token is None else f"token {self.token.pk}"


def reported_study(person: Person, slug: str) -> Study:
    """The study called `slug`, or Http404."""
    return study_for(person, slug, RESEARCHERS)


def studies_open_to(caller: Caller) -> QuerySet[Study]:
    """The studies that the caller may read: the token's own, or all that the person runs."""
    studies = studies_of(caller.person, RESEARCHERS)
    return studies if caller.token is None else studies.filter(pk=caller.token.study_id)


def study_open_to(caller: Caller, slug: str) -> Study:
    """The study called `slug`, or Http404. Raises ImportPendingError."""
    study = studies_open_to(caller).filter(slug=slug).first()
    if study is None:
        raise Http404(NOTHING)
    refuse_pending_import(study)
    return study


def study_to_export(caller: Caller, slug: str) -> Study:
    """Like `study_open_to`, but only for tokens: exports are audited, and merely following a link must not be."""
    if caller.token is None:
        raise PermissionDenied(NEEDS_TOKEN)
    return study_open_to(caller, slug)


def study_to_write(caller: Caller, slug: str) -> Study:
    """Like `study_open_to`, but only for tokens that may write; PermissionDenied is the same for every study."""
    if caller.token is None:
        raise PermissionDenied(NEEDS_TOKEN)
    if not caller.token.writes:
        raise PermissionDenied(NEEDS_WRITING)
    return study_open_to(caller, slug)
