"""Admin of stop rules, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.stopping.models import ExtraPlace, FiledLook, PairCheck, ResultPeek, StopContinuation, StopLook, StopPlan


@admin.register(StopPlan)
class StopPlanAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "fixed_at", "in_time", "sha256"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(StopLook)
class StopLookAdmin(StudyScopedAdmin):
    study_path = "plan__study"
    list_display = ["id", "plan", "number", "planned", "answers", "taken_at", "decision", "status", "reason"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["plan__study"]
    ordering = ["-pk"]
    exclude = ["token"]


@admin.register(FiledLook)
class FiledLookAdmin(StudyScopedAdmin):
    list_display = ["id", "study"]
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["line"]


@admin.register(ResultPeek)
class ResultPeekAdmin(StudyScopedAdmin):
    study_path = "plan__study"
    list_display = ["id", "plan", "by", "role", "kind", "at"]
    list_select_related = ["plan__study", "by"]
    ordering = ["-pk"]


@admin.register(StopContinuation)
class StopContinuationAdmin(StudyScopedAdmin):
    study_path = "look__plan__study"
    list_display = ["id", "look", "by", "at", "reason"]
    list_select_related = ["look__plan__study", "by"]
    ordering = ["-pk"]


@admin.register(ExtraPlace)
class ExtraPlaceAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "slot", "disagreed", "made_at"]
    list_select_related = ["study", "slot"]
    ordering = ["-pk"]


@admin.register(PairCheck)
class PairCheckAdmin(StudyScopedAdmin):
    study_path = "task__item__study"
    list_display = ["id", "task_id", "status", "created_at", "ended_at", "reason"]
    list_filter = ["status"]
    plain_filters = ("status",)
    ordering = ["-pk"]
    exclude = ["token"]
