"""Studies in the admin: what they are called, and their states."""

from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.forms import ModelForm
from django.http import FileResponse, HttpRequest, HttpResponse

from accounts.access import person_of
from accounts.models import Person
from annotation.access import OWNERS, RESEARCHERS
from annotation.forms import LONGEST_REASON, DescriptionForm, InviteForm, PlainText, ReasonForm
from annotation.members.invitations import invite
from annotation.models import Item, Slot, Study
from annotation.models.people import Role
from annotation.studies import lifecycle
from annotation.studies.drafts import change_draft, delete_draft, is_changeable, make_draft
from annotation.studies.preparing_tasks import prepare_few, request_preparation, request_redundancy
from annotation.studies.redundancy import set_redundancy, set_study_redundancy
from annotation.studies.slugs import proposed_slug
from annotation.studies.steered_items import ItemStepRefusedError
from config.yaml_reading import YamlInvalidError, parse_yaml
from managing.administration.confirmed_actions import PREFIX, ConfirmedAction, Given, in_roles
from managing.administration.item_admin import RedundancyForm
from managing.administration.shown_once import show_once
from managing.administration.steered_admin import SteeredAdmin, TextForm
from managing.administration.study_decisions import DECISIONS
from managing.building.build_page import state_of_body
from managing.building.template_library import study_templates
from recruiting.stopping.peeking import Kind, note_peek
from reports.exporting import SMALL_FORMATS
from reports.exporting.archive import archived
from reports.exporting.study_yaml import study_body, yaml_text

MOST_STUDIES, MOST_CHANGED = 50, 5
MOST_ITEMS = 100
LONGEST = 500_000
ZIP = "application/zip"
DESCRIBED = ("title", "description", "contact")
Status = Study.Status
STARTABLE = (Status.DRAFT, Status.PAUSED)
CHANGED = "Somebody else changed this draft after you opened this page. Save again to overwrite their changes."
PREPARING = "Workers make the tasks of its items. It goes live when they are done."
DELETING = "Workers delete it now."
CHANGING = "Workers change the tasks of its items now."


def make_live(study: Study, person: Person, given: Given) -> str | None:
    """Let annotators work; workers first make the tasks of many items."""
    if not prepare_few(study):
        request_preparation(study, person, goes_live=True)
        return PREPARING
    lifecycle.make_live(study, person)
    return None


def change_redundancy(study: Study, person: Person, given: Given) -> str | None:
    """Change the number of raters per task, in a draft and in tasks that exist; workers change those of many items."""
    count, reason = given["count"], given["reason"]
    if is_changeable(study):
        change_draft(study, {**study_body(study), "redundancy": count}, person)
        return None
    with transaction.atomic():
        set_study_redundancy(study, count, reason, person)
        items = list(_items_with_places(study))
        if len(items) > MOST_ITEMS:
            request_redundancy(study, count, reason, person)
            return CHANGING
    for item in items:
        with suppress(ItemStepRefusedError):
            set_redundancy(item, count, reason, person)
    return None


def _items_with_places(study: Study) -> QuerySet[Item]:
    return Item.objects.filter(Exists(Slot.objects.filter(item=OuterRef("pk"))), study=study)[: MOST_ITEMS + 1]


class YamlField(PlainText):
    """A study file as text."""

    def clean(self, value: Any) -> Any:
        try:
            return parse_yaml(super().clean(value))
        except YamlInvalidError as problem:
            line = f"Line {problem.line}: this text" if problem.line else "This text"
            raise ValidationError(f"{line} {problem.reason}.") from None


class StudyTextForm(TextForm):
    """The study file of a new study, which may begin as a template, or of a draft."""

    body = YamlField(
        label="Study file", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 30, "cols": 100, "dir": "auto"}),
        help_text="As in study.yaml; docs/formats.md lists the keys and docs/protocols.md the options.",
    )  # fmt: skip
    since = forms.CharField(required=False, widget=forms.HiddenInput)
    row: Study | None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound:
            return
        if self.row is not None:
            body = study_body(self.row)
            self.initial.update(body=yaml_text(body), since=state_of_body(body))
            return
        found = study_templates().get(str(self.initial.get("template", "")))
        if found is not None:
            title = found.label
            self.initial["body"] = yaml_text({"slug": proposed_slug(title), "title": title, **found.body})

    def clean(self) -> dict[str, Any] | None:
        """Refuse to overwrite, unasked, what somebody else has changed; the next post overwrites it."""
        cleaned = super().clean()
        if self.row is not None and not self.refusal:
            now = state_of_body(study_body(self.row))
            if self.data.get("since") != now:
                self.data = {**{key: self.data[key] for key in self.data}, "since": now}
                self.add_error(None, CHANGED)
        return cleaned


