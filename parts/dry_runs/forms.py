"""The settings of a dry run."""

from typing import Any

from django import forms

MOST_RATERS = 50
LARGEST = 2**31 - 1
"""The largest number that PostgreSQL keeps in a column of whole numbers."""


class DryRunForm(forms.Form):
    """How many synthetic raters there are, and how they rate."""

    raters = forms.IntegerField(
        label="Raters", min_value=1, max_value=MOST_RATERS, initial=5,
        help_text="At least as many as each task gets.",
    )  # fmt: skip
    accuracy = forms.FloatField(
        label="Accuracy", min_value=0, max_value=1, initial=0.8,
        help_text="How often a rater sees an output as good as it is, fits a question of a screen, and answers a "
        "practice task right, from 0 to 1.",
    )  # fmt: skip
    bias = forms.FloatField(
        label="Bias", min_value=-1, max_value=1, initial=0,
        help_text="How much better the output shown first looks, from -1 to 1.",
    )  # fmt: skip
    seconds = forms.FloatField(
        label="Seconds per task", min_value=1, max_value=86400, initial=60,
        help_text="In revision sessions: per rated turn.",
    )  # fmt: skip
    items = forms.IntegerField(
        label="Items at most", min_value=1, max_value=LARGEST, required=False, initial=100,
        help_text="Empty: all items. Practice items are always copied.",
    )  # fmt: skip
    seed = forms.IntegerField(label="Seed", min_value=0, max_value=LARGEST, initial=0)

    def settings(self) -> dict[str, Any]:
        """The fields of a dry run."""
        return {name: self.cleaned_data[name] for name in self.fields}
