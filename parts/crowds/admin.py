"""Admin of stays, read-only. Who the people are only operators see."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from annotation.admin import StudyScopedAdmin
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay, LeftParticipant


@admin.register(CrowdStay)
class CrowdStayAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "rater", "source", "entered_at", "outcome", "ended_at"]
    list_filter = ["outcome"]
    plain_filters = ("outcome",)
    list_select_related = ["study", "rater"]
    ordering = ["-pk"]
    exclude = ["code"]


@admin.register(CrowdId)
class CrowdIdAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "study", "person", "repeats"]
    list_select_related = ["study", "person"]
    ordering = ["-pk"]


@admin.register(CrowdBrowser)
class CrowdBrowserAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "study", "person", "is_public"]
    list_select_related = ["study", "person"]
    ordering = ["-pk"]
    exclude = ["key"]


@admin.register(LeftParticipant)
class LeftParticipantAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "study"]
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["digest"]
