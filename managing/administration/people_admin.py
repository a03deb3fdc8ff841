"""Memberships, invitations, tokens and decisions about raters. New ones are made on the pages of their study."""

from django.contrib import admin
from django.db.models import Q
from django.urls import reverse

from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS, inviters, studies_of
from annotation.admin import StudyScopedAdmin
from annotation.forms import RoleForm
from annotation.members import membership
from annotation.members.revoking import revoke_invitation, revoke_token
from annotation.models import ExclusionReply, Invitation, Membership, Rater, RaterExclusion, RaterPause, SeenItem, Token
from annotation.models.people import Role
from managing.administration.row_steps import RowStep, SteeredAdmin, in_roles

of_owners = in_roles("study", OWNERS)


def revocable_invitations(person: Person) -> Q:
    """Invitations to a role to which `person` may invite in their study."""
    allowed = Q(pk=None)
    for role in Role.values:
        allowed |= Q(role=role, study__in=studies_of(person, inviters(role)).values("pk"))
    return allowed


def revocable_tokens(person: Person) -> Q:
    """Tokens that `person` may revoke: their own, and as an owner of the study anybody's."""
    own = Q(made_by=person, study__in=studies_of(person, RESEARCHERS).values("pk"))
    return own | Q(study__in=studies_of(person, OWNERS).values("pk"))


@admin.register(Membership)
class MembershipAdmin(SteeredAdmin):
    steps = {
        "remove": RowStep(
            "Remove", of_owners, lambda member, person, given: membership.deactivate_member(member, person)
        ),
        "restore": RowStep(
            "Let back in", of_owners, lambda member, person, given: membership.restore_member(member, person)
        ),
        "change_role": RowStep(
            "Change role", of_owners,
            lambda member, person, given: membership.change_role(member, given["role"], person), RoleForm,
        ),
    }  # fmt: skip
    list_display = ["person", "study", "role", "active", "created_at"]
    list_filter = ["active", "role"]
    plain_filters = ("active", "role")
    search_fields = ["person__username", "study__slug"]
    list_select_related = ["person", "study"]
    fields = ["person", "study", "role", "active", "created_at"]
    ordering = ["-pk"]

    def view_on_site(self, member: Membership) -> str:
        return reverse("annotation:people", args=[member.study.slug])


@admin.register(Rater)
class RaterAdmin(StudyScopedAdmin):
    """People, imported names, models and metrics that judge."""

    list_display = ["name", "kind", "study", "person", "created_at"]
    list_filter = ["kind"]
    plain_filters = ("kind",)
    search_fields = ["name"]
    list_select_related = ["study", "person"]
    ordering = ["-pk"]


@admin.register(Invitation)
class InvitationAdmin(SteeredAdmin):
    steps = {
        "revoke": RowStep(
            "Revoke", revocable_invitations, lambda invitation, person, given: revoke_invitation(invitation, person)
        )
    }
    list_display = ["note", "role", "study", "created_by", "created_at", "expires_at", "accepted_by", "revoked_at"]
    list_display_links = ["created_at"]
    list_filter = ["role"]
    plain_filters = ("role",)
    search_fields = ["note"]
    list_select_related = ["study", "created_by", "accepted_by"]
    exclude = ["token_hash"]
    ordering = ["-pk"]

    def view_on_site(self, invitation: Invitation) -> str:
        return reverse("annotation:invitations", args=[invitation.study.slug])


@admin.register(Token)
class TokenAdmin(SteeredAdmin):
    steps = {
        "revoke": RowStep("Revoke", revocable_tokens, lambda token, person, given: revoke_token(token, person)),
    }
    list_display = ["name", "study", "scope", "made_by", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_filter = ["scope"]
    plain_filters = ("scope",)
    search_fields = ["name"]
    list_select_related = ["study", "made_by"]
    exclude = ["token_hash"]
    ordering = ["-pk"]

    def view_on_site(self, token: Token) -> str | None:
        return reverse("annotation:tokens", args=[token.study.slug]) if token.study else None


@admin.register(RaterExclusion)
class RaterExclusionAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "at", "ended_at"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(ExclusionReply)
class ExclusionReplyAdmin(StudyScopedAdmin):
    study_path = "exclusion__rater__study"
    list_display = ["id", "exclusion", "at"]
    list_select_related = ["exclusion__rater"]
    ordering = ["-pk"]


@admin.register(RaterPause)
class RaterPauseAdmin(StudyScopedAdmin):
    study_path = "rater__study"
    list_display = ["id", "rater", "at", "ended_at"]
    list_select_related = ["rater"]
    ordering = ["-pk"]


@admin.register(SeenItem)
class SeenItemAdmin(StudyScopedAdmin):
    study_path = "item__study"
    list_display = ["id", "item", "rater"]
    list_select_related = ["item", "rater"]
    ordering = ["-pk"]
