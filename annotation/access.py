"""Who may do what in a study: every function fetches, or raises Http404.

The response is the same for what does not exist and what belongs to others, so that an address reveals nothing. An
operator (superuser) may do in every study what its owner may, but annotates in none: only members give ratings.
"""

import re
import uuid
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404

from accounts.models import Person
from accounts.secret_tokens import token_hash
from annotation.desk.statements import DeskRow, TaskRow, desk_row, task_row
from annotation.members.tokens import may_have_token
from annotation.models import (
    Annotation,
    Assignment,
    Invitation,
    Item,
    Membership,
    Project,
    Rater,
    RaterExclusion,
    Rating,
    Study,
    StudyDeletion,
    Token,
)
from annotation.models.people import Role
from annotation.protocols import protocols
from annotation.studies.locking import refuse_pending_import
from config.database_clock import database_now
from config.prepared_sql import Columns, fetch_one, statement_of

OWNERS = frozenset({Role.OWNER})
RESEARCHERS = frozenset({Role.OWNER, Role.RESEARCHER})
MEMBERS = frozenset({Role.OWNER, Role.RESEARCHER, Role.ANNOTATOR})
ANNOTATORS = frozenset({Role.ANNOTATOR})
NUMBER = re.compile("[0-9]{1,18}")
SPAN_KEY = re.compile("([0-9]{1,18})-([0-9]{1,6})")
ANY_HASH = "the hash of any token"
"""Stands for a token's hash where the statement for all tokens is built."""
NOTHING = "This page does not exist, or you may not see it."


def studies_of(person: Person, roles: Collection[str]) -> QuerySet[Study]:
    """The studies in which `person` has one of `roles` now; operators have every role but annotator in all."""
    if person.is_superuser and not ANNOTATORS.issuperset(roles):
        return Study.objects.all()
    return Study.objects.filter(
        pk__in=Membership.objects.filter(person=person, active=True, role__in=roles).values("study")
    )


def study_for(person: Person, slug: str, roles: Collection[str]) -> Study:
    """The study called `slug`, if `person` has one of `roles` in it.

    Raises ImportPendingError for what only researchers see, which would show half of an import.
    """
    study = studies_of(person, roles).filter(slug=slug).first()
    if study is None:
        raise Http404(NOTHING)
    if RESEARCHERS.issuperset(roles):
        refuse_pending_import(study)
    return study


def project_for(person: Person, pk: int) -> Project:
    """A project with a study that `person` runs."""
    project = Project.objects.filter(pk=pk, studies__in=studies_of(person, RESEARCHERS)).first()
    if project is None:
        raise Http404(NOTHING)
    return project


def membership_for(person: Person, slug: str, roles: Collection[str]) -> Membership:
    """The person's own membership, in one of `roles`, in the study called `slug`."""
    members = Membership.objects.select_related("study").filter(person=person, active=True, role__in=roles)
    membership = members.filter(study__slug=slug).first()
    if membership is None:
        raise Http404(NOTHING)
    return membership


def assignment_for(person: Person, key: uuid.UUID) -> Assignment:
    """A task assigned to this person, in a study of which they are an annotator now."""
    found = Assignment.objects.select_related("rater__study", "rater__person", "task__item").filter(
        key=key, rater__person=person, rater__study__in=studies_of(person, ANNOTATORS)
    )
    assignment = found.first()
    if assignment is None:
        raise Http404(NOTHING)
    return assignment


def desk_row_for(person: Person, key: uuid.UUID) -> DeskRow:
    """As `assignment_for`, with everything that the desk shows of it."""
    row = desk_row(person.pk, key)
    if row is None:
        raise Http404(NOTHING)
    return row


def desk_task_for(person: Person, key: uuid.UUID) -> TaskRow:
    """As `assignment_for`, for an answer, and only for tasks answered on the desk; others have pages of their own."""
    row = task_row(person.pk, key)
    if row is None:
        raise Http404(NOTHING)
    flow = protocols()[row.study.protocol].flow
    if flow.has_own_pages and flow.own_page(row.assignment) is not None:
        raise Http404(NOTHING)
    return row


def may_make_studies(person: Person) -> bool:
    """Whether `person` may make studies: staff and operators may, everybody else joins by invitation."""
    return person.is_active and (person.is_staff or person.is_superuser)


