"""Signed links in mails: to confirm an address, and to stop mails without signing in. They are stored nowhere."""

from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.urls import reverse
from django.utils.crypto import salted_hmac

from config.folded_text import folded
from config.site_address import site_address

CONFIRM, STOP = "parts.mail.confirm", "parts.mail.stop"
CONFIRM_DAYS = 3


class MailLinkDeadError(Exception):
    """The link was not made by this site, or is too old."""


@dataclass(frozen=True)
class MailStop:
    """What a link stops: mails of a kind to a person's address (`row`), or all to an address by its digest."""

    kind: str
    row: int | None
    digest: str


def address_digest(address: str) -> str:
    """What is kept of an address that refuses invitations. Upper and lower case are one address."""
    return salted_hmac("parts.mail.address", folded(address), algorithm="sha256").hexdigest()


def confirm_link(row: int, address: str) -> str:
    """The address of the page on which a person confirms a mail address."""
    token = signing.dumps([row, address_digest(address)], salt=CONFIRM)
    return site_address() + reverse("mail:confirm_address", args=[token])


def read_confirmation(token: str) -> tuple[int, str]:
    """The row and the digest of the address. Raises MailLinkDeadError."""
    row, digest = _read(token, CONFIRM, CONFIRM_DAYS * 86_400)
    return row, digest


def stop_link(kind: str, row: int | None, address: str) -> str:
    """The address that stops mails of a kind to a person, or for `row` None all invitations to an address."""
    token = signing.dumps([kind, row, "" if row else address_digest(address)], salt=STOP)
    return site_address() + reverse("mail:stop_mail", args=[token])


def read_stop(token: str) -> MailStop:
    """What a link stops. Raises MailLinkDeadError."""
    return MailStop(*_read(token, STOP, None))


def _read(token: str, salt: str, seconds: int | None) -> list[Any]:
    try:
        found: list[Any] = signing.loads(token, salt=salt, max_age=seconds)
        return found
    except signing.BadSignature:
        raise MailLinkDeadError from None
