"""Admin of dry runs, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.dry_runs.models import StudyDryRun


@admin.register(StudyDryRun)
class DryRunAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "source_pk", "status", "answers", "created_at", "ended_at", "reason"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["token"]