class StudyDescriptionForm(TextForm):
    """What may be changed of a study that is no draft."""

    title = DescriptionForm.base_fields["title"]
    description = DescriptionForm.base_fields["description"]
    contact = DescriptionForm.base_fields["contact"]
    reason = forms.CharField(
        label="Reason for the correction", max_length=LONGEST_REASON, required=False,
        help_text="The study is locked: the audit keeps why it is changed.",
    )  # fmt: skip
    row: Study

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial = {name: getattr(self.row, name) for name in DESCRIBED}
        if self.row.locked_at is None:
            del self.fields["reason"]


class ExportForm(forms.Form):
    file_format = forms.ChoiceField(label="Format of the tables", choices=[(one, one) for one in SMALL_FORMATS])


class ExportAction(ConfirmedAction):
    """Sends the folder of one study as a zip archive."""

    def run(self, model_admin: Any, request: HttpRequest, rows: Any, given: Given) -> FileResponse:
        file = archived(rows[0], given["file_format"], person_of(request), "the admin")
        note_peek(rows[0], person_of(request), Kind.EXPORT)
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
        lambda study, person, given: lifecycle.reopen(study, person, given["reason"]), form=ReasonForm,
        suits=lambda study: study.status == Status.CLOSED, most=MOST_STUDIES,
    ),
    InviteAction(
        "invite", "Invite annotators", "Makes links, each for one person. They are shown once.", of_researchers,
        lambda study, person, given: None, most=MOST_STUDIES,
    ),
    ConfirmedAction(
        "redundancy", "Change redundancy", "Changes how many raters each task gets. Places that are taken stay.",
        of_researchers, change_redundancy, form=RedundancyForm, most=MOST_CHANGED,
    ),
    ConfirmedAction(
        "delete", "Delete draft", "Deletes drafts that nobody has answered, with all their items.", of_owners,
        lambda study, person, given: None if delete_draft(study, person) else DELETING,
        suits=is_changeable, most=MOST_STUDIES,
    ),
    ExportAction(
        "export", "Export", "Sends the study as a folder in a zip archive. The audit records it.", of_researchers,
        lambda study, person, given: None, form=ExportForm, most=1,
    ),
)  # fmt: skip


DRAFT_FACTS = ("status", "planned_through", "created_at")


@admin.register(Study)
class StudyAdmin(SteeredAdmin):
    """A draft is edited as a study file; later title, description and contact are. The state changes by actions."""

    add_form = StudyTextForm
    add_fields = ("body",)
    change_list_template = "admin/study_change_list.html"

    study_path = "pk"
    steps = (*STEPS, *DECISIONS)
    list_display = ["name", "slug", "status", "protocol", "redundancy", "created_at"]
    list_filter = ["status"]
    plain_filters = ("status",)
    search_fields = ["slug", "title"]
    ordering = ["-pk"]
    fields = [
        "slug", "title", "description", "contact", "license", "citation", "language", "protocol", "redundancy",
        "options", "systems", "judges", "status", "planned_through", "created_at",
    ]  # fmt: skip
    readonly_fields = [
        "slug", "license", "citation", "language", "protocol", "redundancy", "options", "systems", "judges",
        "status", "planned_through",
        "created_at",
    ]  # fmt: skip

    @admin.display(description="title", ordering="title")
    def name(self, study: Study) -> str:
        return str(study)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    def text_form(self, request: HttpRequest, obj: Any) -> type[TextForm]:
        return StudyTextForm if obj is None or is_changeable(obj) else StudyDescriptionForm

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        more = {"templates": study_templates().values(), **(extra_context or {})}
        return super().changelist_view(request, more)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.add_fields
        if is_changeable(obj):
            return ("body", "since", *DRAFT_FACTS)
        return self.fields if obj.locked_at is None else ("reason", *self.fields)

    def save_model(self, request: HttpRequest, obj: Study, form: ModelForm, change: bool) -> None:
        person = person_of(request)
        if not change:
            made = make_draft(form.cleaned_data["body"], person)
            obj.pk, obj.slug, obj.title = made.pk, made.slug, made.title
        elif "body" in form.cleaned_data:
            change_draft(obj, form.cleaned_data["body"], person)
        else:
            told = {name: form.cleaned_data[name] for name in DESCRIBED}
            if not lifecycle.describe(obj, person, **told, reason=form.cleaned_data.get("reason", "")):
                messages.info(request, "Nothing was changed.")
