"""The audit in the admin, with codes for the systems of blinded studies."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.admin import AuditEntryAdmin
from accounts.models import AuditEntry
from annotation.blinded_rows import shown_entries

admin.site.unregister(AuditEntry)


@admin.register(AuditEntry)
class ShownAuditAdmin(AuditEntryAdmin):
    """The whole audit, as `accounts` shows it, without the names that blinded studies hide."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return shown_entries(super().get_queryset(request))
