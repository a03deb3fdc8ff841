"""Admin of kept reports and exports, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from reports.models import KeptExport, KeptReport


@admin.register(KeptReport)
class KeptReportAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "kind", "choices", "status", "read_at", "seconds", "reason", "frozen_as"]
    list_filter = ["kind", "status"]
    plain_filters = ("kind", "status")
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(KeptExport)
class KeptExportAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "form", "status", "read_at", "size", "sha256", "has_file", "removed_at", "reason"]
    list_filter = ["form", "status"]
    plain_filters = ("form", "status")
    list_select_related = ["study"]
    ordering = ["-pk"]
