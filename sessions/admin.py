"""The admin of sessions: the people who run a study can view them, and nobody can change them."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from sessions.models import LabelSample, RevisionSession, Turn, TurnLabel


@admin.register(RevisionSession)
class RevisionSessionAdmin(StudyScopedAdmin):
    is_large = True
    search_help_text = "Finds exactly this session key, item id or rater."
    list_display = ["key", "item", "rater", "model", "status", "started_at", "ended_at"]
    list_filter = ["status", "imported"]
    plain_filters = ("status", "imported")
    search_fields = ["key", "item__key", "rater__name"]
    list_select_related = ["item", "rater"]
    ordering = ["-pk"]


@admin.register(Turn)
class TurnAdmin(StudyScopedAdmin):
    study_path = "session__study"
    is_large = True
    search_help_text = "Finds exactly this session key."
    list_display = ["id", "session", "number", "kind", "status", "attempt", "discarded", "created_at", "ended_at"]
    list_filter = ["status", "kind", "discarded"]
    plain_filters = ("status", "kind", "discarded")
    search_fields = ["session__key"]
    list_select_related = ["session"]
    ordering = ["-pk"]


@admin.register(TurnLabel)
class TurnLabelAdmin(StudyScopedAdmin):
    study_path = "turn__session__study"
    is_large = True
    list_display = ["id", "turn_id", "kind", "value", "rater", "run", "replicate", "revision", "is_current", "at"]
    list_filter = ["kind", "is_current"]
    plain_filters = ("kind", "is_current")
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(LabelSample)
class LabelSampleAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "kind", "source", "size", "per_model", "seed", "made_at"]
    list_filter = ["kind", "source"]
    plain_filters = ("kind", "source")
    list_select_related = ["study"]
    ordering = ["-pk"]
