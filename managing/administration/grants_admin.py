"""Invitations and API tokens in the admin. Links and secrets are shown once, after they were made."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest, HttpResponse

from accounts.access import person_of
from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS, inviters, roles_to_offer, studies_of
from annotation.forms import InviteForm, TokenForm
from annotation.members.invitations import invite
from annotation.members.revoking import revoke_invitation, revoke_token
from annotation.members.tokens import issue_token
from annotation.models import Invitation, Token
from annotation.models.people import Role
from managing.administration.confirmed_actions import ConfirmedAction, Given
from managing.administration.shown_once import show_once
from managing.administration.steered_admin import SteeredAdmin
from managing.administration.study_choice import StudyChoiceForm

Posted = dict[str, Any]


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


class AddInvitationForm(StudyChoiceForm):
    role = forms.ChoiceField(choices=[(Role.ANNOTATOR, "Annotator"), (Role.RESEARCHER, "Researcher")])
    count = InviteForm.base_fields["count"]
    days = InviteForm.base_fields["days"]
    note = InviteForm.base_fields["note"]

    def clean(self) -> Posted | None:
        cleaned = super().clean()
        study, role = self.cleaned_data.get("study"), self.cleaned_data.get("role")
        if study is not None and role and (role, Role(role).label) not in roles_to_offer(self.person, study):
            self.add_error("role", "Only owners of this study may invite people to this role.")
        return cleaned


class AddTokenForm(StudyChoiceForm):
    name = TokenForm.base_fields["name"]
    scope = TokenForm.base_fields["scope"]
    days = TokenForm.base_fields["days"]


class GrantAdmin(SteeredAdmin):
    """Rows that are added by a verb which returns secrets, and are revoked instead of changed."""

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        return form.instance

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Nothing: a grant has no rows of its own."""

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        request.secrets = self.made(request, person_of(request), form.cleaned_data)  # type: ignore[attr-defined]

    def construct_change_message(self, *_: Any, **__: Any) -> list[Any]:
        return []

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        return show_once(self, request, str(self.opts.verbose_name_plural).capitalize(), request.secrets)  # type: ignore[attr-defined]

    def made(self, request: HttpRequest, person: Person, given: Given) -> list[tuple[str, str]]:
        """Make what was posted, and return what each secret is for, and its text."""
        raise NotImplementedError


@admin.register(Invitation)
class InvitationAdmin(GrantAdmin):
    steps = (
        ConfirmedAction(
            "revoke", "Revoke", "Their links stop working.", revocable_invitations,
            lambda invitation, person, given: revoke_invitation(invitation, person),
            suits=lambda invitation: not (invitation.accepted_at or invitation.revoked_at),
        ),
    )  # fmt: skip
    add_form = AddInvitationForm
    add_fields = ("study", "role", "count", "days", "note")
    list_display = ["note", "role", "study", "created_by", "created_at", "expires_at", "accepted_by", "revoked_at"]
    list_display_links = ["created_at"]
    list_filter = ["role"]
    plain_filters = ("role",)
    search_fields = ["note"]
    list_select_related = ["study", "created_by", "accepted_by"]
    exclude = ["token_hash"]
    ordering = ["-pk"]

    def made(self, request: HttpRequest, person: Person, given: Given) -> list[tuple[str, str]]:
        study, more = given["study"], {name: given[name] for name in ("role", "count", "days", "note")}
        paths = invite(study, actor=person, **more)
        return [(f"Invitation to {study}", request.build_absolute_uri(path)) for path in paths]


@admin.register(Token)
class TokenAdmin(GrantAdmin):
    steps = (
        ConfirmedAction(
            "revoke", "Revoke", "Programs that use them are refused from their next request on.", revocable_tokens,
            lambda token, person, given: revoke_token(token, person), suits=lambda token: token.revoked_at is None,
        ),
    )  # fmt: skip
    add_form = AddTokenForm
    add_fields = ("study", "name", "scope", "days")
    list_display = ["name", "study", "scope", "made_by", "created_at", "expires_at", "last_used_at", "revoked_at"]
    list_filter = ["scope"]
    plain_filters = ("scope",)
    search_fields = ["name"]
    list_select_related = ["study", "made_by"]
    exclude = ["token_hash"]
    ordering = ["-pk"]

    def made(self, request: HttpRequest, person: Person, given: Given) -> list[tuple[str, str]]:
        study, more = given["study"], {name: given[name] for name in ("name", "scope", "days")}
        return [(f"Token {more['name']} of {study}", issue_token(study, person, **more))]
