"""What is posted about a rater: reasons, outcomes of notices, and replies."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.forms import LONGEST_REASON, PlainText


class Words(PlainText):
    """A text that says something: blanks alone are none."""

    def to_python(self, value: Any) -> str:
        return super().to_python(value).strip()


def _words(label: Any, help_text: Any = "") -> Words:
    return Words(label=label, max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}), help_text=help_text)


class ExclusionForm(forms.Form):
    """Why a rater is excluded, or not any more."""

    reason = _words("Reason", "The rater reads it, and it is kept.")


class NoticeForm(forms.Form):
    """What a researcher did about a notice."""

    outcome = _words("What you did, and why")
    resume = forms.BooleanField(label="Give this rater tasks again", required=False)


class ExclusionReplyForm(forms.Form):
    """What an excluded rater says."""

    text = _words(gettext_lazy("Your answer"), gettext_lazy("The researchers see it beside the exclusion."))
