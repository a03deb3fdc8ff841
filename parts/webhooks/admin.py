"""Admin of webhooks, read-only, for the people who run the study; how far the audit was read, for operators."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from annotation.admin import StudyScopedAdmin
from parts.webhooks.models import AuditPosition, FinishedWork, Webhook, WebhookDelivery


@admin.register(Webhook)
class WebhookAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "address", "created_at", "failures", "disabled_at"]
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["salt", "secret_hash"]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(StudyScopedAdmin):
    study_path = "webhook__study"
    list_display = ["id", "webhook", "event", "status", "response_status", "tries", "reason", "created_at", "ended_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["webhook__study"]
    ordering = ["-pk"]
    exclude = ["token"]


@admin.register(FinishedWork)
class FinishedWorkAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "item"]
    list_select_related = ["study", "item"]
    ordering = ["-pk"]


@admin.register(AuditPosition)
class AuditPositionAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "through", "candidate", "transaction"]
