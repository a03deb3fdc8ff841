"""API tokens: each is shown once, and ends when it expires or is revoked."""

from collections.abc import Collection, Sequence
from datetime import timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Q

from accounts.auditing import record
from accounts.models import Person
from accounts.secret_tokens import new_token, token_hash
from annotation.models import Study, Token, TokenStudy
from config.database_clock import database_now
from config.parts import parts_of

DAYS = 90
MOST_DAYS = 365
NOTED_EVERY = timedelta(minutes=1)
"""The last use is stored at most once per minute, not for each request."""


class NobodysTokenError(PermissionDenied):
    """The account stands for no person, or is a guest's to whom its study gives no tokens."""


def issue_token(study: Study, actor: Person, *, name: str, scope: str, days: int = DAYS) -> str:
    """Create a token of a study and return its secret. Only the hash is stored, so the secret is shown once.

    Raises NobodysTokenError.
    """
    return _issue(actor, [study.slug], study=study, name=name, scope=scope, days=days)


def issue_account_token(
    actor: Person, *, name: str, scope: str, days: int = DAYS, studies: Collection[Study] | None = None,
    makes_studies: bool = False,
) -> str:  # fmt: skip
    """Create a token of the actor's account and return its secret; it opens `studies`, or all that the actor runs.

    Raises NobodysTokenError.
    """
    with transaction.atomic():
        named = [] if studies is None else list(studies)
        return _issue(
            actor, [study.slug for study in named] or [""], opened=named, name=name, scope=scope, days=days,
            names_studies=studies is not None, makes_studies=makes_studies,
        )  # fmt: skip


def _issue(actor: Person, slugs: Sequence[str], *, days: int, opened: Sequence[Study] = (), **fields: Any) -> str:
    """Create a token with these fields, and an entry in the audit of each of its studies (none: that of the site)."""
    if actor.is_synthetic or not may_have_token(actor, fields.get("study")):
        raise NobodysTokenError
    secret = new_token()
    expires = database_now() + timedelta(days=days)
    with transaction.atomic():
        token = Token.objects.create(made_by=actor, token_hash=token_hash(secret), expires_at=expires, **fields)
        TokenStudy.objects.bulk_create([TokenStudy(token=token, study=study) for study in opened])
        new = {"name": token.name, "scope": str(token.scope), "expires_at": expires.isoformat()}
        if token.makes_studies:
            new["makes_studies"] = "yes"
        for slug in slugs:
            record("token created", f"token {token.pk}", actor=actor, study=slug, new=new)
    return secret


def may_have_token(person: Person, study: Study | None) -> bool:
    """Whether `person` may have a token of a study, or for None one of the account, which guests never have."""
    if not person.guest_of:
        return True
    if study is None or not person.may_be_in(study.slug):
        return False
    return any(part.allows_guest_tokens(study) for part in parts_of(study))


def note_use(token: Token) -> None:
    """Store when a token was last used."""
    now = database_now()
    if token.last_used_at is None or token.last_used_at < now - NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - NOTED_EVERY)
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
