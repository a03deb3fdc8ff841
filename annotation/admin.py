"""The admin of a study's rows that nobody changes: evidence and what was made once. Staff see the studies they run.

What a member of staff may do follows from their memberships, as on every other page, not from permissions. What
researchers change in the admin is in `managing.administration`.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from accounts.access import person_of
from accounts.admin import GuardedAdmin, OperatorsOnly, PersonAdmin, ReadOnlyAdmin
from accounts.limited_pages import LimitedList, LimitedPaginator, unsorted
from accounts.models import Person
from annotation.access import RESEARCHERS, studies_of
from annotation.blinded_rows import shown_rows
from annotation.large_lists import exactly, in_studies, named
from annotation.members.revoking import revoke_lapsed_grants
from annotation.models import (
    Adjudication,
    Annotation,
    Assignment,
    Batch,
    DraftConflict,
    DrawnAnswer,
    FlagAnswer,
    Guideline,
    ItemCopy,
    KeptResponse,
    Output,
    Project,
    Question,
    Rating,
    ReadComments,
    Reviewer,
    SpanReview,
    SpotCheck,
    Study,
    StudyCounts,
    StudyDeletion,
    TaskOutput,
    TaskPreparation,
    TokenStudy,
    Unblinding,
    WrittenExample,
)

MOST_OFFERED = 200


class StudyFilter(admin.SimpleListFilter):
    """Filter by study, offering only studies that this person may see; Django's own filter would name them all."""

    title = "study"
    parameter_name = "of"

    def __init__(self, request: HttpRequest, params: Any, model: type[Model], model_admin: Any) -> None:
        self.study_path: str = model_admin.study_path
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        newest = studies_of(person_of(request), RESEARCHERS).order_by("-pk")[:MOST_OFFERED]
        return [(study.slug, str(study)) for study in newest]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """All rows: the admin's own queryset is limited to the chosen study, so that the database joins no others."""
        return queryset


class StudyScopedAdmin(GuardedAdmin):
    """Rows of the studies that this person runs, read-only unless a class below says otherwise.

    `study_path` is the way from the model to its study. A list that `is_large` cannot be sorted. Its search finds rows
    by whole texts at `search_fields`, which have indexes, and by words in `search_texts`, which people have written.
    """

    study_path = "study"
    search_texts: tuple[str, ...] = ()
    is_large = False
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    paginator = LimitedPaginator

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        given = list(self.list_filter)
        return given if self.model is Study or StudyFilter in given else [StudyFilter, *given]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = shown_rows(super().get_queryset(request), self.study_path)
        studies = self.studies_shown(request)
        return rows if studies is None else rows.filter(in_studies(self.model, self.study_path, studies))

    def studies_shown(self, request: HttpRequest) -> Any:
        """The studies that the person runs, or that they have chosen of these, as of `named`; None for all there are.

        Read once per request.
        """
        chosen, person = request.GET.get(StudyFilter.parameter_name), person_of(request)
        if chosen is None and person.is_superuser:
            return None
        if not hasattr(request, "studies_shown"):
            studies = studies_of(person, RESEARCHERS)
            request.studies_shown = named(studies if chosen is None else studies.filter(slug=chosen))  # type: ignore[attr-defined]
        return request.studies_shown  # type: ignore[attr-defined]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term or not self.is_large:
            return super().get_search_results(request, queryset, search_term)
        studies, found = self.studies_shown(request), Q(pk__in=[])
        for path in self.search_fields:
            found |= exactly(self.model, str(path), term, studies)
        for name in self.search_texts:
            found |= Q(**{f"{name}__icontains": term})
        return queryset.filter(found), False

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(unsorted(request) if self.is_large else request, extra_context)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[LimitedList]:
        return LimitedList

    def get_sortable_by(self, request: HttpRequest) -> Any:
        return () if self.is_large else super().get_sortable_by(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.is_active and person_of(request).is_staff

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


admin.site.unregister(Person)


@admin.register(Person)
class MemberAdmin(PersonAdmin):
    """People, as `accounts` shows them; what they granted in studies ends with their rights."""

    def save_model(self, request: HttpRequest, obj: Person, form: ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        revoke_lapsed_grants(obj, person_of(request))


@admin.register(Guideline)
class GuidelineAdmin(StudyScopedAdmin):
    list_display = ["study", "number", "created_at"]
    list_select_related = ["study"]


@admin.register(Question)
class QuestionAdmin(StudyScopedAdmin):
    list_display = ["study", "position", "key", "type", "required"]
    list_filter = ["type"]
    plain_filters = ("type",)
    search_fields = ["key", "text"]
    list_select_related = ["study"]


@admin.register(Output)
class OutputAdmin(StudyScopedAdmin):
    study_path = "item__study"
    is_large = True
    search_help_text = "Finds exactly this item id."
    list_display = ["key", "item", "position"]
    search_fields = ["item__key"]  # a search by its key would tell who wrote a blinded output
    list_select_related = ["item"]
    ordering = ["item_id", "pk"]


@admin.register(TokenStudy)
class TokenStudyAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "token", "study"]
    list_select_related = ["token__study", "token__made_by", "study"]
    ordering = ["-pk"]


@admin.register(KeptResponse)
class KeptResponseAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "caller", "study", "status", "begun_at"]
    list_select_related = ["study"]
    exclude = ["body", "headers"]
    ordering = ["-pk"]


