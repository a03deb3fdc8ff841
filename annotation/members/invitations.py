"""Invitations to a study: created several at a time, shown once, each accepted once."""

from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from accounts.auditing import record
from accounts.models import Person
from accounts.secret_tokens import new_token, token_hash
from annotation.access import backed_invitations
from annotation.members.membership import add_member
from annotation.models import Invitation, Membership, Study
from config.database_clock import database_now

DAYS = 14
MOST_AT_ONCE = 50


class InvitationDeadError(Exception):
    """The invitation is unknown, used, revoked or expired, its study is closed, or its maker lost the right."""


class AlreadyMemberError(Exception):
    """The person is or was a member. An invitation changes nobody's role."""


def invite(
    study: Study,
    role: str,
    actor: Person | None,
    *,
    count: int = 1,
    days: int = DAYS,
    note: str = "",
    tokens: Sequence[str] = (),
) -> list[str]:
    """Create `count` invitations and return their paths. Only hashes are stored, so the paths are shown once.

    With `tokens`, the invitations are those of these secrets.
    """
    tokens = tokens or [new_token() for _ in range(count)]
    expires = database_now() + timedelta(days=days)
    with transaction.atomic():
        for token in tokens:
            invitation = Invitation.objects.create(
                study=study, role=role, note=note, token_hash=token_hash(token), created_by=actor, expires_at=expires
            )
            new = {"role": str(role), "expires_at": expires.isoformat()}
            record("invitation created", f"invitation {invitation.pk}", actor=actor, study=study.slug, new=new)
    return [reverse("annotation:invitation", args=[token]) for token in tokens]


def open_invitation(token: str) -> Invitation:
    """Return the invitation of `token`. Raises InvitationDeadError, which does not say why it does not work."""
    found = _open_now().filter(token_hash=token_hash(token)).select_related("study").first()
    if found is None:
        raise InvitationDeadError
    return found


def mark_opened(invitation: Invitation) -> None:
    """Keep when the page of an invitation was first shown."""
    if invitation.opened_at is None:
        Invitation.objects.filter(pk=invitation.pk, opened_at=None).update(opened_at=database_now())


def _open_now() -> QuerySet[Invitation]:
    """Invitations that can be accepted now."""
    return backed_invitations().filter(
        accepted_at=None, revoked_at=None, expires_at__gt=database_now(),
        study__in=Study.objects.exclude(status=Study.Status.CLOSED),
    )  # fmt: skip


def accept(invitation: Invitation, person: Person) -> Membership:
    """Use up the invitation and make `person` a member; save the person if they are new.

    If several people accept at once, one succeeds. Raises InvitationDeadError, AlreadyMemberError (the invitation
    stays open), or IntegrityError if somebody else took a new person's user name in the meantime.
    """
    with transaction.atomic():
        if person.pk is None:
            person.save()
            record("person joined", actor=person, study=invitation.study.slug)
        elif Membership.objects.filter(study=invitation.study, person=person).exists():
            raise AlreadyMemberError
        if person.is_synthetic:
            raise InvitationDeadError
        if not _open_now().filter(pk=invitation.pk).update(accepted_at=database_now(), accepted_by=person):
            raise InvitationDeadError
        record("invitation accepted", f"invitation {invitation.pk}", actor=person, study=invitation.study.slug)
        return add_member(invitation.study, person, invitation.role, person)
