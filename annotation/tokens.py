"""Tokens of the programming interface: made for one study, shown once, ended by their time or by hand."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person
from accounts.signing_in import new_token, token_hash
from annotation.models import Study, Token

DAYS = 90
MOST_DAYS = 365
NOTED_EVERY = timedelta(minutes=1)
"""How exactly the last use is kept: a write a minute, not one a request."""


def issue(study: Study, actor: Person, *, name: str, scope: str, days: int = DAYS) -> str:
    """Make a token and return its secret of 256 bits; only its hash is kept, so it is shown this once."""
    secret = new_token()
    expires = timezone.now() + timedelta(days=days)
    with transaction.atomic():
        token = Token.objects.create(
            study=study, made_by=actor, name=name, scope=scope, token_hash=token_hash(secret), expires_at=expires
        )
        new = {"name": name, "scope": str(scope), "expires_at": expires.isoformat()}
        record("token made", f"token {token.pk}", actor=actor, study=study.slug, new=new)
    return secret


def revoke(token: Token, actor: Person) -> bool:
    """End a token: its very next request is refused. False where it was ended before."""
    with transaction.atomic():
        ended = Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
        if ended:
            record("token revoked", f"token {token.pk}", actor=actor, study=token.study.slug, old={"name": token.name})
    return bool(ended)


def note_use(token: Token) -> None:
    """Keep when a token was last used."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
