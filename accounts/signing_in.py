"""Signing in and out, changing a password, and links that sign a person in once."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts.access import person_of
from accounts.auditing import record
from accounts.models import Person, SignInLink

BACKEND = "django.contrib.auth.backends.ModelBackend"


def token_hash(token: str) -> str:
    """What is kept of a secret of 256 random bits: SHA-256, needing neither salt nor stretching."""
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """A secret of 256 bits for an address."""
    return secrets.token_urlsafe(32)


def sign_in(request: HttpRequest, username: str, password: str) -> Person | None:
    """Sign the person in whose name and password these are; None where they are nobody's.

    A failure names the person only where there is one: what was typed as a name may be a password.
    """
    found = authenticate(request, username=username, password=password)
    if not isinstance(found, Person):
        known = Person.objects.filter(username=username).first()
        record("sign-in failed", known.username if known else "unknown user name", actor=None)
        return None
    enter(request, found, "password")
    return found


def enter(request: HttpRequest, person: Person, how: str) -> None:
    """Begin a session of `person`, who has proved by `how` to be who they are."""
    with transaction.atomic():
        # login() changes the session's id, and drops a session that was another person's.
        login(request, person, backend=BACKEND)
        record("signed in", person.username, actor=person, new={"by": how})


def sign_out(request: HttpRequest) -> None:
    """End the session, on the server too."""
    with transaction.atomic():
        if isinstance(request.user, Person):
            record("signed out", request.user.username, actor=request.user)
        logout(request)


def change_password(request: HttpRequest, password: str) -> None:
    """Give the person signed in a new password; every other session of theirs ends by its next request."""
    person = person_of(request)
    person.set_password(password)  # slow by design, so before the transaction
    with transaction.atomic():
        person.save(update_fields=["password"])
        update_session_auth_hash(request, person)
        record("password changed", person.username, actor=person)


def issue_link(person: Person, hours: float = 24, actor: Person | None = None) -> str:
    """Make a link that signs `person` in once within `hours`; returns its path, which is not kept anywhere."""
    token = new_token()
    with transaction.atomic():
        SignInLink.objects.create(
            person=person, token_hash=token_hash(token), expires_at=timezone.now() + timedelta(hours=hours)
        )
        record("sign-in link issued", person.username, actor=actor, new={"hours": hours})
    return reverse("accounts:link", args=[token])


def open_link(token: str) -> SignInLink | None:
    """The link of `token` if it can still be used."""
    return (
        SignInLink.objects.select_related("person")
        .filter(
            token_hash=token_hash(token),
            used_at=None,
            expires_at__gt=timezone.now(),
            person__is_active=True,
        )
        .first()
    )


def use_link(request: HttpRequest, token: str) -> Person | None:
    """Sign in by a link and use it up; None where it cannot be used. Of two at once, one gets in."""
    link = open_link(token)
    if link is None:
        return None
    with transaction.atomic():
        taken = SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=timezone.now()).update(
            used_at=timezone.now()
        )
        if not taken:
            return None
        enter(request, link.person, "link")
    return link.person
