"""Items in the admin: added as lines of a file, edited in drafts, and steered; each page shows outputs and answers."""

import json
from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts.access import person_of
from accounts.models import Person
from annotation.access import RESEARCHERS
from annotation.blinded_rows import shown_rows
from annotation.blinding import is_blind, shown_outputs
from annotation.forms import LONGEST_REASON, PlainText
from annotation.importing.line_reading import JSONInvalidError, parse_json
from annotation.models import Item, Rating
from annotation.studies.preparing_tasks import prepare_few, request_preparation
from annotation.studies.redundancy import set_redundancy
from annotation.studies.single_items import add_item, can_change, can_edit, change_item, remove_item
from annotation.studies.slot_steps import MOST_SLOTS, add_rater, cancel_open
from annotation.studies.steered_items import restore, set_priority, withdraw
from config.form_fields import WholeNumberField
from managing.administration.confirmed_actions import ConfirmedAction, Given, in_roles
from managing.administration.steered_admin import SteeredAdmin, TextForm
from managing.administration.study_choice import StudyChoiceForm
from managing.items.forms import GivenReasonForm, PriorityForm
from reports.exporting.study_lines import item_lines

LONGEST = 1_000_000
MOST_ITEMS = 200
SHOWN_OUTPUTS, SHOWN_ANSWERS = 30, 200
SHOWN_WORDS = 12


class RedundancyForm(GivenReasonForm):
    count = WholeNumberField(label="Raters per task", min_value=1, max_value=MOST_SLOTS - 1)
    field_order = ("count", "reason")


class LinesField(PlainText):
    """Lines of items.jsonl, as JSON objects."""

    def clean(self, value: Any) -> Any:
        lines = [line for line in super().clean(value).split("\n") if line.strip()]
        if len(lines) > MOST_ITEMS:
            raise ValidationError(f"Add at most {MOST_ITEMS} items at once, or upload a file.")
        return [_object(line, f"Line {number} ") for number, line in enumerate(lines, 1)]


class LineField(PlainText):
    """One item as a JSON object."""

    def clean(self, value: Any) -> Any:
        return _object(super().clean(value), "This text ")


def _object(text: str, subject: str) -> dict[str, Any]:
    try:
        body = parse_json(text)
    except JSONInvalidError as problem:
        raise ValidationError(f"{subject}{problem}.") from None
    if not isinstance(body, dict):
        raise ValidationError(f'{subject}is not a JSON object, such as {{"id": "item-1"}}.')
    return body


class AddItemsForm(StudyChoiceForm):
    lines = LinesField(
        max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 12, "cols": 100, "dir": "auto"}),
        help_text="One item per line, as in items.jsonl (docs/formats.md): "
        '{"id": "item-1", "document": "…", "instruction": "…", "outputs": [{"id": "system", "text": "…"}]}',
    )  # fmt: skip
    reason = PlainText(
        max_length=LONGEST_REASON, required=False, widget=forms.TextInput, help_text="Only a locked study needs one."
    )


class EditItemForm(TextForm):
    line = LineField(
        label="Item", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 20, "cols": 100, "dir": "auto"}),
        help_text="As in items.jsonl. Only items of drafts can be changed, and their id stays.",
    )  # fmt: skip
    row: Item

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.is_bound:
            [line] = item_lines(self.row.study, self.row.key)
            self.initial["line"] = json.dumps(line, ensure_ascii=False, indent=2)


of_researchers = in_roles("study", RESEARCHERS)


def _steps() -> Iterator[ConfirmedAction]:
    yield ConfirmedAction(
        "withdraw", "Withdraw", "Takes the items out of tasks and figures. Their answers are kept.", of_researchers,
        lambda item, person, given: withdraw(item, given["reason"], person), form=GivenReasonForm,
        suits=lambda item: item.withdrawn_at is None,
    )  # fmt: skip
    yield ConfirmedAction(
        "restore", "Restore", "The items are given out again, and their answers count.", of_researchers,
        lambda item, person, given: restore(item, given["reason"], person), form=GivenReasonForm,
        suits=lambda item: item.withdrawn_at is not None,
    )  # fmt: skip
    yield ConfirmedAction(
        "priority", "Set priority", "Gives the items' tasks out before or after others of their batch.",
        of_researchers, lambda item, person, given: set_priority(item, given["priority"], given["reason"], person),
        form=PriorityForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "redundancy", "Change redundancy", "Adds open places to the items' tasks, or removes open ones.",
        of_researchers, _redundancy, form=RedundancyForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "add_rater", "Ask one more rater", "Adds an open place to each of the items' tasks.", of_researchers,
        lambda item, person, given: bool(add_rater(item, given["reason"], person)), form=GivenReasonForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "cancel", "Cancel open places", "Nobody else is asked. Places that are held or filled stay.", of_researchers,
        lambda item, person, given: bool(cancel_open(item, given["reason"], person)), form=GivenReasonForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "remove", "Remove from the draft", "Deletes the items. Only a draft's items can be removed.", of_researchers,
        lambda item, person, given: remove_item(item, person), suits=lambda item: can_change(item.study),
    )  # fmt: skip