def refuse_unless_maker(person: Person) -> None:
    """Raise Http404 if `person` may not make studies."""
    if not may_make_studies(person):
        raise Http404(NOTHING)


def deletion_for(person: Person, pk: int) -> StudyDeletion:
    """A deletion of a study that `person` asked for; operators see all."""
    deletions = StudyDeletion.objects.all() if person.is_superuser else StudyDeletion.objects.filter(asked_by=person)
    deletion = deletions.filter(pk=pk).first()
    if deletion is None:
        raise Http404(NOTHING)
    return deletion


def may(person: Person, study: Study, roles: Collection[str]) -> bool:
    """Whether `person` has one of `roles` in `study`; decides what a page offers, never replaces `study_for`."""
    return studies_of(person, roles).filter(pk=study.pk).exists()


def member_for(person: Person, slug: str, pk: int) -> Membership:
    """A membership that `person`, as an owner of its study, may change."""
    study = study_for(person, slug, OWNERS)
    membership = Membership.objects.select_related("study", "person").filter(study=study, pk=pk).first()
    if membership is None:
        raise Http404(NOTHING)
    return membership


def invitation_for(person: Person, slug: str, pk: int) -> Invitation:
    """An invitation to a study that `person` runs; only owners may revoke one for researchers."""
    study = study_for(person, slug, RESEARCHERS)
    invitation = Invitation.objects.select_related("study").filter(study=study, pk=pk).first()
    if invitation is None or not may(person, study, inviters(invitation.role)):
        raise Http404(NOTHING)
    return invitation


def token_for(person: Person, slug: str, pk: int) -> Token:
    """A token that `person` may revoke in a study they run: their own, or as an owner anybody's."""
    study = study_for(person, slug, RESEARCHERS)
    token = Token.objects.select_related("study").filter(study=study, pk=pk).first()
    if token is None or not may_revoke(person, token, may(person, study, OWNERS)):
        raise Http404(NOTHING)
    return token


def item_for(person: Person, slug: str, pk: int) -> Item:
    """An item of a study that `person` runs, with the study."""
    study = study_for(person, slug, RESEARCHERS)
    item = Item.objects.filter(study=study, pk=pk).first()
    if item is None:
        raise Http404(NOTHING)
    item.study = study
    return item


def span_for(person: Person, slug: str, key: str) -> tuple[Rating, int]:
    """A marked span by its key (`rating-index`), in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    named = SPAN_KEY.fullmatch(key)
    if named is not None:
        ratings = Rating.objects.select_related("study", "rater", "item", "question", "annotation")
        rating = ratings.filter(study=study, level=Rating.Level.SPAN, pk=int(named[1])).first()
        if rating is not None and int(named[2]) < len(rating.value["spans"]):
            return rating, int(named[2])
    raise Http404(NOTHING)


def annotation_for(person: Person, slug: str, key: str) -> Annotation:
    """A submitted answer by its number, in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    answers = Annotation.objects.select_related("rater__study", "task__item").filter(
        rater__study=study, status="submitted", is_current=True
    )
    answer = answers.filter(pk=int(key)).first() if NUMBER.fullmatch(key) else None
    if answer is None:
        raise Http404(NOTHING)
    return answer


def flag_for(person: Person, slug: str, pk: int) -> Assignment:
    """A flagged task by its assignment's number, in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    flagged = Assignment.objects.filter(rater__study=study, pk=pk).exclude(flag="")
    assignment = flagged.select_related("rater__study", "rater__person").first()
    if assignment is None:
        raise Http404(NOTHING)
    return assignment


def may_revoke(person: Person, token: Token, owns: bool) -> bool:
    """Whether `person`, who runs the token's study (`owns`: as an owner), may end the token."""
    return owns or token.made_by_id == person.pk


def own_token_for(person: Person, pk: int) -> Token:
    """A token that `person` made for themselves: of their account, or to annotate."""
    token = own_tokens(person).filter(pk=pk).first()
    if token is None:
        raise Http404(NOTHING)
    return token


