"""The operator's admin of people and the audit. Nothing is deleted here, and every change is audited."""

import re
from collections.abc import Collection, Iterator
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from accounts.access import person_of
from accounts.auditing import record
from accounts.limited_pages import LimitedList, LimitedPaginator, unsorted
from accounts.models import (
    AuditEntry,
    Identity,
    KnownAddress,
    Person,
    SecondFactor,
    SignInLink,
    WrongTryCount,
)
from accounts.second_factor import reset_second_factor
from accounts.sign_in_links import revoke_links
from config.folded_text import folded
from config.models import Erasure, QueueTurn, Worker

# Rights come from memberships in studies. A group would be a second way to get them, past the audit.
admin.site.unregister(Group)

IDENTIFYING = ("username", "full_name", "email")
"""Fields of a person that the audit does not repeat, because they could not be erased there."""
NUMBER = re.compile("[0-9]{1,18}")


class GuardedAdmin(admin.ModelAdmin):
    """Base of all our admins: no deletion, no actions but their own, and no lookups except those of the filters shown.

    Django lets a list be filtered by any field of its model, so the number of rows would answer a guess at a hash.
    Here only `plain_filters`, fields of the model itself, are allowed.

    Django's own log stays empty: it would store names that an erasure does not reach. Our audit records changes.
    """

    actions: list[str] | None = None
    plain_filters: tuple[str, ...] = ()

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        shown = self.list_filter if request is None else self.get_list_filter(request)
        filters = [getattr(one, "parameter_name", None) for one in shown]
        return lookup in filters or (lookup.split("__")[0] in self.plain_filters and lookup.count("__") <= 1)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *more: Any) -> HttpResponse | None:
        """As Django's; chosen rows that are no numbers, which no page of ours sends, are refused."""
        if not all(NUMBER.fullmatch(one) for one in request.POST.getlist(ACTION_CHECKBOX_NAME)):
            messages.error(request, "Choose rows of the list.")
            return None
        return super().response_action(request, queryset, *more)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        return None

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        return None


MOST_READ = 5000
"""Rows whose values a filter offers."""


class RecentValues(admin.AllValuesFieldListFilter):
    """Filter by the values of the newest rows; Django's own filter reads all rows for its links."""

    def __init__(
        self, field: Any, request: HttpRequest, params: Any, model: Any, model_admin: Any, field_path: str
    ) -> None:
        super().__init__(field, request, params, model, model_admin, field_path)
        newest = model_admin.get_queryset(request).order_by("-pk").values_list(field_path, flat=True)[:MOST_READ]
        self.lookup_choices: Any = sorted({*newest, *(self.lookup_val or ())})


class ReadOnlyAdmin(GuardedAdmin):
    """Rows that can be read, but not added, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class OperatorsOnly(GuardedAdmin):
    """Shown to superusers only, whatever permissions others have."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return person_of(request).is_superuser

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return person_of(request).is_superuser


def changes(obj: Model, form: ModelForm, hidden: Collection[str] = ()) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return old and new values of the fields that a form changed, without secrets and the fields in `hidden`."""
    names = [name for name in form.changed_data if "password" not in name and name not in hidden]
    old = {name: form.initial.get(name) for name in names}
    return _plain(old), _plain({name: getattr(obj, name) for name in names})


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | int | float | bool | None) else str(value)
        for name, value in values.items()
    }


class SyntheticFilter(admin.SimpleListFilter):
    """Leave out accounts that stand for no person, unless they are asked for."""

    title, parameter_name = "synthetic raters", "synthetic"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("shown", "Of dry runs")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        first, *others = super().choices(changelist)
        yield from ({**first, "display": "Left out"}, *others)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Person]) -> QuerySet[Person]:
        if self.value() == "shown":
            return queryset.filter(is_synthetic=True)
        return queryset.filter(is_synthetic=False)


class NewPersonForm(AdminUserCreationForm):
    """A new account. `Person.clean` says which names are taken; Django's own form would fold more than A to Z."""

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        return name


