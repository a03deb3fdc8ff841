"""Admin of hidden checks, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.checks.models import CheckItem, CheckLook, DueCheck, FiledCheck, RaterNotice


@admin.register(CheckItem)
class CheckItemAdmin(StudyScopedAdmin):
    study_path = "item__study"
    list_display = ["id", "kind", "source", "damage", "created_at"]
    list_filter = ["kind"]
    plain_filters = ("kind",)
    list_select_related = ["source"]
    ordering = ["-pk"]
    exclude = ["damaged", "expected"]


@admin.register(CheckLook)
class CheckLookAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "given", "judged_through"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(RaterNotice)
class RaterNoticeAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "share", "number", "paused", "at", "answered_at"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(FiledCheck)
class FiledCheckAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "rater"]
    list_select_related = ["study", "rater"]
    ordering = ["-pk"]
    exclude = ["line"]


@admin.register(DueCheck)
class DueCheckAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "number", "task"]
    list_select_related = ["rater", "task__item"]
    ordering = ["-pk"]
