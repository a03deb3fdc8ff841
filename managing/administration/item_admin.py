"""Items, their tasks and the tasks' places in the admin. Items are added and edited on the pages of their study."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import Person
from annotation.access import RESEARCHERS
from annotation.forms import ReasonForm
from annotation.models import Item, Slot, Task
from annotation.studies.redundancy import set_redundancy
from annotation.studies.slot_steps import MOST_SLOTS, free_slot
from annotation.studies.steered_items import ItemStepRefusedError
from config.form_fields import WholeNumberField
from managing.administration.row_steps import Given, RowStep, SteeredAdmin, in_roles
from managing.items.forms import GivenReasonForm
from managing.items.page_steps import STEPS

SHOWN_WORDS = 12


class RedundancyForm(GivenReasonForm):
    count = WholeNumberField(label="Raters per task", min_value=1, max_value=MOST_SLOTS - 1)


def _step_of_item(label: str, key: str, path: str, item_of: Callable[[Any], Item]) -> RowStep:
    """A step of the item's page."""
    form, take = STEPS[key].form, STEPS[key].take
    return RowStep(
        label, in_roles(path, RESEARCHERS), lambda row, person, given: bool(take(item_of(row), given, person)), form
    )


def _item_steps(path: str, item_of: Callable[[Any], Item]) -> dict[str, RowStep]:
    """The steps that change all tasks of an item."""
    return {
        "priority": _step_of_item("Set priority", "priority", path, item_of),
        "redundancy": RowStep(
            "Change redundancy", in_roles(path, RESEARCHERS),
            lambda row, person, given: bool(set_redundancy(item_of(row), given["count"], given["reason"], person)),
            RedundancyForm,
        ),
        "cancel": _step_of_item("Cancel open places", "cancel_open", path, item_of),
    }  # fmt: skip


def _itself(item: Item) -> Item:
    return item


@admin.register(Item)
class ItemAdmin(SteeredAdmin):
    steps = {
        "withdraw": _step_of_item("Withdraw", "withdraw", "study", _itself),
        "restore": _step_of_item("Restore", "restore", "study", _itself),
        "add_rater": _step_of_item("Ask one more rater", "add_rater", "study", _itself),
        **_item_steps("study", _itself),
    }
    is_large = True
    search_help_text = "Finds exactly this id. The study's own table of items also searches texts."
    list_display = ["key", "begins", "study", "set", "pool", "priority", "withdrawn_at"]
    list_filter = ["pool", "set", "priority"]
    plain_filters = ("pool", "set", "priority")
    search_fields = ["key"]
    list_select_related = ["study"]
    ordering = ["study_id", "pk"]
    fields = [
        "key", "study", "instruction", "document", "priority", "withdrawn_at", "withdrawn_reason", "source",
        "categories", "references", "set", "pool", "gold", "feedback", "metadata", "content",
    ]  # fmt: skip

    @admin.display(description="instruction")
    def begins(self, item: Item) -> str:
        words = item.instruction.split(None, SHOWN_WORDS)
        return " ".join(words[:SHOWN_WORDS]) + (" …" if len(words) > SHOWN_WORDS else "")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Item]:
        items = super().get_queryset(request).select_related("study")
        match = request.resolver_match
        if match is not None and str(match.url_name).endswith("_changelist"):
            return items.defer("document", "references", "metadata", "content", "gold", "feedback")
        return items

    def view_on_site(self, item: Item) -> str:
        return reverse("managing:item", args=[item.study.slug, item.pk])


def _free(slot: Slot, person: Person, given: Given) -> None:
    free_slot(slot, given["reason"], person)


def _free_held(task: Task, person: Person, given: Given) -> bool:
    held = list(task.slots.filter(state=Slot.State.HELD).select_related("item").order_by("number"))
    for slot in held:
        with suppress(ItemStepRefusedError):  # it was filled or freed meanwhile
            free_slot(slot, given["reason"], person)
    return bool(held)


@admin.register(Slot)
class SlotAdmin(SteeredAdmin):
    steps = {"free": RowStep("Release", in_roles("study", RESEARCHERS), _free, ReasonForm)}
    is_large = True
    search_help_text = "Finds exactly this item id or rater."
    list_display = ["item", "number", "state", "holder", "lease_until", "task_id", "study"]
    list_filter = ["state"]
    plain_filters = ("state",)
    search_fields = ["item__key", "holder__name"]
    list_select_related = ["study", "item", "holder"]
    ordering = ["item_id", "pk"]

    def view_on_site(self, slot: Slot) -> str:
        return reverse("managing:item", args=[slot.item.study.slug, slot.item_id])


@admin.register(Task)
class TaskAdmin(SteeredAdmin):
    study_path = "item__study"
    steps = {
        "free": RowStep("Release", in_roles("item__study", RESEARCHERS), _free_held, ReasonForm),
        **_item_steps("item__study", lambda task: task.item),
    }
    is_large = True
    search_help_text = "Finds exactly this item id."
    list_display = ["item", "variant", "places", "filled", "held", "id"]
    search_fields = ["item__key"]
    list_select_related = ["item"]
    ordering = ["item_id", "pk"]
    fields = ["item", "variant"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Task]:
        tasks: QuerySet[Task] = super().get_queryset(request)
        return tasks.annotate(
            all_slots=_slots(), filled_slots=_slots(Slot.State.FILLED), held_slots=_slots(Slot.State.HELD)
        )

    def places(self, task: Task) -> int:
        return _counted(task, "all_slots")

    def filled(self, task: Task) -> int:
        return _counted(task, "filled_slots")

    def held(self, task: Task) -> int:
        return _counted(task, "held_slots")

    def view_on_site(self, task: Task) -> str:
        return reverse("managing:item", args=[task.item.study.slug, task.item_id])


def _slots(state: str | None = None) -> Coalesce:
    """The number of a task's slots, in a state if one is given: computed for the rows of a page only."""
    slots = Slot.objects.filter(task=OuterRef("pk"), **({} if state is None else {"state": state}))
    return Coalesce(Subquery(slots.order_by().values("task").annotate(count=Count("pk")).values("count")), 0)


def _counted(task: Task, name: str) -> int:
    count: int = getattr(task, name)
    return count
