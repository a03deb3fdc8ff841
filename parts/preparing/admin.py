"""Admin of what was prepared, read-only, for the people who run the study and for operators."""

from django.contrib import admin

from annotation.admin import StudyScopedAdmin
from parts.preparing.models import (
    DocumentSample,
    InstructionTrial,
    PreparationCall,
    PreparationStep,
    PreparedText,
    SourceDocument,
    Suggestion,
)


@admin.register(DocumentSample)
class DocumentSampleAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "number", "file_name", "seed", "per_source"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(SourceDocument)
class SourceDocumentAdmin(StudyScopedAdmin):
    is_large = True
    list_display = ["id", "study", "key", "source", "words"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(InstructionTrial)
class InstructionTrialAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "number", "evaluators", "rated_in", "winner"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(PreparationStep)
class PreparationStepAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "number", "kind", "status", "message"]
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(Suggestion)
class SuggestionAdmin(StudyScopedAdmin):
    is_large = True
    list_display = ["id", "study", "document", "number", "kind", "state", "text"]
    list_select_related = ["study", "document"]
    ordering = ["-pk"]


@admin.register(PreparedText)
class PreparedTextAdmin(StudyScopedAdmin):
    is_large = True
    list_display = ["id", "study", "suggestion", "role", "key", "writer"]
    list_select_related = ["study", "suggestion"]
    ordering = ["-pk"]


@admin.register(PreparationCall)
class PreparationCallAdmin(StudyScopedAdmin):
    study_path = "step__study"
    is_large = True
    list_display = ["id", "step", "document", "status", "outcome", "reason"]
    list_select_related = ["step", "document"]
    ordering = ["-pk"]
