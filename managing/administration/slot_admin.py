"""Tasks and their places for raters in the admin."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from accounts.models import Person
from annotation.access import RESEARCHERS
from annotation.forms import LONGEST_REASON, PlainText
from annotation.members.membership import rater_for
from annotation.models import Membership, Slot, Task
from annotation.models.people import Role
from annotation.studies.redundancy import set_redundancy
from annotation.studies.slot_steps import MOST_DAYS, cancel_open, free_slot, reserve_slot
from annotation.studies.steered_items import ItemStepRefusedError, set_priority
from config.form_fields import WholeNumberField
from managing.administration.confirmed_actions import PREFIX, ConfirmedAction, Given, in_roles
from managing.administration.item_admin import RedundancyForm
from managing.administration.steered_admin import SteeredAdmin
from managing.items.forms import DAYS, GivenReasonForm, PriorityForm

MOST_MEMBERS = 500
SHOWN_SLOTS = 100


class FreeingForm(forms.Form):
    reason = PlainText(label="Reason", max_length=LONGEST_REASON, required=False)


class ReassignForm(FreeingForm):
    member = forms.ModelChoiceField(Membership.objects.none(), label="Annotator")
    days = WholeNumberField(label="Days", min_value=1, max_value=MOST_DAYS, initial=DAYS)
    field_order = ("member", "days", "reason")


class ReassignAction(ConfirmedAction):
    """Keeps places of one study for one of its annotators."""

    def form_for(self, person: Person, rows: Any, posted: Given | None) -> forms.Form:
        form = ReassignForm(posted, prefix=PREFIX)
        members = Membership.objects.filter(
            study__in={_study_of(row) for row in rows}, role=Role.ANNOTATOR, active=True
        ).order_by("pk")[:MOST_MEMBERS]
        field = form.fields["member"]
        if isinstance(field, forms.ModelChoiceField):
            chosen = Membership.objects.filter(pk__in=list(members.values_list("pk", flat=True)))
            field.queryset = chosen.select_related("person", "study")
        return form


def _study_of(row: Slot | Task) -> int:
    return row.study_id if isinstance(row, Slot) and row.study_id is not None else row.item.study_id


def _free(slot: Slot, person: Person, given: Given) -> None:
    free_slot(slot, given["reason"], person)


def _reassign(slot: Slot, person: Person, given: Given) -> bool:
    member: Membership = given["member"]
    if member.study_id != slot.study_id:
        return False
    reserve_slot(slot, rater_for(member.study, member.person), given["days"], given["reason"], person)
    return True


def _free_held(task: Task, person: Person, given: Given) -> bool:
    held = list(task.slots.filter(state=Slot.State.HELD).select_related("item").order_by("number"))
    for slot in held:
        with suppress(ItemStepRefusedError):  # it was filled or freed meanwhile
            free_slot(slot, given["reason"], person)
    return bool(held)


def _reserve_open(task: Task, person: Person, given: Given) -> bool:
    slot = task.slots.filter(state=Slot.State.OPEN).select_related("item").order_by("number").first()
    return slot is not None and _reassign(slot, person, given)


of_researchers = in_roles("study", RESEARCHERS)
of_item_researchers = in_roles("item__study", RESEARCHERS)


@admin.register(Slot)
class SlotAdmin(SteeredAdmin):
    steps = (
        ConfirmedAction(
            "free", "Release", "Opens held places to others. Drafts of their holders are kept.", of_researchers,
            _free, form=FreeingForm, suits=lambda slot: slot.state == Slot.State.HELD,
        ),
        ReassignAction(
            "reassign", "Reassign", "Keeps the places for one annotator, who gets them next.", of_researchers,
            _reassign, form=ReassignForm, suits=lambda slot: slot.state != Slot.State.FILLED,
        ),
    )  # fmt: skip
    is_large = True
    search_help_text = "Finds exactly this item id or rater."
    list_display = ["item", "number", "state", "holder", "lease_until", "task_id", "study"]
    list_filter = ["state"]
    plain_filters = ("state",)
    search_fields = ["item__key", "holder__name"]
    list_select_related = ["study", "item", "holder"]
    ordering = ["item_id", "pk"]


def _task_steps() -> Iterator[ConfirmedAction]:
    """Priority, redundancy and cancelling are those of the task's item: its other tasks change with it."""
    yield ConfirmedAction(
        "free", "Release", "Opens the held places to others. Drafts of their holders are kept.", of_item_researchers,
        _free_held, form=FreeingForm,
    )  # fmt: skip
    yield ReassignAction(
        "reassign", "Give to an annotator", "Keeps an open place of each task for one annotator, who gets it next.",
        of_item_researchers, _reserve_open, form=ReassignForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "redundancy", "Change redundancy", "Gives all tasks of the tasks' items so many places.", of_item_researchers,
        lambda task, person, given: bool(set_redundancy(task.item, given["count"], given["reason"], person)),
        form=RedundancyForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "priority", "Set priority", "Gives the tasks' items out before or after others.", of_item_researchers,
        lambda task, person, given: set_priority(task.item, given["priority"], given["reason"], person),
        form=PriorityForm,
    )  # fmt: skip
    yield ConfirmedAction(
        "cancel", "Cancel open places", "Nobody else is asked about the tasks' items. Taken places stay.",
        of_item_researchers,
        lambda task, person, given: bool(cancel_open(task.item, given["reason"], person)), form=GivenReasonForm,
    )  # fmt: skip


@admin.register(Task)
class TaskAdmin(SteeredAdmin):
    study_path = "item__study"
    steps = tuple(_task_steps())
    is_large = True
    search_help_text = "Finds exactly this item id."
    list_display = ["item", "variant", "places", "filled", "held", "id"]
    search_fields = ["item__key"]
    list_select_related = ["item"]
    ordering = ["item_id", "pk"]
    fields = ["item", "variant", "slots_shown"]
    readonly_fields = ["slots_shown"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Task]:
        tasks: QuerySet[Task] = super().get_queryset(request)
        return tasks.annotate(
            all_slots=_slots(), filled_slots=_slots(Slot.State.FILLED), held_slots=_slots(Slot.State.HELD)
        )

    @admin.display(description="places")
    def slots_shown(self, task: Task) -> SafeString:
        slots = list(task.slots.select_related("holder").order_by("number")[: SHOWN_SLOTS + 1])
        context = {"slots": slots[:SHOWN_SLOTS], "more": len(slots) > SHOWN_SLOTS, "most": SHOWN_SLOTS}
        return render_to_string("admin/_task_slots.html", context)

    def places(self, task: Task) -> int:
        return _counted(task, "all_slots")

    def filled(self, task: Task) -> int:
        return _counted(task, "filled_slots")

    def held(self, task: Task) -> int:
        return _counted(task, "held_slots")


def _slots(state: str | None = None) -> Coalesce:
    """The number of a task's slots, in a state if one is given: computed for the rows of a page only."""
    slots = Slot.objects.filter(task=OuterRef("pk"), **({} if state is None else {"state": state}))
    return Coalesce(Subquery(slots.order_by().values("task").annotate(count=Count("pk")).values("count")), 0)


def _counted(task: Task, name: str) -> int:
    count: int = getattr(task, name)
    return count