def _redundancy(item: Item, person: Person, given: Given) -> None:
    set_redundancy(item, given["count"], given["reason"], person)


@admin.register(Item)
class ItemAdmin(SteeredAdmin):
    steps = tuple(_steps())
    add_form = AddItemsForm
    add_fields = ("study", "lines", "reason")
    is_large = True
    search_help_text = "Finds exactly this id. The study's own table of items also searches texts."
    list_display = ["key", "begins", "study", "set", "pool", "priority", "withdrawn_at"]
    list_filter = ["pool", "set", "priority"]
    plain_filters = ("pool", "set", "priority")
    search_fields = ["key"]
    list_select_related = ["study"]
    ordering = ["study_id", "pk"]
    facts = ("priority", "withdrawn_at", "withdrawn_reason", "outputs_shown", "answers_shown")
    readonly_fields = facts
    content = (
        "key", "study", "instruction", "document", "source", "categories", "references", "set", "pool", "gold",
        "feedback", "metadata", "content",
    )  # fmt: skip

    @admin.display(description="instruction")
    def begins(self, item: Item) -> str:
        words = item.instruction.split(None, SHOWN_WORDS)
        return " ".join(words[:SHOWN_WORDS]) + (" …" if len(words) > SHOWN_WORDS else "")

    @admin.display(description="outputs")
    def outputs_shown(self, item: Item) -> SafeString:
        found = item.outputs.order_by("position")
        outputs = shown_outputs(item.study, found if is_blind(item.study) else found[: SHOWN_OUTPUTS + 1])
        context = {"outputs": outputs[:SHOWN_OUTPUTS], "more": len(outputs) > SHOWN_OUTPUTS, "most": SHOWN_OUTPUTS}
        return render_to_string("admin/_item_outputs.html", context)

    @admin.display(description="answers")
    def answers_shown(self, item: Item) -> SafeString:
        rows = Rating.objects.filter(item=item, is_current=True).select_related(
            "rater", "question", "output", "other_output"
        )
        answers = list(
            shown_rows(rows, "study").order_by("rater__name", "question__position", "pk")[: SHOWN_ANSWERS + 1]
        )
        context = {"answers": answers[:SHOWN_ANSWERS], "more": len(answers) > SHOWN_ANSWERS, "most": SHOWN_ANSWERS}
        return render_to_string("admin/_item_answers.html", context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Item]:
        items = super().get_queryset(request).select_related("study")
        match = request.resolver_match
        if match is not None and str(match.url_name).endswith("_changelist"):
            return items.defer("document", "references", "metadata", "content", "gold", "feedback")
        return items

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request) and isinstance(obj, Item) and can_edit(obj.study)

    def text_form(self, request: HttpRequest, obj: Any) -> type[TextForm]:
        return AddItemsForm if obj is None else EditItemForm

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.add_fields
        steering, texts = self.facts[:3], self.facts[3:]
        if self.has_change_permission(request, obj):
            return ("line", *texts, *steering)
        return (*self.content[:4], *texts, *steering, *self.content[4:])

    def save_model(self, request: HttpRequest, obj: Item, form: ModelForm, change: bool) -> None:
        person, given = person_of(request), form.cleaned_data
        if change:
            change_item(obj, given["line"], person)
            return
        study = given["study"]
        for line in given["lines"]:
            add_item(study, line, person, given["reason"])
        if study.is_live and not prepare_few(study):
            request_preparation(study, person, goes_live=False)
        newest = Item.objects.filter(study=study).latest("pk")
        obj.pk, obj.study, obj.key = newest.pk, study, newest.key
