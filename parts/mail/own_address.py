"""A person's own address: set, confirmed by a link, removed; and which mails they want. The audit has no address."""

from datetime import timedelta

from django.db import transaction
from django.utils.translation import gettext

from accounts.auditing import record
from accounts.models import Person
from config.background.kinds import works
from config.background.waking import enqueue
from config.database_clock import database_now
from parts.mail.mail_links import address_digest
from parts.mail.models import MailAddress, MailKind, OutgoingMail, RefusedAddress

WORK_KEY = "outgoing_mail"
DAY = timedelta(days=1)
MOST_CONFIRMATIONS = 5
"""Confirmations that a person may ask for per day."""
KINDS = (MailKind.REMINDER, MailKind.BATCH, MailKind.NOTES)
"""What a person can switch off."""


class MailAddressRefusedError(Exception):
    """No confirmation can be sent now; the message says why."""


def address_row(person: Person) -> MailAddress | None:
    """The person's row, if they ever set an address."""
    return MailAddress.objects.filter(person=person).first()


def set_address(person: Person, address: str) -> None:
    """Ask the owner of `address` to confirm it; nothing else is sent there. Raises MailAddressRefusedError."""
    with transaction.atomic():
        Person.objects.select_for_update(no_key=True).get(pk=person.pk)
        asked = OutgoingMail.objects.filter(
            kind=MailKind.CONFIRMATION, person=person, created_at__gt=database_now() - DAY
        )
        if asked.count() >= MOST_CONFIRMATIONS:
            raise MailAddressRefusedError(
                gettext("You have asked for several confirmations today. Try again tomorrow.")
            )
        if RefusedAddress.objects.filter(digest=address_digest(address)).exists():
            raise MailAddressRefusedError(gettext("The owner of this address wants no mail from this site."))
        if not MailAddress.objects.filter(person=person).update(pending=address):
            MailAddress.objects.create(person=person, pending=address)
        record("mail address set", actor=person)
        enqueue(works()[WORK_KEY], OutgoingMail.objects.create(kind=MailKind.CONFIRMATION, person=person))


def confirm_address(row: int, digest: str) -> bool:
    """Make a pending address the person's; False if they have set another one since."""
    with transaction.atomic():
        found = MailAddress.objects.select_for_update(of=("self",), no_key=True).filter(pk=row).first()
        if found is None or not found.pending or address_digest(found.pending) != digest:
            return False
        found.address, found.pending, found.confirmed_at = found.pending, "", database_now()
        found.save(update_fields=["address", "pending", "confirmed_at"])
        record("mail address confirmed", actor=found.person)
    return True


def remove_address(person: Person) -> bool:
    """Delete the person's address; return whether there was one. Nothing is sent to it any more."""
    with transaction.atomic():
        gone, _ = MailAddress.objects.filter(person=person).delete()
        if gone:
            record("mail address removed", actor=person)
    return bool(gone)


def choose_mails(row: MailAddress, actor: Person | None, **wanted: bool) -> bool:
    """Change which kinds of mail come, each by its key; return whether any was different."""
    fields = {f"wants_{kind}": value for kind, value in wanted.items()}
    with transaction.atomic():
        now = MailAddress.objects.select_for_update(of=("self",), no_key=True).get(pk=row.pk)
        old = {name: getattr(now, name) for name in fields}
        if old == fields:
            return False
        MailAddress.objects.filter(pk=row.pk).update(**fields)
        record("mails chosen", actor=actor, about=now.person, old=old, new=fields)
    return True
