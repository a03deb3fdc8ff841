"""Admin of uploads and summaries of items, read-only; what researchers change is in `managing.administration`."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from managing import administration
from managing.models import ItemLocalAlpha, ItemSummary, ItemUpload, UploadStep

__all__ = ["administration"]


@admin.register(ItemUpload)
class ItemUploadAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["name", "study", "table", "size", "received", "has_file", "person", "begun_at"]
    list_filter = ["table", "has_file"]
    plain_filters = ("table", "has_file")
    search_fields = ["name"]
    list_select_related = ["study", "person"]
    ordering = ["-pk"]


@admin.register(UploadStep)
class UploadStepAdmin(StudyScopedAdmin):
    study_path = "upload__study"
    list_display = ["id", "upload", "kind", "status", "read", "created_at", "ended_at", "reason"]
    list_filter = ["kind", "status"]
    plain_filters = ("kind", "status")
    list_select_related = ["upload"]
    ordering = ["-pk"]


@admin.register(ItemSummary)
class ItemSummaryAdmin(StudyScopedAdmin):
    is_large = True
    search_help_text = "Finds exactly this item id."
    list_display = ["key", "study", "state", "raters", "answers", "flags", "skips", "disagreement"]
    list_filter = ["state"]
    plain_filters = ("state",)
    search_fields = ["key"]
    list_select_related = ["study"]
    ordering = ["pk"]


@admin.register(ItemLocalAlpha)
class ItemLocalAlphaAdmin(StudyScopedAdmin):
    study_path = "study"
    is_large = True
    list_display = ["id", "study", "question", "item", "alpha"]
    list_select_related = ["study", "question__study", "item"]
    ordering = ["pk"]
