"""The posted fields of an item's page."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms import LONGEST_REASON, PlainText
from annotation.models import Item
from annotation.studies.slot_steps import MOST_DAYS
from config.form_fields import WholeNumberField

DAYS = 7


class GivenReasonForm(forms.Form):
    """A step that needs a reason."""

    reason = PlainText(label="Reason", max_length=LONGEST_REASON, error_messages={"required": "Give a reason."})

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"].strip()
        if not reason:
            raise ValidationError("Give a reason.")
        return reason


class PriorityForm(GivenReasonForm):
    priority = forms.TypedChoiceField(
        label="Priority", choices=Item.Priority.choices, coerce=int, error_messages={"required": "Choose a priority."}
    )


class FreeSlotForm(forms.Form):
    slot = WholeNumberField(max_value=2**63 - 1, error_messages={"required": "Choose a place."})
    reason = PlainText(label="Reason", max_length=LONGEST_REASON, required=False)


class ReserveForm(FreeSlotForm):
    member = WholeNumberField(max_value=2**63 - 1, error_messages={"required": "Choose an annotator."})
    days = WholeNumberField(label="Days", min_value=1, max_value=MOST_DAYS, initial=DAYS)


def first_error(form: forms.Form) -> str:
    """The first thing that is wrong with a form."""
    errors: dict[str, Any] = form.errors
    return str(next(iter(errors.values()))[0])
