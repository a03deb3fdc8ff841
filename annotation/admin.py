"""The admin of studies. Staff see the studies that they run; evidence is read-only; settings are few and audited.

What a member of staff may do follows from their memberships, as on every other page, not from permissions.
"""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from accounts.access import person_of
from accounts.admin import GuardedAdmin, PersonAdmin
from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS, studies_of
from annotation.blinded_rows import shown_rows
from annotation.members import membership
from annotation.members.revoking import revoke_lapsed_grants
from annotation.models import (
    Annotation,
    Assignment,
    Batch,
    DraftConflict,
    DrawnAnswer,
    Guideline,
    Invitation,
    Item,
    JudgeRun,
    Membership,
    Output,
    Project,
    Question,
    Rater,
    Rating,
    Reviewer,
    Slot,
    SpanReview,
    SpotCheck,
    Study,
    StudyCounts,
    Task,
    TaskOutput,
    Token,
    Unblinding,
    WrittenExample,
)
from annotation.studies.lifecycle import describe


class StudyFilter(admin.SimpleListFilter):
    """Filter by study, offering only studies that this person may see; Django's own filter would name them all."""

    title = "study"
    parameter_name = "of"

    def __init__(self, request: HttpRequest, params: Any, model: type[Model], model_admin: Any) -> None:
        self.study_path: str = model_admin.study_path
        super().__init__(request, params, model, model_admin)

    def lookups(self, request: HttpRequest, model_admin: Any) -> Iterable[tuple[str, str]]:
        return [(study.slug, str(study)) for study in studies_of(person_of(request), RESEARCHERS).order_by("slug")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() is None:
            return queryset
        named = Study.objects.filter(slug=self.value()).values("pk")
        return queryset.filter(**{f"{self.study_path}__in": named})


class StudyScopedAdmin(GuardedAdmin):
    """Rows of the studies that this person runs, read-only unless a class below says otherwise.

    `study_path` is the way from the model to its study.
    """

    study_path = "study"
    list_filter = [StudyFilter]
    show_full_result_count = False
    list_per_page = 50

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


@admin.register(Study)
class StudyAdmin(StudyScopedAdmin):
    """Title, description and contact can be edited here, the status on the study's page, the rest nowhere."""

    study_path = "pk"
    list_display = ["slug", "title", "status", "protocol", "redundancy", "created_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["slug", "title"]
    fields = [
        "slug", "title", "description", "contact", "language", "protocol", "redundancy", "options", "systems",
        "judges", "status", "planned_through", "created_at",
    ]  # fmt: skip
    readonly_fields = [
        "slug", "language", "protocol", "redundancy", "options", "systems", "judges", "status", "planned_through",
        "created_at",
    ]  # fmt: skip

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def save_model(self, request: HttpRequest, obj: Study, form: ModelForm, change: bool) -> None:
        describe(obj, person_of(request), title=obj.title, description=obj.description, contact=obj.contact)


@admin.register(Membership)
class MembershipAdmin(StudyScopedAdmin):
    """Only whether a membership is active can be changed here, by the study's owners; roles on the people page."""

    list_display = ["person", "study", "role", "active", "created_at"]
    list_filter = [StudyFilter, "role", "active"]
    plain_filters = ("role", "active")
    search_fields = ["person__username", "person__full_name"]
    list_select_related = ["person", "study"]
    fields = ["person", "study", "role", "active", "created_at"]
    readonly_fields = ["person", "study", "role", "created_at"]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        if not isinstance(obj, Membership):
            return self.has_module_permission(request)
        return studies_of(person_of(request), OWNERS).filter(pk=obj.study_id).exists()

    def save_model(self, request: HttpRequest, obj: Membership, form: ModelForm, change: bool) -> None:
        step = membership.restore_member if obj.active else membership.deactivate_member
        try:
            step(obj, person_of(request))
        except membership.MembershipRefusedError as problem:
            messages.error(request, str(problem))


@admin.register(Guideline)
class GuidelineAdmin(StudyScopedAdmin):
    list_display = ["study", "number", "created_at"]
    list_select_related = ["study"]


@admin.register(Question)
class QuestionAdmin(StudyScopedAdmin):
    list_display = ["study", "position", "key", "type", "required"]
    list_filter = [StudyFilter, "type"]
    plain_filters = ("type",)
    search_fields = ["key", "text"]
    list_select_related = ["study"]


@admin.register(Invitation)
class InvitationAdmin(StudyScopedAdmin):
    list_display = ["study", "role", "note", "created_by", "created_at", "expires_at", "accepted_by", "revoked_at"]
    list_filter = [StudyFilter, "role"]
    plain_filters = ("role",)
    search_fields = ["note"]
    list_select_related = ["study", "created_by", "accepted_by"]
    exclude = ["token_hash"]


@admin.register(Rater)
class RaterAdmin(StudyScopedAdmin):
    list_display = ["name", "kind", "study", "person", "created_at"]
    list_filter = [StudyFilter, "kind"]
    plain_filters = ("kind",)
    search_fields = ["name"]
    list_select_related = ["study", "person"]


@admin.register(Item)
class ItemAdmin(StudyScopedAdmin):
    list_display = ["key", "study", "pool", "set"]
    list_filter = [StudyFilter, "pool", "set"]
    plain_filters = ("pool", "set")
    search_fields = ["key"]
    list_select_related = ["study"]
    ordering = ["pk"]


@admin.register(Output)
class OutputAdmin(StudyScopedAdmin):
    study_path = "item__study"
    list_display = ["key", "item", "position"]
    sortable_by = ["item", "position"]
    search_fields = ["item__key"]  # a search by its key would tell who wrote a blinded output
    list_select_related = ["item"]
    ordering = ["pk"]


@admin.register(Task)
class TaskAdmin(StudyScopedAdmin):
    study_path = "item__study"
    list_display = ["id", "item", "variant"]
    search_fields = ["item__key"]
    list_select_related = ["item"]
    ordering = ["pk"]


@admin.register(TaskOutput)
class TaskOutputAdmin(StudyScopedAdmin):
    study_path = "task__item__study"
    list_display = ["id", "task_id", "output", "position"]
    list_select_related = ["output"]
    ordering = ["pk"]


@admin.register(Slot)
class SlotAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "item", "number", "state", "holder", "lease_until"]
    list_filter = [StudyFilter, "state"]
    plain_filters = ("state",)
    search_fields = ["item__key", "holder__name"]
    list_select_related = ["study", "item", "holder"]
    ordering = ["pk"]


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
    list_filter = [StudyFilter, "status", "surplus", "is_current"]
    plain_filters = ("status", "surplus", "is_current")
    search_fields = ["rater__name", "task__item__key"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(Rating)
class RatingAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "question", "rater", "item", "output", "value", "is_current", "submitted_at"]
    list_filter = [StudyFilter, "level", "is_current", "off_scale"]
    plain_filters = ("level", "is_current", "off_scale")
    search_fields = ["rater__name", "item__key"]
    list_select_related = ["study", "question", "rater", "item", "output"]
    ordering = ["-pk"]


@admin.register(JudgeRun)
class JudgeRunAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["name", "rater", "status", "counts", "price", "started_at", "ended_at", "replaced_by"]
    list_filter = [StudyFilter, "status"]
    plain_filters = ("status",)
    search_fields = ["name", "rater__name"]
    list_select_related = ["rater", "replaced_by"]
    ordering = ["-pk"]


@admin.register(WrittenExample)
class WrittenExampleAdmin(StudyScopedAdmin):
    list_display = ["position", "study", "item_key", "values", "rationale"]
    list_filter = [StudyFilter]
    search_fields = ["item_key"]
    list_select_related = ["study"]
    ordering = ["study", "position"]


@admin.register(StudyCounts)
class StudyCountsAdmin(StudyScopedAdmin):
    list_display = ["id", "study", "subject", "status", "read_at", "seconds", "reason"]
    list_filter = [StudyFilter, "status"]
    plain_filters = ("status",)
    list_select_related = ["study"]
    ordering = ["-pk"]


@admin.register(DrawnAnswer)
class DrawnAnswerAdmin(StudyScopedAdmin):
    study_path = "counts__study"
    list_display = ["counts", "place", "task", "rater", "is_open"]
    list_filter = [StudyFilter]
    list_select_related = ["counts", "task__item", "rater"]
    ordering = ["-counts", "place"]


@admin.register(Token)
class TokenAdmin(StudyScopedAdmin):
    list_display = ["name", "study", "scope", "made_by", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_filter = [StudyFilter, "scope"]
    plain_filters = ("scope",)
    search_fields = ["name"]
    list_select_related = ["study", "made_by"]
    exclude = ["token_hash"]


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
    list_filter = [StudyFilter, "verdict", "is_current"]
    plain_filters = ("verdict", "is_current")
    search_fields = ["reason", "rating__item__key"]
    list_select_related = ["by"]
    ordering = ["-pk"]


@admin.register(SpotCheck)
class SpotCheckAdmin(StudyScopedAdmin):
    study_path = "annotation__rater__study"
    list_display = ["id", "annotation_id", "number", "is_current", "verdict", "note", "by", "at", "seen_at"]
    list_filter = [StudyFilter, "verdict", "is_current"]
    plain_filters = ("verdict", "is_current")
    search_fields = ["note", "annotation__rater__name"]
    list_select_related = ["by"]
    ordering = ["-pk"]