@admin.register(TaskOutput)
class TaskOutputAdmin(StudyScopedAdmin):
    study_path = "task__item__study"
    is_large = True
    list_display = ["id", "task_id", "output", "position"]
    list_select_related = ["output"]
    ordering = ["task__item_id", "pk"]


@admin.register(TaskPreparation)
class TaskPreparationAdmin(StudyScopedAdmin):
    study_path = "study"
    list_display = ["id", "study", "status", "done", "total", "goes_live", "person", "created_at", "reason"]
    list_filter = [StudyFilter, "status"]
    plain_filters = ("status",)
    list_select_related = ["study", "person"]
    ordering = ["-pk"]


@admin.register(Assignment)
class AssignmentAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    is_large = True
    search_help_text = "Finds exactly this rater or item id."
    list_display = ["key", "rater", "task_id", "created_at", "seen_at", "flag"]
    search_fields = ["rater__name", "task__item__key"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(DraftConflict)
class DraftConflictAdmin(StudyScopedAdmin):
    study_path = "assignment__rater__study"
    is_large = True
    list_display = ["id", "assignment_id", "base_version", "saved_at"]
    ordering = ["-pk"]


@admin.register(Annotation)
class AnnotationAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    is_large = True
    search_help_text = "Finds exactly this rater or item id."
    list_display = ["id", "task_id", "rater", "revision", "is_current", "status", "surplus", "submitted_at"]
    list_filter = ["status", "surplus", "is_current"]
    plain_filters = ("status", "surplus", "is_current")
    search_fields = ["rater__name", "task__item__key"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(Rating)
class RatingAdmin(StudyScopedAdmin):
    is_large = True
    search_help_text = "Finds exactly this rater or item id."
    list_display = ["id", "study", "question", "rater", "item", "output", "value", "is_current", "submitted_at"]
    list_filter = ["level", "is_current", "off_scale"]
    plain_filters = ("level", "is_current", "off_scale")
    search_fields = ["rater__name", "item__key"]
    list_select_related = ["study", "question__study", "rater", "item", "output"]
    ordering = ["-study_id", "-submitted_at", "-pk"]  # by an index: by the key alone, all ratings would be sorted


@admin.register(WrittenExample)
class WrittenExampleAdmin(StudyScopedAdmin):
    list_display = ["position", "study", "item_key", "values", "rationale"]
    search_fields = ["item_key"]
    list_select_related = ["study"]
    ordering = ["study", "position"]


@admin.register(StudyCounts)
class StudyCountsAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "subject", "status", "read_at", "seconds", "reason"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(ItemCopy)
class ItemCopyAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "status", "items", "reason"]
    list_filter = ["status"]
    plain_filters = ("status",)
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(StudyDeletion)
class StudyDeletionAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["id", "slug", "status", "asked_by", "reason"]
    list_select_related = ["asked_by"]
    ordering = ["-pk"]


@admin.register(DrawnAnswer)
class DrawnAnswerAdmin(StudyScopedAdmin):
    study_path = "counts__study"
    is_large = True
    list_display = ["counts", "place", "task", "rater", "is_open"]
    list_select_related = ["counts", "task__item", "rater"]
    ordering = ["-counts", "place"]


@admin.register(Unblinding)
class UnblindingAdmin(StudyScopedAdmin):
    list_display = ["study", "at", "by", "reason"]
    list_select_related = ["study", "by"]
    ordering = ["-pk"]


@admin.register(Project)
class ProjectAdmin(StudyScopedAdmin):
    study_path = "studies"
    list_display = ["name", "created_at"]
    search_fields = ["name"]
    ordering = ["name", "pk"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).distinct()


@admin.register(Batch)
class BatchAdmin(StudyScopedAdmin):
    list_display = ["study", "number", "released_at", "released_by"]
    list_select_related = ["study", "released_by"]
    ordering = ["-pk"]


@admin.register(Reviewer)
class ReviewerAdmin(StudyScopedAdmin):
    list_display = ["name", "study", "person"]
    search_fields = ["name"]
    list_select_related = ["study", "person"]


@admin.register(SpanReview)
class SpanReviewAdmin(StudyScopedAdmin):
    study_path = "rating__study"
    is_large = True
    search_help_text = "Finds exactly this item id, and words in the reason."
    list_display = ["id", "rating_id", "index", "number", "is_current", "verdict", "reason", "by", "at"]
    list_filter = ["verdict", "is_current"]
    plain_filters = ("verdict", "is_current")
    search_fields = ["rating__item__key"]
    search_texts = ("reason",)
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(Adjudication)
class AdjudicationAdmin(StudyScopedAdmin):
    study_path = "item__study"
    is_large = True
    search_help_text = "Finds exactly this item id, and words in the reason."
    list_display = ["item", "question", "value", "reason", "number", "is_current", "by", "at"]
    list_filter = ["is_current"]
    plain_filters = ("is_current",)
    search_fields = ["item__key"]
    search_texts = ("reason",)
    list_select_related = ["item", "question__study", "by"]
    ordering = ["-pk"]


@admin.register(SpotCheck)
class SpotCheckAdmin(StudyScopedAdmin):
    study_path = "annotation__rater__study"
    is_large = True
    search_help_text = "Finds exactly this rater, and words in the note."
    list_display = ["id", "annotation_id", "number", "is_current", "verdict", "note", "by", "at", "seen_at"]
    list_filter = ["verdict", "is_current"]
    plain_filters = ("verdict", "is_current")
    search_fields = ["annotation__rater__name"]
    search_texts = ("note",)
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(FlagAnswer)
class FlagAnswerAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    is_large = True
    search_help_text = "Finds exactly this rater, and words in the flag and the note."
    list_display = ["id", "rater", "task_id", "number", "is_current", "outcome", "note", "by", "at", "seen_at"]
    list_filter = [StudyFilter, "outcome", "is_current"]
    plain_filters = ("outcome", "is_current")
    search_fields = ["rater__name"]
    search_texts = ("note", "flag")
    list_select_related = ["rater", "by"]
    ordering = ["-pk"]


@admin.register(ReadComments)
class ReadCommentsAdmin(StudyScopedAdmin):
    list_display = ["study", "through", "by", "at"]
    list_select_related = ["study", "by"]
    ordering = ["-pk"]
