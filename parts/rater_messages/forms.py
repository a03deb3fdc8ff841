"""What is posted: a message."""

from django import forms
from django.utils.translation import gettext_lazy

from annotation.members.standing_forms import Words
from parts.rater_messages.sending_messages import LONGEST


class MessageForm(forms.Form):
    """A message of either side."""

    text = Words(label=gettext_lazy("Message"), max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 4}))