def own_tokens(person: Person) -> QuerySet[Token]:
    """The tokens of the person's account, and those with which they annotate."""
    mine = Token.objects.filter(Q(study=None) | Q(scope=Token.Scope.ANNOTATE), made_by=person)
    return mine.select_related("study")


def open_token(secret: str) -> Token | None:
    """The token of `secret` if it is valid now: not expired, not revoked, and its maker still has the role for it."""
    sql, params, columns = _token_statement()
    row = fetch_one(sql, [token_hash(secret) if one == ANY_HASH else one for one in params])
    if row is None:
        return None
    values = iter(row)
    token: Token = columns[0].must_take(values)
    token.study, token.made_by = columns[1].take(values), columns[2].must_take(values)
    is_open = token.expires_at > database_now() and may_have_token(token.made_by, token.study)
    return token if is_open else None


@lru_cache
def _token_statement() -> tuple[str, list[Any], tuple[Columns[Any], ...]]:
    """The statement that reads a token by its hash if it is backed, its study and its maker, and what it returns.

    Each request of the API asks it, and Django takes longer to build it than the database to answer it.
    """
    tokens = backed_tokens().filter(token_hash=ANY_HASH, revoked_at=None).select_related("study", "made_by")
    return *statement_of(tokens), tuple(Columns(model, "") for model in (Token, Study, Person))


def backed_tokens() -> QuerySet[Token]:
    """Tokens whose maker still runs their study or annotates in it, and those of active people's accounts.

    What a token of an account opens is decided with each request.
    """
    annotates = Q(scope=Token.Scope.ANNOTATE)
    people = Person.objects.filter(pk=OuterRef("made_by"), is_active=True)
    return Token.objects.filter(
        (Q(study=None) & Q(Exists(people)))
        | (~annotates & _held_by("made_by", RESEARCHERS))
        | (annotates & _member_in("made_by", ANNOTATORS))
    )


def backed_by_runner(column: str) -> Q:
    """Rows of a study whose person in `column` still runs the study."""
    return _held_by(column, RESEARCHERS)


def backed_invitations() -> QuerySet[Invitation]:
    """Invitations whose maker may still invite to that role, and those made by a command."""
    backed = Q(created_by=None)
    for role in Role.values:
        backed |= Q(role=role) & _held_by("created_by", inviters(role))
    return Invitation.objects.filter(backed)


def _held_by(column: str, roles: Collection[str]) -> Q:
    """Rows whose person in `column` is active and has one of `roles` in the row's study, or is an operator.

    Without joins, so that a conditional update checks its conditions on the row it locks.
    """
    operators = Person.objects.filter(pk=OuterRef(column), is_active=True, is_superuser=True)
    return Q(Exists(operators)) | _member_in(column, roles)


def _member_in(column: str, roles: Collection[str]) -> Q:
    """Rows whose person in `column` is active and has one of `roles` in the row's study."""
    members = Membership.objects.filter(
        study=OuterRef("study"), person=OuterRef(column), person__is_active=True, active=True, role__in=roles
    )
    return Q(Exists(members))


def inviters(role: str) -> frozenset[Role]:
    """The roles that may invite people as `role`: nobody grants more than an owner allowed."""
    return RESEARCHERS if role == Role.ANNOTATOR else OWNERS


def roles_to_offer(person: Person, study: Study) -> list[tuple[str, str]]:
    """The roles, with labels, that `person` may offer in an invitation."""
    offered = [Role.ANNOTATOR, Role.RESEARCHER]
    return [(str(role.value), str(role.label)) for role in offered if may(person, study, inviters(role))]


def rater_in(person: Person, slug: str, pk: int) -> Rater:
    """A person who rates in a study that `person` runs."""
    study = study_for(person, slug, RESEARCHERS)
    rater = Rater.objects.filter(study=study, kind=Rater.Kind.HUMAN, pk=pk).select_related("study", "person").first()
    if rater is None:
        raise Http404(NOTHING)
    return rater


def own_place(person: Person, slug: str) -> tuple[Study, RaterExclusion | None]:
    """The study in which `person` annotates, and their exclusion from it, if they are excluded."""
    study = membership_for(person, slug, roles=ANNOTATORS).study
    mine = RaterExclusion.objects.filter(rater__study=study, rater__person=person, ended_at=None)
    return study, mine.select_related("rater__study").first()
