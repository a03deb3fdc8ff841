"""Studies in the admin: what they are called, and their states."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Model
from django.forms import ModelForm
from django.http import FileResponse, HttpRequest, HttpResponse

from accounts.access import person_of
from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS
from annotation.forms import InviteForm, ReasonForm
from annotation.members.invitations import invite
from annotation.models import Study
from annotation.models.people import Role
from annotation.studies import lifecycle
from managing.admin.confirmed_actions import PREFIX, ConfirmedAction, Given, in_roles
from managing.admin.shown_once import show_once
from managing.admin.steered_admin import SteeredAdmin
from reports.exporting import FORMATS
from reports.exporting.archive import archived

SECONDS_OF_PREPARING = 5.0
MOST_STUDIES = 50
ZIP = "application/zip"
Status = Study.Status
STARTABLE = (Status.DRAFT, Status.PAUSED)
UNFINISHED = "Its items are still being prepared. Use this action again until the study is live."


def make_live(study: Study, person: Person, given: Given) -> None:
    """Prepare items for some seconds, then let annotators work."""
    if not lifecycle.prepare(study, SECONDS_OF_PREPARING):
        raise lifecycle.StudyRefusedError(UNFINISHED)
    lifecycle.make_live(study, person)


class ExportForm(forms.Form):
    file_format = forms.ChoiceField(label="Format of the tables", choices=[(one, one) for one in FORMATS])


class ExportAction(ConfirmedAction):
    """Sends the folder of one study as a zip archive."""

    def run(self, model_admin: Any, request: HttpRequest, rows: Any, given: Given) -> FileResponse:
        file = archived(rows[0], given["file_format"], person_of(request), "the admin")
        return FileResponse(file, as_attachment=True, filename=f"{rows[0].slug}.zip", content_type=ZIP)


class InviteAction(ConfirmedAction):
    """Makes invitations of annotators, whose links the next page shows once."""

    def form_for(self, person: Person, rows: Any, posted: Given | None) -> forms.Form:
        roles = [(str(Role.ANNOTATOR.value), str(Role.ANNOTATOR.label))]
        return InviteForm(posted, prefix=PREFIX, roles=roles)

    def run(self, model_admin: Any, request: HttpRequest, rows: Any, given: Given) -> HttpResponse:
        person = person_of(request)
        links = [
            (f"{study}: invitation", request.build_absolute_uri(path))
            for study in rows
            for path in invite(study, actor=person, **given)
        ]
        return show_once(model_admin, request, "Invitations", links)


of_owners, of_researchers = in_roles("pk", OWNERS), in_roles("pk", RESEARCHERS)
STEPS = (
    ConfirmedAction(
        "make_live", "Make live", "Prepares the items, then annotators can work.", of_researchers, make_live,
        suits=lambda study: study.status in STARTABLE, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "pause", "Pause", "No new tasks are given out. Open tasks can still be submitted.", of_researchers,
        lambda study, person, given: lifecycle.pause(study, person, given["reason"]),
        form=ReasonForm, suits=lambda study: study.is_live, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "close", "Close", "Ends the studies for their annotators and their invitations. An owner can reopen them.",
        of_owners, lambda study, person, given: lifecycle.close(study, person, given["reason"]),
        form=ReasonForm, suits=lambda study: study.status in (Status.LIVE, Status.PAUSED), most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "reopen", "Reopen", "Annotators can work again.", of_owners,
        lambda study, person, given: lifecycle.reopen(study, person),
        suits=lambda study: study.status == Status.CLOSED, most=MOST_STUDIES,
    ),
    InviteAction(
        "invite", "Invite annotators", "Makes links, each for one person. They are shown once.", of_researchers,
        lambda study, person, given: None, most=MOST_STUDIES,
    ),
    ExportAction(
        "export", "Export", "Sends the study as a folder in a zip archive. The audit records it.", of_researchers,
        lambda study, person, given: None, form=ExportForm, most=1,
    ),
)  # fmt: skip


@admin.register(Study)
class StudyAdmin(SteeredAdmin):
    """Title, description and contact are edited here; the state changes by actions."""

    study_path = "pk"
    steps = STEPS
    list_display = ["name", "slug", "status", "protocol", "redundancy", "created_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["slug", "title"]
    ordering = ["-pk"]
    fields = [
        "slug", "title", "description", "contact", "language", "protocol", "redundancy", "options", "systems",
        "judges", "status", "planned_through", "created_at",
    ]  # fmt: skip
    readonly_fields = [
        "slug", "language", "protocol", "redundancy", "options", "systems", "judges", "status", "planned_through",
        "created_at",
    ]  # fmt: skip

    @admin.display(description="title", ordering="title")
    def name(self, study: Study) -> str:
        return str(study)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def save_model(self, request: HttpRequest, obj: Study, form: ModelForm, change: bool) -> None:
        person = person_of(request)
        if not lifecycle.describe(obj, person, title=obj.title, description=obj.description, contact=obj.contact):
            messages.info(request, "Nothing was changed.")
