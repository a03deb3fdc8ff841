"""Admin of calls and budgets, read-only, for the people who run the study and for operators."""

from django.contrib import admin

from accounts.admin import OperatorsOnly, ReadOnlyAdmin
from annotation.admin import StudyScopedAdmin
from llm.models import Budget, Call, Completion, EndpointState, ModelState, Reservation, Stop, StudyPrompt


@admin.register(Call)
class CallAdmin(StudyScopedAdmin):
    is_large = True
    search_help_text = "Finds exactly this run or work."
    list_display = [
        "id", "study", "run", "work", "step", "endpoint", "model", "status", "kind", "tokens_in", "tokens_out",
        "price_charged", "started_at",
    ]  # fmt: skip
    # Filters and searches by endpoint or model would tell which model wrote a blinded output.
    list_filter = ["status", "other_model", "usage_missing"]
    plain_filters = ("status", "other_model", "usage_missing")
    search_fields = ["run", "work"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(EndpointState)
class EndpointStateAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["name", "lane", "failures", "pauses", "open_until", "message"]


@admin.register(ModelState)
class ModelStateAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["digest", "unopened"]


@admin.register(Budget)
class BudgetAdmin(StudyScopedAdmin):
    list_display = ["study", "run", "person", "cap", "reserved", "spent", "created_at"]
    search_fields = ["run"]
    list_select_related = ["study", "person"]
    ordering = ["pk"]


@admin.register(Reservation)
class ReservationAdmin(StudyScopedAdmin):
    is_large = True
    search_help_text = "Finds exactly this run."
    list_display = ["id", "study", "run", "amount", "left", "created_at", "lease_until", "closed_at"]
    search_fields = ["run"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(Stop)
class StopAdmin(StudyScopedAdmin):
    list_display = ["study", "run", "stopped_at", "stopped_by", "lifted_at"]
    search_fields = ["run"]
    list_select_related = ["study", "stopped_by"]
    ordering = ["-pk"]


@admin.register(StudyPrompt)
class StudyPromptAdmin(StudyScopedAdmin):
    list_display = ["study", "key", "number", "created_at", "created_by"]
    search_fields = ["key"]
    list_select_related = ["study", "created_by"]
    ordering = ["-pk"]


@admin.register(Completion)
class CompletionAdmin(StudyScopedAdmin):
    is_large = True
    search_help_text = "Finds exactly this run."
    list_display = ["id", "study", "run", "model", "status", "kind", "reason", "attempt", "created_at", "ended_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["run"]
    list_select_related = ["study"]
    ordering = ["-pk"]
    exclude = ["token"]
