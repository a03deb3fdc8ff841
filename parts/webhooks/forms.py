"""The forms of a study's webhooks."""

from django import forms

from parts.webhooks.allowed_addresses import AddressRefusedError, target_of
from parts.webhooks.event_kinds import EventKind


class EventsForm(forms.Form):
    events = forms.MultipleChoiceField(
        label="Events", choices=EventKind.choices, widget=forms.CheckboxSelectMultiple, initial=EventKind.values,
        error_messages={"required": "Choose at least one event."},
    )  # fmt: skip


class WebhookForm(EventsForm):
    address = forms.CharField(
        label="Address", max_length=500, widget=forms.URLInput(attrs={"spellcheck": "false"}),
        help_text="For example: https://hooks.example.org/interrater.",
        error_messages={"required": "Enter the address of your receiver."},
    )  # fmt: skip
    field_order = ["address", "events"]

    def clean_address(self) -> str:
        address: str = self.cleaned_data["address"]
        try:
            target_of(address)
        except AddressRefusedError as problem:
            raise forms.ValidationError(str(problem)) from None
        return address
