"""What is posted about e-mail: one's own address and choices, addresses to invite, and the days until a reminder."""

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext, gettext_lazy

from annotation.members.invitations import DAYS
from parts.mail.models import LONGEST_ADDRESS
from parts.mail.reminder_section import MOST_DAYS, MOST_REMINDERS, REMINDERS

MOST_ADDRESSES = 50


def checked_address(text: str) -> str:
    """An address that a header can hold: one line of ASCII. Raises ValidationError."""
    address = text.strip()
    if len(address) > LONGEST_ADDRESS or not address.isascii() or not address.isprintable():
        raise ValidationError(gettext("Write one address of ASCII characters, such as ann@example.org."))
    validate_email(address)
    return address


class AddressForm(forms.Form):
    """A person's own address."""

    address = forms.CharField(
        label=gettext_lazy("E-mail address"),
        max_length=LONGEST_ADDRESS,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "dir": "ltr"}),
    )

    def clean_address(self) -> str:
        return checked_address(self.cleaned_data["address"])


class ChoicesForm(forms.Form):
    """Which mails a person wants."""

    reminder = forms.BooleanField(
        label=gettext_lazy("Reminders, if tasks wait and I have not worked for some days"), required=False
    )
    batch = forms.BooleanField(label=gettext_lazy("New tasks"), required=False)
    notes = forms.BooleanField(label=gettext_lazy("Notes and messages of the researchers"), required=False)


class MailInvitationsForm(forms.Form):
    """Addresses to invite, one per line."""

    addresses = forms.CharField(
        label="Addresses, one per line", max_length=MOST_ADDRESSES * (LONGEST_ADDRESS + 2),
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=f"At most {MOST_ADDRESSES}. An address is deleted as soon as its mail has been sent.",
    )  # fmt: skip
    days = forms.IntegerField(label="Days valid", min_value=1, max_value=90, initial=DAYS)

    def clean_addresses(self) -> list[str]:
        lines = [line for line in self.cleaned_data["addresses"].splitlines() if line.strip()]
        if len(lines) > MOST_ADDRESSES:
            raise ValidationError(f"Give at most {MOST_ADDRESSES} addresses at once.")
        found = []
        for number, line in enumerate(lines, 1):
            try:
                found.append(checked_address(line))
            except ValidationError:
                raise ValidationError(f"Line {number} is not an e-mail address.") from None
        return found


class ReminderForm(forms.Form):
    """After how many days without work a rater gets a reminder, and how many."""

    days = forms.IntegerField(
        label="Days without work", min_value=1, max_value=MOST_DAYS, required=False,
        help_text="Empty: no reminders. The study file keeps it under mail.",
    )  # fmt: skip
    most = forms.IntegerField(
        label="Reminders at most", min_value=1, max_value=MOST_REMINDERS, required=False,
        help_text=f"In a row to somebody who does nothing. Empty: {REMINDERS}.",
    )  # fmt: skip


class ForgottenPasswordForm(forms.Form):
    """Whose password is forgotten: a user name or a mail address."""

    account = forms.CharField(
        label=gettext_lazy("User name or e-mail address"), max_length=LONGEST_ADDRESS,
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}),
    )  # fmt: skip
