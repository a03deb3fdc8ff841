"""Sign-in links that an owner of a study makes for its members.

Who has such a link can do all that the person can. So there is none for people who have rights that the owner has not:
staff, operators, owners of the study, and members of studies that the owner does not own.
"""

from django.db import transaction

from accounts.models import Person, SignInLink
from accounts.sign_in_links import NOBODY, issue_link, open_links, revoke_links
from annotation.access import OWNERS, studies_of
from annotation.models import Membership, Study
from annotation.models.people import Role
from annotation.studies.locking import lock_study

HOURS = 24
STAFF = "Staff and operators get sign-in links only from an operator."
OWNER = "Owners get sign-in links only from an operator."
ELSEWHERE = "This person is in other studies, which you do not own. Only an operator can make a sign-in link for them."
GONE = "This person is not in the study any more, or their account is not active."


class MemberLinkRefusedError(Exception):
    """The owner may not make a link for this person; the message says why."""


def why_no_link(study: Study, person: Person, owner: Person) -> str | None:
    """Why `owner` may make no link for `person`, or None."""
    members = Membership.objects.filter(person=person, active=True)
    here = members.filter(study=study).first()
    if here is None or not person.is_active:
        return GONE
    if person.is_synthetic:
        return NOBODY
    if person.is_staff or person.is_superuser:
        return STAFF
    if here.role == Role.OWNER:
        return OWNER
    if members.exclude(study__in=studies_of(owner, OWNERS)).exists():
        return ELSEWHERE
    return None


def make_member_link(membership: Membership, owner: Person) -> str:
    """Make a link that signs a member in once; return its path. Earlier ones of the study end.

    Raises MemberLinkRefusedError.
    """
    with transaction.atomic():
        study = lock_study(membership.study_id, archived=True)
        reason = why_no_link(study, membership.person, owner)
        if reason:
            raise MemberLinkRefusedError(reason)
        revoke_links(membership.person, owner, study.slug)
        return issue_link(membership.person, HOURS, study=study.slug, made_by=owner)


def working_links(membership: Membership) -> list[SignInLink]:
    """The study's links for a member that have neither been used nor ended."""
    found = open_links().filter(person=membership.person, study=membership.study.slug)
    return list(found.select_related("made_by").order_by("pk"))


def is_backed(link: SignInLink) -> bool:
    """Whether the owner who made a link may still make it now."""
    study = Study.objects.filter(slug=link.study).first()
    owner = link.made_by
    if study is None or owner is None or not owner.is_active:
        return False
    return studies_of(owner, OWNERS).filter(pk=study.pk).exists() and why_no_link(study, link.person, owner) is None
