"""Links that sign a person in once, or let them set a new password once.

Operators and owners of studies make the former for somebody who has lost their password; the latter are mailed.
"""

from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.urls import reverse

from accounts.auditing import record
from accounts.models import Person, SignInLink
from accounts.secret_tokens import new_token, token_hash
from config.database_clock import database_now
from config.parts import parts

NOBODY = "This account stands for no person. Nobody can sign in with it."
SIGN_IN, PASSWORD = SignInLink.Purpose.SIGN_IN, SignInLink.Purpose.PASSWORD


class NobodyError(ValueError):
    """The account is a synthetic rater's, so it gets no link."""


def issue_link(person: Person, hours: float = 24, *, study: str = "", made_by: Person | None = None) -> str:
    """Make a link that signs `person` in once within `hours`; return its path, which is stored nowhere.

    `study` is the slug of the study whose owner `made_by` makes it. Raises NobodyError.
    """
    token = _new_link(person, hours, study=study, made_by=made_by)
    return reverse("accounts:link", args=[token])


def issue_password_link(person: Person, hours: float) -> str:
    """Make a link with which `person` sets a new password once; return its path. Raises NobodyError."""
    token = _new_link(person, hours, purpose=PASSWORD)
    return reverse("accounts:reset_password", args=[token])


def _new_link(
    person: Person, hours: float, *, purpose: str = SIGN_IN, study: str = "", made_by: Person | None = None
) -> str:
    if person.is_synthetic:
        raise NobodyError(NOBODY)
    token = new_token()
    action = "sign-in link issued" if purpose == SIGN_IN else "password link issued"
    with transaction.atomic():
        SignInLink.objects.create(
            person=person, token_hash=token_hash(token), password_hash=token_hash(person.password), purpose=purpose,
            expires_at=database_now() + timedelta(hours=hours), study=study, made_by=made_by,
        )  # fmt: skip
        record(action, actor=made_by, about=person, study=study, new={"hours": hours})
    return token


def open_links() -> QuerySet[SignInLink]:
    """Links that are neither used, expired nor revoked; a link works only if it also `fits_person`."""
    return SignInLink.objects.filter(used_at=None, revoked_at=None, expires_at__gt=database_now())


def open_link(token: str, purpose: str = SIGN_IN) -> SignInLink | None:
    """Return the link of `token` if it works now for this purpose."""
    found = open_links().filter(token_hash=token_hash(token), purpose=purpose)
    link = found.select_related("person", "made_by").first()
    return link if link is not None and link.fits_person and _is_backed(link) else None


def _is_backed(link: SignInLink) -> bool:
    """Whether the person who made a study's link may still make it; apps that import this one decide."""
    return not link.study or all(part.is_backed(link) for part in parts())


def revoke_links(person: Person, actor: Person | None, study: str = "") -> int:
    """End all open links of `person`, or those of a study; return how many there were."""
    with transaction.atomic():
        links = open_links().filter(person=person)
        if study:
            links = links.filter(study=study)
        ended = links.update(revoked_at=database_now())
        if ended:
            record("sign-in links revoked", actor=actor, about=person, study=study, new={"links": ended})
    return ended
