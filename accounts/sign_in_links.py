"""Links that sign a person in once. The operator makes one for somebody who has lost their password."""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person, SignInLink
from accounts.secret_tokens import new_token, token_hash


def issue_link(person: Person, hours: float = 24) -> str:
    """Make a link that signs `person` in once within `hours`; return its path, which is stored nowhere."""
    token = new_token()
    with transaction.atomic():
        SignInLink.objects.create(
            person=person, token_hash=token_hash(token), password_hash=token_hash(person.password),
            expires_at=timezone.now() + timedelta(hours=hours),
        )  # fmt: skip
        record("sign-in link issued", actor=None, about=person, new={"hours": hours})
    return reverse("accounts:link", args=[token])


def open_links() -> QuerySet[SignInLink]:
    """Links that are neither used, expired nor revoked; a link works only if it also `fits_person`."""
    return SignInLink.objects.filter(used_at=None, revoked_at=None, expires_at__gt=timezone.now())


def open_link(token: str) -> SignInLink | None:
    """Return the link of `token` if it works now."""
    link = open_links().filter(token_hash=token_hash(token)).select_related("person").first()
    return link if link is not None and link.fits_person else None


def revoke_links(person: Person, actor: Person | None) -> int:
    """End all open links of `person`; return how many there were."""
    with transaction.atomic():
        ended = open_links().filter(person=person).update(revoked_at=timezone.now())
        if ended:
            record("sign-in links revoked", actor=actor, about=person, new={"links": ended})
    return ended
