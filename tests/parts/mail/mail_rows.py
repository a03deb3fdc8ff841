"""A row of each table of e-mail, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import Invitation
from config.background.rows import Status
from parts.mail.models import MailAddress, OutgoingMail, RefusedAddress


def add_mail_rows(study, person):
    """An address of the person, a mail to them, and an invitation by mail that was sent."""
    now = timezone.now()
    address, _ = MailAddress.objects.get_or_create(
        person=person, defaults={"address": "canary-address@mail.example", "confirmed_at": now}
    )
    refused, _ = RefusedAddress.objects.get_or_create(digest="d")
    ended = {"status": Status.DONE, "ended_at": now, "sent_at": now, "study": study}
    mail = OutgoingMail.objects.create(kind="reminder", person=person, occasion=f"reminder {study.pk}", **ended)
    invitation = Invitation.objects.filter(study=study).order_by("pk").first()
    OutgoingMail.objects.create(kind="invitation", invitation_pk=invitation.pk, salt="CANARY-SALT", **ended)
    return {"mailaddress": address, "refusedaddress": refused, "outgoingmail": mail}