@admin.register(Person)
class PersonAdmin(OperatorsOnly, UserAdmin):
    """People are never deleted. Somebody who is deactivated loses access with the next request."""

    list_display = ["username", "full_name", "is_active", "is_staff", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser", SyntheticFilter]
    plain_filters = ("is_active", "is_staff", "is_superuser")
    search_fields = ["username", "full_name", "email"]
    readonly_fields = ["last_login", "date_joined"]
    filter_horizontal = ()
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Identity", {"fields": ["full_name", "email"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser"]}),
        ("Dates", {"fields": ["last_login", "date_joined"]}),
    ]
    add_form = NewPersonForm
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2"]})]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return person_of(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return person_of(request).is_superuser and not (isinstance(obj, Person) and obj.is_synthetic)

    def save_model(self, request: HttpRequest, obj: Person, form: ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        old, new = changes(obj, form, IDENTIFYING)
        new |= {"renamed": True} if change and set(IDENTIFYING) & set(form.changed_data) else {}
        action = "person changed" if change else "person added"
        record(action, actor=person_of(request), about=obj, old=old if change else None, new=new)
        if not obj.is_active:
            revoke_links(obj, person_of(request))

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                changed = Person.objects.get(pk=id)
                record("password changed by the operator", actor=person_of(request), about=changed)
                revoke_links(changed, person_of(request))
        return response


@admin.register(SignInLink)
class SignInLinkAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Lists and revokes sign-in links; a command makes them."""

    actions = ["revoke"]
    list_display = ["person", "purpose", "study", "created_at", "expires_at", "used_at", "revoked_at"]
    fields = ["person", "purpose", "study", "made_by", "created_at", "expires_at", "used_at", "revoked_at"]
    search_fields = ["person__username"]
    list_select_related = ["person"]

    @admin.action(description="Revoke all open links of these people")
    def revoke(self, request: HttpRequest, links: QuerySet[SignInLink]) -> None:
        for person in Person.objects.filter(pk__in=links.values("person")):
            revoke_links(person, person_of(request))


@admin.register(SecondFactor)
class SecondFactorAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Lists second factors, and resets those of people who have lost theirs; nobody's own, for that needs a code."""

    actions = ["reset"]
    list_display = ["person", "since", "codes_left"]
    fields = ["person", "since", "codes_left"]
    search_fields = ["person__username"]
    list_select_related = ["person"]

    @admin.display(description="recovery codes left")
    def codes_left(self, obj: SecondFactor) -> int:
        return len(obj.recovery_hashes)

    @admin.action(description="Remove the second factor of these people and end their sessions")
    def reset(self, request: HttpRequest, factors: QuerySet[SecondFactor]) -> None:
        asking = person_of(request)
        for person in Person.objects.filter(pk__in=factors.exclude(person=asking).values("person")):
            reset_second_factor(person, asking)
        if factors.filter(person=asking).exists():
            messages.error(request, "Your own was not removed: that needs a code, in your settings.")


@admin.register(WrongTryCount)
class WrongTryCountAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Counts of wrong passwords and codes. User names and addresses are stored as hashes only."""

    list_display = ["id", "count", "ends_at"]
    fields = ["count", "ends_at"]


@admin.register(KnownAddress)
class KnownAddressAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Addresses from which people have signed in, stored as hashes only."""

    list_display = ["id", "person", "until"]
    fields = ["person", "until"]
    list_select_related = ["person"]


@admin.register(AuditEntry)
class AuditEntryAdmin(OperatorsOnly, ReadOnlyAdmin):
    """The whole audit."""

    list_display = ["at", "actor", "action", "study", "subject", "about"]
    list_filter = [("action", RecentValues)]
    plain_filters = ("action",)
    search_fields = ["subject", "study", "action"]
    search_help_text = "Finds exactly this subject, study, action or user name."
    sortable_by = ()
    ordering = ("-pk",)
    date_hierarchy = None
    list_select_related = ["actor__person", "about__person"]
    show_full_result_count = False
    paginator = LimitedPaginator

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(unsorted(request), extra_context)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[LimitedList]:
        return LimitedList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[AuditEntry], search_term: str
    ) -> tuple[QuerySet[AuditEntry], bool]:
        """Compare whole texts: a search for a part of them would read the whole audit and the people of each entry."""
        term = search_term.strip()
        if not term:
            return queryset, False
        people = list(Identity.objects.filter(person__username_folded=folded(term)).values_list("pk", flat=True))
        found = Q(subject=term) | Q(study=term) | Q(action=term) | Q(actor__in=people) | Q(about__in=people)
        return queryset.filter(found), False


@admin.register(Identity)
class IdentityAdmin(OperatorsOnly, ReadOnlyAdmin):
    """The identities that audit entries point to."""

    list_display = ["pk", "person", "study"]
    search_fields = ["person__username", "study"]
    list_select_related = ["person"]


@admin.register(Worker)
class WorkerAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Worker processes, as they last reported."""

    list_display = ["name", "queues", "started_at", "seen_at", "reaches_broker"]


@admin.register(QueueTurn)
class QueueTurnAdmin(OperatorsOnly, ReadOnlyAdmin):
    """When each study had its last turn in a queue that others waited in, too."""

    list_display = ["queue", "study", "at"]
    ordering = ["-at"]


@admin.register(Erasure)
class ErasureAdmin(OperatorsOnly, ReadOnlyAdmin):
    """What was erased. The audit says who asked for it."""

    list_display = ["at", "scope", "counts"]
