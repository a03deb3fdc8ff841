"""Admin of kept reports, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from reports.models import KeptReport


@admin.register(KeptReport)
class KeptReportAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "kind", "choices", "status", "read_at", "seconds", "reason", "frozen_as"]
    list_filter = ["kind", "status"]
    plain_filters = ("kind", "status")
    list_select_related = ["study"]
    ordering = ["-pk"]
