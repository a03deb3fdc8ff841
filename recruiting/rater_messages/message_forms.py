"""What is posted: a message, and the reason of a pause."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.forms import LONGEST_REASON
from recruiting.checks.exclusion_forms import Words
from recruiting.rater_messages.sending_messages import LONGEST


class MessageForm(forms.Form):
    """A message of either side."""

    text = Words(label=gettext_lazy("Message"), max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 4}))


class PauseForm(forms.Form):
    """Why a rater is paused."""

    reason = Words(
        label="Reason", max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}),
        help_text="The rater reads it, and it is kept.",
    )  # fmt: skip
