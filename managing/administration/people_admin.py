"""Memberships and raters in the admin."""

from django.contrib import admin
from django.db.models import Model
from django.forms import ModelForm
from django.http import HttpRequest

from accounts.access import person_of
from accounts.models import Person
from annotation.access import OWNERS, studies_of
from annotation.forms import RoleForm
from annotation.members import membership
from annotation.models import Membership, Rater
from managing.administration.confirmed_actions import ConfirmedAction, Given, in_roles
from managing.administration.steered_admin import SteeredAdmin

of_owners = in_roles("study", OWNERS)


@admin.register(Membership)
class MembershipAdmin(SteeredAdmin):
    """The study's owners change roles, remove people and let them back in."""

    steps = (
        ConfirmedAction(
            "remove", "Remove", "Their answers stay; the tasks that they hold go to others.", of_owners,
            lambda member, person, given: membership.deactivate_member(member, person),
            suits=lambda member: member.active,
        ),
        ConfirmedAction(
            "restore", "Let back in", "In the role that they had.", of_owners,
            lambda member, person, given: membership.restore_member(member, person),
            suits=lambda member: not member.active,
        ),
        ConfirmedAction(
            "change_role", "Change role", "Annotators who become researchers lose the tasks that they hold.", of_owners,
            lambda member, person, given: membership.change_role(member, given["role"], person), form=RoleForm,
        ),
    )  # fmt: skip
    list_display = ["person", "study", "role", "active", "created_at"]
    list_filter = ["active", "role"]
    plain_filters = ("active", "role")
    search_fields = ["person__username", "study__slug"]
    list_select_related = ["person", "study"]
    fields = ["person", "study", "role", "active", "created_at"]
    readonly_fields = ["person", "study", "created_at"]
    ordering = ["-pk"]

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        if not isinstance(obj, Membership):
            return self.has_module_permission(request)
        return studies_of(person_of(request), OWNERS).filter(pk=obj.study_id).exists()

    def save_model(self, request: HttpRequest, obj: Membership, form: ModelForm, change: bool) -> None:
        person, active, role = person_of(request), obj.active, obj.role
        step = membership.restore_member if active else membership.deactivate_member
        membership.change_role(obj, role, person)
        step(obj, person)


def _member(rater: Rater) -> Membership | None:
    return Membership.objects.filter(study=rater.study_id, person=rater.person_id).first()


def _remove(rater: Rater, person: Person, given: Given) -> bool:
    member = _member(rater)
    if member is None or not member.active:
        return False
    membership.deactivate_member(member, person)
    return True


def _restore(rater: Rater, person: Person, given: Given) -> bool:
    member = _member(rater)
    if member is None or member.active:
        return False
    membership.restore_member(member, person)
    return True


@admin.register(Rater)
class RaterAdmin(SteeredAdmin):
    """People, imported names, models and metrics that judge. People are removed and let back in as on *People*."""

    steps = (
        ConfirmedAction(
            "remove", "Remove from the study", "Their answers stay; the tasks that they hold go to others.", of_owners,
            _remove, suits=lambda rater: (member := _member(rater)) is not None and member.active,
        ),
        ConfirmedAction(
            "restore", "Let back in", "In the role that they had.", of_owners, _restore,
            suits=lambda rater: (member := _member(rater)) is not None and not member.active,
        ),
    )  # fmt: skip

    list_display = ["name", "kind", "study", "person", "created_at"]
    list_filter = ["kind"]
    plain_filters = ("kind",)
    search_fields = ["name"]
    list_select_related = ["study", "person"]
    ordering = ["-pk"]
