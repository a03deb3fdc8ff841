"""What is posted about a rater's standing: reasons of exclusions and pauses, and replies."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.forms import LONGEST_REASON, PlainText


class Words(PlainText):
    """A text that says something: blanks alone are none."""

    def to_python(self, value: Any) -> str:
        return super().to_python(value).strip()


def words(label: Any, help_text: Any = "") -> Words:
    """A field for a reason or the like."""
    return Words(label=label, max_length=LONGEST_REASON, widget=forms.Textarea(attrs={"rows": 3}), help_text=help_text)


class ExclusionForm(forms.Form):
    """Why a rater is excluded, or not any more."""

    reason = words("Reason", "The rater reads it, and it is kept.")


class PauseForm(forms.Form):
    """Why a rater is paused."""

    reason = words("Reason", "The rater reads it, and it is kept.")


class ExclusionReplyForm(forms.Form):
    """What an excluded rater says."""

    text = words(gettext_lazy("Your answer"), gettext_lazy("The researchers see it beside the exclusion."))
