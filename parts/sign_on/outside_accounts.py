"""Whose account belongs to a person whom a provider has signed in: a known one, one with their e-mail, or a new one."""

import re
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from accounts.reserved_names import is_reserved
from config.folded_text import folded
from config.parts import parts
from config.text_validation import TextRefusedError, check_text
from parts.sign_on.environment import OidcProvider
from parts.sign_on.models import OutsideIdentity

ODD = re.compile(r"[^\w.@+-]+")
LONGEST_USER_NAME = 140
"""So that a number fits behind it."""


def account_of(provider: OidcProvider, claims: Mapping[str, Any]) -> Person:
    """Return the person of these claims; at their first sign-in join them to an account, or make one without rights."""
    known = _known(provider, claims["sub"])
    if known is not None:
        return known
    try:
        with transaction.atomic():
            person = _same_address(provider, claims)
            if person is None:
                person = _new_person(claims)
                record("person added", actor=None, about=person, new={"by": "oidc"})
            else:
                record("account joined with oidc", actor=None, about=person, new={"by": "e-mail"})
            OutsideIdentity.objects.create(person=person, issuer=provider.server, subject=claims["sub"])
        return person
    except IntegrityError:  # another request of theirs was quicker
        known = _known(provider, claims["sub"])
        if known is None:
            raise
        return known


def _known(provider: OidcProvider, subject: str) -> Person | None:
    identity = OutsideIdentity.objects.filter(issuer=provider.server, subject=subject).select_related("person").first()
    return identity.person if identity else None


def _same_address(provider: OidcProvider, claims: Mapping[str, Any]) -> Person | None:
    """The only person with the verified e-mail address of the claims, if the operator allows to join them.

    Guests are left out, because anyone who has their link can open their accounts.
    """
    address = claims.get("email")
    if not provider.joins_by_email or not isinstance(address, str) or not address or _is_unverified(claims):
        return None
    found = set(Person.objects.filter(email_folded=folded(address)).values_list("pk", flat=True))
    for part in parts():
        found |= set(part.people_with(address))
    people = list(Person.objects.filter(pk__in=found, is_synthetic=False, guest_of="")[:2])
    return people[0] if len(people) == 1 else None


def _is_unverified(claims: Mapping[str, Any]) -> bool:
    """Whether the provider does not say that the address is verified; a text or a number is not its word for it."""
    return claims.get("email_verified") is not True


def _new_person(claims: Mapping[str, Any]) -> Person:
    person = Person(username=_free_name(claims), full_name=_text(claims, "name")[:200])
    person.set_unusable_password()
    person.save()
    return person


def _free_name(claims: Mapping[str, Any]) -> str:
    """A user name that nobody has, like the one at the provider."""
    wished = _text(claims, "preferred_username") or _text(claims, "email")
    stem = ODD.sub("-", wished.partition("@")[0])[:LONGEST_USER_NAME].strip("-") or "person"
    if is_reserved(stem):
        stem = f"person-{stem}"[:LONGEST_USER_NAME]
    name, number = stem, 1
    while Person.objects.named(name) is not None:
        number += 1
        name = f"{stem}-{number}"
    return name


def _text(claims: Mapping[str, Any], name: str) -> str:
    given = claims.get(name)
    try:
        return check_text(given) if isinstance(given, str) else ""
    except TextRefusedError:
        return ""
