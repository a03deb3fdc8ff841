"""Tasks and their places for raters in the admin."""

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
from annotation.studies.slot_steps import MOST_DAYS, free_slot, reserve_slot
from config.form_fields import WholeNumberField
from managing.administration.confirmed_actions import PREFIX, ConfirmedAction, Given, in_roles
from managing.administration.steered_admin import SteeredAdmin
from managing.items.forms import DAYS

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
            study__in={slot.study_id for slot in rows}, role=Role.ANNOTATOR, active=True
        ).order_by("pk")[:MOST_MEMBERS]
        field = form.fields["member"]
        if isinstance(field, forms.ModelChoiceField):
            chosen = Membership.objects.filter(pk__in=list(members.values_list("pk", flat=True)))
            field.queryset = chosen.select_related("person", "study")
        return form


def _free(slot: Slot, person: Person, given: Given) -> None:
    free_slot(slot, given["reason"], person)


def _reassign(slot: Slot, person: Person, given: Given) -> bool:
    member: Membership = given["member"]
    if member.study_id != slot.study_id:
        return False
    reserve_slot(slot, rater_for(member.study, member.person), given["days"], given["reason"], person)
    return True


of_researchers = in_roles("study", RESEARCHERS)


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
    list_display = ["item", "number", "state", "holder", "lease_until", "task_id", "study"]
    list_filter = ["state"]
    plain_filters = ("state",)
    search_fields = ["item__key", "holder__name"]
    list_select_related = ["study", "item", "holder"]
    ordering = ["pk"]


@admin.register(Task)
class TaskAdmin(SteeredAdmin):
    study_path = "item__study"
    list_display = ["item", "variant", "places", "filled", "held", "id"]
    search_fields = ["item__key"]
    list_select_related = ["item"]
    ordering = ["pk"]
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
