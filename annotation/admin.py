"""The admin of a study's rows that nobody changes: evidence and what was made once. Staff see the studies they run.

What a member of staff may do follows from their memberships, as on every other page, not from permissions. What
researchers change in the admin is in `managing.administration`.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.functional import cached_property

from accounts.access import person_of
from accounts.admin import GuardedAdmin, OperatorsOnly, PersonAdmin, ReadOnlyAdmin
from accounts.models import Person
from annotation.access import RESEARCHERS, studies_of
from annotation.blinded_rows import shown_rows
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
        if self.value() is None:
            return queryset
        named = Study.objects.filter(slug=self.value()).values("pk")
        return queryset.filter(**{f"{self.study_path}__in": named})


class LimitedPaginator(Paginator):
    """Pages of a list that is counted up to `most` rows only, so that a page costs the same in a study of any size."""

    most = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by().values("pk")[: self.most + 1].count())


class StudyScopedAdmin(GuardedAdmin):
    """Rows of the studies that this person runs, read-only unless a class below says otherwise.

    `study_path` is the way from the model to its study.
    """

    study_path = "study"
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    paginator = LimitedPaginator

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        given = list(self.list_filter)
        return given if self.model is Study or StudyFilter in given else [StudyFilter, *given]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = shown_rows(super().get_queryset(request), self.study_path)
        person = person_of(request)
        if person.is_superuser:
            return rows
        return rows.filter(**{f"{self.study_path}__in": studies_of(person, RESEARCHERS).values("pk")})

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
    list_display = ["key", "item", "position"]
    sortable_by = ["item", "position"]
    search_fields = ["item__key"]  # a search by its key would tell who wrote a blinded output
    list_select_related = ["item"]
    ordering = ["pk"]


@admin.register(TaskOutput)
class TaskOutputAdmin(StudyScopedAdmin):
    study_path = "task__item__study"
    list_display = ["id", "task_id", "output", "position"]
    list_select_related = ["output"]
    ordering = ["pk"]


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
    list_display = ["key", "rater", "task_id", "created_at", "seen_at", "flag"]
    search_fields = ["rater__name", "task__item__key"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(DraftConflict)
class DraftConflictAdmin(StudyScopedAdmin):
    study_path = "assignment__rater__study"
    list_display = ["id", "assignment_id", "base_version", "saved_at"]
    ordering = ["-pk"]


@admin.register(Annotation)
class AnnotationAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "task_id", "rater", "revision", "is_current", "status", "surplus", "submitted_at"]
    list_filter = ["status", "surplus", "is_current"]
    plain_filters = ("status", "surplus", "is_current")
    search_fields = ["rater__name", "task__item__key"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(Rating)
class RatingAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "question", "rater", "item", "output", "value", "is_current", "submitted_at"]
    list_filter = ["level", "is_current", "off_scale"]
    plain_filters = ("level", "is_current", "off_scale")
    search_fields = ["rater__name", "item__key"]
    list_select_related = ["study", "question__study", "rater", "item", "output"]
    ordering = ["-pk"]


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
    list_display = ["id", "rating_id", "index", "number", "is_current", "verdict", "reason", "by", "at"]
    list_filter = ["verdict", "is_current"]
    plain_filters = ("verdict", "is_current")
    search_fields = ["reason", "rating__item__key"]
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(Adjudication)
class AdjudicationAdmin(StudyScopedAdmin):
    study_path = "item__study"
    list_display = ["item", "question", "value", "reason", "number", "is_current", "by", "at"]
    list_filter = ["is_current"]
    plain_filters = ("is_current",)
    search_fields = ["item__key", "reason"]
    list_select_related = ["item", "question__study", "by"]
    ordering = ["-pk"]


@admin.register(SpotCheck)
class SpotCheckAdmin(StudyScopedAdmin):
    study_path = "annotation__rater__study"
    list_display = ["id", "annotation_id", "number", "is_current", "verdict", "note", "by", "at", "seen_at"]
    list_filter = ["verdict", "is_current"]
    plain_filters = ("verdict", "is_current")
    search_fields = ["note", "annotation__rater__name"]
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(FlagAnswer)
class FlagAnswerAdmin(StudyScopedAdmin):
    study_path = "assignment__rater__study"
    list_display = ["id", "assignment_id", "number", "is_current", "outcome", "note", "by", "at", "seen_at"]
    list_filter = [StudyFilter, "outcome", "is_current"]
    plain_filters = ("outcome", "is_current")
    search_fields = ["note", "flag", "assignment__rater__name"]
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(ReadComments)
class ReadCommentsAdmin(StudyScopedAdmin):
    list_display = ["study", "through", "by", "at"]
    list_select_related = ["study", "by"]
    ordering = ["-pk"]
