"""Who may do what in a study: every function fetches, or raises Http404.

What does not exist and what is somebody else's are answered alike, so that an address tells nothing. The
operator (a superuser) may do what an owner may in every study, but is nobody's annotator: ratings come from
members only.
"""

import re
import uuid
from collections.abc import Collection

from django.db.models import Q, QuerySet
from django.http import Http404
from django.utils import timezone

from accounts.models import Person
from accounts.signing_in import token_hash
from annotation.models import Annotation, Assignment, Invitation, Membership, Rating, Study, Token
from annotation.models.people import Role
from annotation.protocols import Protocol, protocols

OWNERS = frozenset({Role.OWNER})
RESEARCHERS = frozenset({Role.OWNER, Role.RESEARCHER})
MEMBERS = frozenset({Role.OWNER, Role.RESEARCHER, Role.ANNOTATOR})
ANNOTATORS = frozenset({Role.ANNOTATOR})
NUMBER = re.compile("[0-9]{1,18}")
SPAN_KEY = re.compile("([0-9]{1,18})-([0-9]{1,6})")
NOTHING = "There is nothing here, or nothing that you may see."


def studies_of(person: Person, roles: Collection[str]) -> QuerySet[Study]:
    """The studies in which `person` has one of `roles` now; for an operator all, but for annotating."""
    if person.is_superuser and not ANNOTATORS.issuperset(roles):
        return Study.objects.all()
    return Study.objects.filter(
        pk__in=Membership.objects.filter(person=person, active=True, role__in=roles).values("study")
    )


def study_for(person: Person, slug: str, roles: Collection[str]) -> Study:
    """The study called `slug`, where `person` has one of `roles` in it."""
    study = studies_of(person, roles).filter(slug=slug).first()
    if study is None:
        raise Http404(NOTHING)
    return study


def membership_for(person: Person, slug: str, roles: Collection[str]) -> Membership:
    """The person's own membership, in one of `roles`, in the study called `slug`."""
    members = Membership.objects.select_related("study").filter(person=person, active=True, role__in=roles)
    membership = members.filter(study__slug=slug).first()
    if membership is None:
        raise Http404(NOTHING)
    return membership


def assignment_for(person: Person, key: uuid.UUID) -> Assignment:
    """A task that this person was given, in a study whose annotator they are now."""
    found = Assignment.objects.select_related("rater__study", "rater__person", "task__item").filter(
        key=key, rater__person=person, rater__study__in=studies_of(person, ANNOTATORS)
    )
    assignment = found.first()
    if assignment is None:
        raise Http404(NOTHING)
    return assignment


def desk_assignment_for(person: Person, key: uuid.UUID) -> Assignment:
    """As `assignment_for`, where the task has its page on the desk: others are answered on their own pages only."""
    assignment = assignment_for(person, key)
    protocol = protocols()[assignment.rater.study.protocol]
    if protocol.address(assignment) != Protocol.address(protocol, assignment):
        raise Http404(NOTHING)
    return assignment


def may(person: Person, study: Study, roles: Collection[str]) -> bool:
    """Whether `person` has one of `roles` in `study`: for what a page offers, never instead of `study_for`."""
    return studies_of(person, roles).filter(pk=study.pk).exists()


def member_for(person: Person, slug: str, pk: int) -> Membership:
    """A membership that `person`, as an owner of its study, may change."""
    study = study_for(person, slug, OWNERS)
    membership = Membership.objects.select_related("study", "person").filter(study=study, pk=pk).first()
    if membership is None:
        raise Http404(NOTHING)
    return membership


def invitation_for(person: Person, slug: str, pk: int) -> Invitation:
    """An invitation to a study that `person` runs; to the study's researchers only its owners' to revoke."""
    study = study_for(person, slug, RESEARCHERS)
    invitation = Invitation.objects.select_related("study").filter(study=study, pk=pk).first()
    if invitation is None or not may(person, study, inviters(invitation.role)):
        raise Http404(NOTHING)
    return invitation


def token_for(person: Person, slug: str, pk: int) -> Token:
    """A token of a study that `person` runs, which they may revoke: their own, or as an owner anybody's."""
    study = study_for(person, slug, RESEARCHERS)
    token = Token.objects.select_related("study").filter(study=study, pk=pk).first()
    if token is None or not may_revoke(person, token, may(person, study, OWNERS)):
        raise Http404(NOTHING)
    return token


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


def may_revoke(person: Person, token: Token, owns: bool) -> bool:
    """Whether `person`, who runs the token's study (`owns`: as an owner), may end the token."""
    return owns or token.made_by_id == person.pk


def open_token(secret: str) -> Token | None:
    """The token of `secret` if it opens its study now: neither expired nor revoked, its maker still running it."""
    token = (
        Token.objects.select_related("study", "made_by")
        .filter(token_hash=token_hash(secret), revoked_at=None, expires_at__gt=timezone.now(), made_by__is_active=True)
        .first()
    )
    return token if token is not None and may(token.made_by, token.study, RESEARCHERS) else None


def inviters(role: str) -> frozenset[Role]:
    """Who may invite people to become `role`: nobody gives away more than an owner allowed."""
    return RESEARCHERS if role == Role.ANNOTATOR else OWNERS


def roles_to_offer(person: Person, study: Study) -> list[tuple[str, str]]:
    """The roles, with their labels, to which `person` may invite."""
    offered = [Role.ANNOTATOR, Role.RESEARCHER]
    return [(str(role.value), str(role.label)) for role in offered if may(person, study, inviters(role))]


def visible_to_staff(person: Person) -> Q:
    """What the admin shows of studies to somebody who is no superuser: those that they run."""
    return Q(pk__in=studies_of(person, RESEARCHERS).values("pk"))
