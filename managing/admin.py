"""Admin of what workers count about items, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyFilter, StudyScopedAdmin
from managing.models import ItemSummary


@admin.register(ItemSummary)
class ItemSummaryAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["key", "study", "state", "raters", "answers", "machine_answers", "disagreement", "flags", "skips"]
    list_filter = [StudyFilter, "state"]
    plain_filters = ("state",)
    search_fields = ["key"]
    list_select_related = ["study"]
    ordering = ["-pk"]
