"""Admin of people's way into studies, read-only. What people said about themselves only operators see."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from annotation.admin import StudyScopedAdmin
from parts.way_in.models import Consent, ConsentVersion, PersonalReply, PracticeAnswer, StepPassage


@admin.register(ConsentVersion)
class ConsentVersionAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "number", "on_withdrawal", "created_at"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(Consent)
class ConsentAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "version", "agreed_at"]
    list_select_related = ["rater__study", "version__study"]
    ordering = ["-pk"]


@admin.register(StepPassage)
class StepPassageAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "step", "attempt", "outcome", "opened_at", "ended_at"]
    list_filter = ["outcome"]
    plain_filters = ("outcome",)
    list_select_related = ["rater__study"]
    ordering = ["-pk"]
    exclude = ["tasks"]


@admin.register(PracticeAnswer)
class PracticeAnswerAdmin(StudyScopedAdmin):
    study_path = "passage__rater__study"
    list_display = ["id", "passage", "number", "item", "submitted_at"]
    list_select_related = ["passage__rater__study", "item"]
    ordering = ["-pk"]
    exclude = ["shown", "answers"]


@admin.register(PersonalReply)
class PersonalReplyAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "study", "step", "question", "given_at"]
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["value"]
