"""Admin of routing, read-only, for the people who run the study."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from annotation.models import QuotaMember, RoutedRater, RoutingQuota


@admin.register(RoutedRater)
class RoutedRaterAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "lanes", "at"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(RoutingQuota)
class RoutingQuotaAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "rater", "key", "most", "taken"]
    list_select_related = ["study", "rater"]
    ordering = ["-pk"]


@admin.register(QuotaMember)
class QuotaMemberAdmin(StudyScopedAdmin):
    study_path = "quota__study"
    list_display = ["id", "rater", "quota"]
    list_select_related = ["rater", "quota__study"]
    ordering = ["-pk"]
