"""What single sign-on adds: a way to the provider on the page of sign-in, and who people are there."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from accounts.models import Person
from annotation.fragments import Fragment
from config.part import Part
from parts.sign_on.erasing import ERASING
from parts.sign_on.models import OutsideIdentity


def provider_name(request: HttpRequest, **_: Any) -> Mapping[str, Any] | None:
    """What the button says; nothing without a provider."""
    return {"name": settings.OIDC.name} if settings.OIDC else None


class SignOnPart(Part):
    urls = "parts.sign_on.urls"
    annotators_pages = ("sign_on:begin", "sign_on:return")
    fragments = {"accounts.other_sign_in": (Fragment("sign_on/_button.html", provider_name),)}
    erasing = ERASING
    tables_of_the_installation = (OutsideIdentity._meta.db_table,)

    def own_data(self, person: Person) -> list[tuple[str, Iterator[dict[str, Any]]]]:
        return [("signs_in_with", _identities(person))]


def _identities(person: Person) -> Iterator[dict[str, Any]]:
    for row in OutsideIdentity.objects.filter(person=person).order_by("pk"):
        yield {"issuer": row.issuer, "subject": row.subject, "created_at": row.created_at}


PART = SignOnPart()
