"""Admin of the second stage, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.second_stage.models import SecondStageCase


@admin.register(SecondStageCase)
class SecondStageCaseAdmin(StudyScopedAdmin):
    study_path = "item__study"
    list_display = ["id", "item", "rater", "taken_at", "done_at"]
    list_select_related = ["item", "rater"]
    ordering = ["-pk"]
