"""Access of programs, which act for the person who made their token. A signed-in person may read with their session."""

from dataclasses import dataclass

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404

from accounts.models import Person
from annotation.access import (
    ANNOTATORS,
    NOTHING,
    OWNERS,
    RESEARCHERS,
    may,
    may_make_studies,
    membership_for,
    studies_of,
)
from annotation.models import Study, Token
from annotation.studies.locking import refuse_pending_import

NEEDS_TOKEN = "A token is needed: create one on the study's Tokens page."  # noqa: S105 - a sentence
NEEDS_ACCOUNT = "A token is needed that may make studies: create one under API tokens, on the home page."
NEEDS_MAKING = "This token may not make studies. Create one that may, if you may make studies yourself."
NEEDS_ANNOTATING = "A token to annotate is needed: its annotator creates one under API tokens, on the home page."
NEEDS_OWNER = "Only owners of the study may do this."
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


def studies_open_to(caller: Caller) -> QuerySet[Study]:
    """The studies that the caller may read: those that the person runs, as far as the token opens them."""
    studies, token = studies_of(caller.person, RESEARCHERS), caller.token
    if token is None:
        return studies
    if token.annotates:
        return studies.none()
    if token.study_id is not None:
        return studies.filter(pk=token.study_id)
    return studies.filter(pk__in=token.opened.values("study")) if token.names_studies else studies


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


def study_to_decide(caller: Caller, slug: str) -> Study:
    """Like `study_to_write`, but only for tokens of the study's owners."""
    study = study_to_write(caller, slug)
    if not may(caller.person, study, OWNERS):
        raise PermissionDenied(NEEDS_OWNER)
    return study


def refuse_unless_making(caller: Caller) -> None:
    """Raise PermissionDenied unless the caller's token may make studies, and so may its person."""
    if caller.token is None:
        raise PermissionDenied(NEEDS_ACCOUNT)
    if not caller.token.makes_studies or not may_make_studies(caller.person):
        raise PermissionDenied(NEEDS_MAKING)


def desk_study(caller: Caller, slug: str) -> Study:
    """The study whose tasks the caller's token opens, as its annotator; Http404 for any other."""
    if caller.token is None or not caller.token.annotates:
        raise PermissionDenied(NEEDS_ANNOTATING)
    study = membership_for(caller.person, slug, ANNOTATORS).study
    if study.pk != caller.token.study_id:
        raise Http404(NOTHING)
    return study
