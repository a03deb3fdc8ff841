"""Invitations: made many at once, shown once, taken up once, until they expire."""

from datetime import timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person
from accounts.signing_in import new_token, token_hash
from annotation.membership import add_member
from annotation.models import Invitation, Membership, Study

DAYS = 14
MOST_AT_ONCE = 50


class InvitationDeadError(Exception):
    """The invitation is unknown, used, revoked or expired, or its study is closed."""


class AlreadyMemberError(Exception):
    """Whoever accepts takes part already, or did once: an invitation changes no role."""


def invite(
    study: Study, role: str, actor: Person | None, *, count: int = 1, days: int = DAYS, note: str = ""
) -> list[str]:
    """Make `count` invitations and return their paths; only hashes are kept, so they are shown this once."""
    tokens = [new_token() for _ in range(count)]
    expires = timezone.now() + timedelta(days=days)
    with transaction.atomic():
        for token in tokens:
            invitation = Invitation.objects.create(
                study=study, role=role, note=note, token_hash=token_hash(token), created_by=actor, expires_at=expires
            )
            new = {"role": str(role), "expires_at": expires.isoformat(), "note": note}
            record("invitation made", f"invitation {invitation.pk}", actor=actor, study=study.slug, new=new)
    return [reverse("annotation:invitation", args=[token]) for token in tokens]


def revoke(invitation: Invitation, actor: Person | None) -> bool:
    """End an invitation that nobody has taken up; False where somebody has, or it ended before."""
    with transaction.atomic():
        ended = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(
            revoked_at=timezone.now()
        )
        if ended:
            record("invitation revoked", f"invitation {invitation.pk}", actor=actor, study=invitation.study.slug)
    return bool(ended)


def open_invitation(token: str) -> Invitation:
    """The invitation of `token`, or InvitationDeadError; why it is dead is not told."""
    found = (
        Invitation.objects.select_related("study")
        .filter(token_hash=token_hash(token), accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
        .exclude(study__status=Study.Status.CLOSED)
        .first()
    )
    if found is None:
        raise InvitationDeadError
    return found


def accept(invitation: Invitation, person: Person) -> Membership:
    """Use up the invitation and make `person` a member; a person who is not saved yet is saved with it.

    Of several at once one succeeds. Raises InvitationDeadError, AlreadyMemberError (the invitation stays
    open), or IntegrityError where a new person's user name was taken in the meantime.
    """
    with transaction.atomic():
        if person.pk is None:
            person.save()
            record("person joined", person.username, actor=person, study=invitation.study.slug)
        elif Membership.objects.filter(study=invitation.study, person=person).exists():
            raise AlreadyMemberError
        now = timezone.now()
        still_open = Invitation.objects.filter(
            pk=invitation.pk, accepted_at=None, revoked_at=None, expires_at__gt=now
        ).exclude(study__status=Study.Status.CLOSED)
        if not still_open.update(accepted_at=now, accepted_by=person):
            raise InvitationDeadError
        record("invitation accepted", f"invitation {invitation.pk}", actor=person, study=invitation.study.slug)
        return add_member(invitation.study, person, invitation.role, person)
