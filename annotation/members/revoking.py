"""Revoke invitations and tokens: one by hand, or all that a person may no longer grant."""

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.access import backed_invitations, backed_tokens
from annotation.models import Invitation, Token
from config.database_clock import database_now


def revoke_invitation(invitation: Invitation, actor: Person | None) -> bool:
    """Revoke an invitation; return False if it was already accepted or revoked."""
    with transaction.atomic():
        ended = Invitation.objects.filter(pk=invitation.pk, accepted_at=None, revoked_at=None).update(
            revoked_at=database_now()
        )
        if ended:
            record("invitation revoked", f"invitation {invitation.pk}", actor=actor, study=invitation.study.slug)
    return bool(ended)


def revoke_token(token: Token, actor: Person | None) -> bool:
    """Revoke a token, so that its next request is refused; return False if it was already revoked."""
    with transaction.atomic():
        ended = Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=database_now())
        if ended:
            named = list(token.opened.order_by("study__slug").values_list("study__slug", flat=True))
            for slug in [token.study.slug] if token.study else named or [""]:
                record("token revoked", f"token {token.pk}", actor=actor, study=slug, old={"name": token.name})
    return bool(ended)


def revoke_lapsed_grants(person: Person, actor: Person | None) -> None:
    """Revoke what `person` granted and may no longer grant. Call it in the transaction that takes the right away.

    Such invitations and tokens no longer work anyway. Once revoked, they do not work again if the right comes back.
    """
    now = database_now()
    invitations = Invitation.objects.filter(created_by=person, accepted_at=None, revoked_at=None, expires_at__gt=now)
    for invitation in invitations.exclude(pk__in=backed_invitations()).select_related("study"):
        revoke_invitation(invitation, actor)
    tokens = Token.objects.filter(made_by=person, revoked_at=None, expires_at__gt=now)
    for token in tokens.exclude(pk__in=backed_tokens()).select_related("study"):
        revoke_token(token, actor)
