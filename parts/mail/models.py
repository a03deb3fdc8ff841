"""The tables of e-mail: people's addresses and choices, addresses that refuse invitations, and mails to be sent."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models import Study
from config.background.rows import Row
from config.database_clock import database_now
from config.folded_text import folded_column

LONGEST_ADDRESS = 254


class MailKind(models.TextChoices):
    INVITATION = "invitation", "Invitation"
    CONFIRMATION = "confirmation", "Confirmation of an address"
    REMINDER = "reminder", "Reminder"
    BATCH = "batch", "New tasks"
    NOTES = "notes", "Notes and messages"
    PASSWORD = "password", "New password"


class MailAddress(models.Model):
    """A person's own address, once they have confirmed it, and which mails they want."""

    person = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="mail_address")
    address = models.CharField(max_length=LONGEST_ADDRESS, blank=True, help_text="confirmed; empty: nothing is sent")
    address_folded = folded_column("address", LONGEST_ADDRESS)
    pending = models.CharField(max_length=LONGEST_ADDRESS, blank=True, help_text="not confirmed yet")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    wants_reminder = models.BooleanField(default=True)
    wants_batch = models.BooleanField(default=True)
    wants_notes = models.BooleanField(default=True)

    class Meta:
        verbose_name_plural = "mail addresses"
        indexes = [models.Index(fields=["address_folded"], name="mail_address_folded")]
        constraints = [
            models.CheckConstraint(
                condition=Q(address="", confirmed_at__isnull=True) | (~Q(address="") & Q(confirmed_at__isnull=False)),
                name="mail_address_confirmed",
            ),
        ]

    def __str__(self) -> str:
        return f"mail address of person {self.person_id}"


class RefusedAddress(models.Model):
    """An address whose owner wants no invitations from this site: a keyed hash, from which nobody reads it."""

    digest = models.CharField(max_length=64, unique=True)
    at = models.DateTimeField(default=database_now)

    class Meta:
        verbose_name_plural = "refused addresses"

    def __str__(self) -> str:
        return f"refused address {self.pk}"


class OutgoingMail(Row):
    """A mail that a worker writes and sends. It has no text, and no address but that of an invitation.

    The address of an invitation is emptied when the row ends. All others are read from the person when it is sent. For
    a new password it has what somebody typed as their name or address, which may be nobody's; it is emptied, too.
    """

    kind = models.CharField(max_length=12, choices=MailKind)
    study = models.ForeignKey(Study, on_delete=models.PROTECT, null=True, blank=True, related_name="outgoing_mails")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    invitation_pk = models.BigIntegerField(
        null=True, blank=True, help_text="primary key of the invitation that it sends"
    )
    address = models.CharField(max_length=LONGEST_ADDRESS, blank=True, help_text="of an invitation, until it is sent")
    salt = models.CharField(max_length=64, blank=True, editable=False, help_text="makes an invitation's link")
    occasion = models.CharField(
        max_length=100, null=True, blank=True, unique=True, help_text="what it tells, which is told once"
    )
    message_id = models.UUIDField(default=uuid.uuid4, editable=False)
    tries = models.PositiveIntegerField(default=0, help_text="how often it was sent")
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta(Row.Meta):
        indexes = [
            *Row.Meta.indexes,
            models.Index(fields=["study", "kind", "person", "created_at"], name="outgoing_mail_of_study"),
        ]
        constraints = [
            *Row.Meta.constraints,
            models.CheckConstraint(
                condition=Q(kind="invitation", person__isnull=True, invitation_pk__isnull=False)
                | Q(kind="password", person__isnull=True, invitation_pk__isnull=True, study__isnull=True)
                | (
                    ~Q(kind__in=["invitation", "password"])
                    & Q(person__isnull=False, invitation_pk__isnull=True, address="")
                ),
                name="outgoing_mail_one_receiver",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
