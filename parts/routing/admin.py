"""Admin of routing, read-only, for operators: lanes and quotas of a rater say what they answered about themselves."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from parts.routing.models import QuotaMember, RoutedRater, RoutingQuota


@admin.register(RoutedRater)
class RoutedRaterAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "rater", "lanes", "at"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(RoutingQuota)
class RoutingQuotaAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "study", "rater", "key", "most", "taken"]
    list_select_related = ["study", "rater"]
    ordering = ["-pk"]


@admin.register(QuotaMember)
class QuotaMemberAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "rater", "quota"]
    list_select_related = ["rater", "quota__study"]
    ordering = ["-pk"]
