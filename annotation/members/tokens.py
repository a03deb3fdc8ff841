"""API tokens: each opens one study, is shown once, and ends when it expires or is revoked."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person
from accounts.secret_tokens import new_token, token_hash
from annotation.models import Study, Token

DAYS = 90
MOST_DAYS = 365
NOTED_EVERY = timedelta(minutes=1)
"""The last use is stored at most once per minute, not for each request."""


def issue_token(study: Study, actor: Person, *, name: str, scope: str, days: int = DAYS) -> str:
    """Create a token and return its secret. Only the hash is stored, so the secret is shown once."""
    secret = new_token()
    expires = timezone.now() + timedelta(days=days)
    with transaction.atomic():
        token = Token.objects.create(
            study=study, made_by=actor, name=name, scope=scope, token_hash=token_hash(secret), expires_at=expires
        )
        new = {"name": name, "scope": str(scope), "expires_at": expires.isoformat()}
        record("token created", f"token {token.pk}", actor=actor, study=study.slug, new=new)
    return secret


def note_use(token: Token) -> None:
    """Store when a token was last used."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
