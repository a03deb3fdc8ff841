"""Admin of e-mail, read-only: a study's mails without addresses; people's addresses for operators."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from annotation.admin import StudyScopedAdmin
from parts.mail.models import MailAddress, OutgoingMail, RefusedAddress


@admin.register(OutgoingMail)
class OutgoingMailAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "kind", "status", "tries", "reason", "created_at", "sent_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["token", "salt", "address", "person"]


@admin.register(MailAddress)
class MailAddressAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "person", "confirmed_at"]
    list_select_related = ["person"]
    ordering = ["-pk"]


@admin.register(RefusedAddress)
class RefusedAddressAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "at"]
    fields = ["at"]
    ordering = ["-pk"]
