"""Admin of indexes, trial searches and uploaded papers, read-only, for the people who run the study."""

from django.contrib import admin

from accounts.admin import RecentValues
from annotation.admin import StudyScopedAdmin
from retrieval.models import IndexBuild, PaperUpload, TrialSearch


@admin.register(IndexBuild)
class IndexBuildAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "searcher", "number", "status", "is_current", "done", "total", "reason", "ended_at"]
    list_filter = [("searcher", RecentValues), "status", "is_current"]
    plain_filters = ("searcher", "status", "is_current")
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(TrialSearch)
class TrialSearchAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "item", "query", "k", "status", "searcher", "index", "asked_by", "created_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["query"]
    list_select_related = ["study", "item", "asked_by"]
    ordering = ["-pk"]


@admin.register(PaperUpload)
class PaperUploadAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "item_key", "status", "done", "reason", "asked_by", "created_at", "ended_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["study", "asked_by"]
    ordering = ["-pk"]
