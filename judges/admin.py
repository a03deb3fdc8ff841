"""Admin of runs and judgments, read-only, for the people who run the study and for operators."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from judges.models import Judgment, MetricRequest, RunWork


@admin.register(RunWork)
class RunWorkAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "run", "status", "planned", "message", "created_at"]
    list_select_related = ["study", "run__rater"]
    ordering = ["-pk"]


@admin.register(MetricRequest)
class MetricRequestAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "asked_by", "status", "reason", "run", "created_at"]
    list_select_related = ["study", "asked_by", "run__rater"]
    ordering = ["-pk"]


@admin.register(Judgment)
class JudgmentAdmin(StudyScopedAdmin):
    study_path = "run__rater__study"
    is_large = True
    list_display = ["id", "run", "question", "item", "variant", "replicate", "status", "outcome", "reason"]
    list_select_related = ["run__rater", "question__study", "item"]
    ordering = ["-pk"]
