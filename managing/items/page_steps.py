"""The steps that an item's page offers: each with its form, the verb that it calls, and what the page says then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404

from accounts.models import Person
from annotation.access import NOTHING
from annotation.members.membership import rater_for
from annotation.models import Item, Membership, Slot
from annotation.models.people import Role
from annotation.studies import slot_steps, steered_items
from managing.items.forms import FreeSlotForm, GivenReasonForm, PriorityForm, ReserveForm

Fields = Mapping[str, Any]


@dataclass(frozen=True)
class ItemStep:
    """A step on an item. `take` calls the verb and returns a sentence for the page; raises ItemStepRefusedError."""

    form: type[forms.Form]
    take: Callable[[Item, Fields, Person], str]


def _withdraw(item: Item, fields: Fields, person: Person) -> str:
    steered_items.withdraw(item, fields["reason"], person)
    return "The item is withdrawn. Its answers are kept, but it is in no task and in no figure."


def _restore(item: Item, fields: Fields, person: Person) -> str:
    steered_items.restore(item, fields["reason"], person)
    return "The item is back: its open places are given out, and its answers count."


def _prioritise(item: Item, fields: Fields, person: Person) -> str:
    steered_items.set_priority(item, fields["priority"], fields["reason"], person)
    return "The priority is changed."


def _add_rater(item: Item, fields: Fields, person: Person) -> str:
    slot_steps.add_rater(item, fields["reason"], person)
    return "One more rater will be asked."


def _cancel_open(item: Item, fields: Fields, person: Person) -> str:
    count = slot_steps.cancel_open(item, fields["reason"], person)
    return f"{count} open place{'' if count == 1 else 's'} cancelled."


def _free(item: Item, fields: Fields, person: Person) -> str:
    slot_steps.free_slot(_slot(item, fields), fields["reason"], person)
    return "The place is open to others. A draft of its holder is kept."


def _reserve(item: Item, fields: Fields, person: Person) -> str:
    members = Membership.objects.select_related("person").filter(study=item.study, role=Role.ANNOTATOR, active=True)
    member = members.filter(pk=fields["member"]).first()
    if member is None:
        raise Http404(NOTHING)
    rater = rater_for(item.study, member.person)
    slot_steps.reserve_slot(_slot(item, fields), rater, fields["days"], fields["reason"], person)
    return f"{member.person} gets this task next."


def _slot(item: Item, fields: Fields) -> Slot:
    slot = Slot.objects.select_related("item").filter(item=item, pk=fields["slot"]).first()
    if slot is None:
        raise Http404(NOTHING)
    return slot


STEPS: Mapping[str, ItemStep] = {
    "withdraw": ItemStep(GivenReasonForm, _withdraw),
    "restore": ItemStep(GivenReasonForm, _restore),
    "priority": ItemStep(PriorityForm, _prioritise),
    "add_rater": ItemStep(GivenReasonForm, _add_rater),
    "cancel_open": ItemStep(GivenReasonForm, _cancel_open),
    "free": ItemStep(FreeSlotForm, _free),
    "reserve": ItemStep(ReserveForm, _reserve),
}
