"""Admin of registered plans, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.preregistration.models import Preregistration


@admin.register(Preregistration)
class PreregistrationAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "number", "status", "registered_at", "sha256", "reason"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["study"]
    ordering = ["-pk"]
