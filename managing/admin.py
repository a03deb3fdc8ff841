"""Admin of uploads, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyFilter, StudyScopedAdmin
from managing.models import ItemUpload, UploadStep


@admin.register(ItemUpload)
class ItemUploadAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["name", "study", "table", "size", "received", "has_file", "person", "begun_at"]
    list_filter = [StudyFilter, "table", "has_file"]
    plain_filters = ("table", "has_file")
    search_fields = ["name"]
    list_select_related = ["study", "person"]
    ordering = ["-pk"]


@admin.register(UploadStep)
class UploadStepAdmin(StudyScopedAdmin):
    study_path = "upload__study"
    list_display = ["id", "upload", "kind", "status", "read", "created_at", "ended_at", "reason"]
    list_filter = [StudyFilter, "kind", "status"]
    plain_filters = ("kind", "status")
    list_select_related = ["upload"]
    ordering = ["-pk"]
