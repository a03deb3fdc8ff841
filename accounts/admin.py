"""The admin of people. Only the operator sees it; nothing here is deleted, and every change is audited."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db import transaction
from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse

from accounts.access import person_of
from accounts.auditing import record
from accounts.models import AuditEntry, Person, SignInLink
from config.models import Worker

# Rights come from memberships in studies; a group would be a second, unaudited way to get some.
admin.site.unregister(Group)


class GuardedAdmin(admin.ModelAdmin):
    """What all our admins share: no deletion, no bulk actions, no lookups but those of the filters shown.

    Django lets a list be filtered by any field of its own model, so that a guess at a hash is answered by the
    number of rows. Here only `plain_filters`, fields of the model itself, may be asked for.
    """

    actions = None
    plain_filters: tuple[str, ...] = ()

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest | None = None) -> bool:
        ours = [getattr(one, "parameter_name", None) for one in self.list_filter]
        return lookup in ours or (lookup.split("__")[0] in self.plain_filters and lookup.count("__") <= 1)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(GuardedAdmin):
    """Evidence: seen, never made, changed or deleted here."""

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class OperatorsOnly(GuardedAdmin):
    """Seen by superusers alone, whatever permissions somebody was given."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return person_of(request).is_superuser

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return person_of(request).is_superuser


def changes(obj: Model, form: ModelForm) -> tuple[dict[str, Any], dict[str, Any]]:
    """Old and new values of the fields that a form changed, secrets left out."""
    names = [name for name in form.changed_data if "password" not in name]
    old = {name: form.initial.get(name) for name in names}
    return _plain(old), _plain({name: getattr(obj, name) for name in names})


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | int | float | bool | None) else str(value)
        for name, value in values.items()
    }


@admin.register(Person)
class PersonAdmin(OperatorsOnly, UserAdmin):
    """People are never deleted: making one inactive ends their access with their next request."""

    list_display = ["username", "full_name", "is_active", "is_staff", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    plain_filters = ("is_active", "is_staff", "is_superuser")
    search_fields = ["username", "full_name", "email"]
    readonly_fields = ["last_login", "date_joined"]
    filter_horizontal = ()
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Who", {"fields": ["full_name", "email"]}),
        ("Rights", {"fields": ["is_active", "is_staff", "is_superuser"]}),
        ("Times", {"fields": ["last_login", "date_joined"]}),
    ]
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2"]})]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return person_of(request).is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return person_of(request).is_superuser

    def save_model(self, request: HttpRequest, obj: Person, form: ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        old, new = changes(obj, form)
        action = "person changed" if change else "person made"
        record(action, obj.username, actor=person_of(request), old=old if change else None, new=new)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                changed = Person.objects.get(pk=id)
                record("password changed by the operator", changed.username, actor=person_of(request))
        return response


@admin.register(SignInLink)
class SignInLinkAdmin(OperatorsOnly, ReadOnlyAdmin):
    list_display = ["person", "created_at", "expires_at", "used_at"]
    fields = ["person", "created_at", "expires_at", "used_at"]
    search_fields = ["person__username"]
    list_select_related = ["person"]


@admin.register(AuditEntry)
class AuditEntryAdmin(OperatorsOnly, ReadOnlyAdmin):
    """The whole record, for the operator."""

    list_display = ["at", "actor", "action", "study", "subject"]
    list_filter = ["action"]
    plain_filters = ("action",)
    search_fields = ["subject", "study", "action"]
    date_hierarchy = None
    list_select_related = ["actor"]
    show_full_result_count = False


@admin.register(Worker)
class WorkerAdmin(OperatorsOnly, ReadOnlyAdmin):
    """Worker processes by their own last account."""

    list_display = ["name", "queues", "started_at", "seen_at", "reaches_broker"]
