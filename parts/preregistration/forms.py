"""What a person writes into a plan."""

from typing import Any

from django import forms

from agreement.catalogue.report_catalogue import FIGURES
from annotation.forms import PlainText

LONGEST = 20_000
NOT_RESULTS = ("count", "bins", "table")
FIGURE_CHOICES = [(name, one.title) for name, one in FIGURES.items() if one.unit not in NOT_RESULTS]


class PreregistrationForm(forms.Form):
    """The parts of a plan that only a person can write."""

    figures = forms.MultipleChoiceField(
        label="Figures to be reported", choices=FIGURE_CHOICES, required=False, widget=forms.CheckboxSelectMultiple
    )
    other_figures = PlainText(
        label="Other analyses", max_length=LONGEST, required=False, widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Tests, comparisons of systems, exclusions: whatever the list does not name.",
    )  # fmt: skip
    stop_rules = PlainText(
        label="When the study ends", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 3}),
        help_text="In words: how many answers, until when, and what would end it earlier.",
    )  # fmt: skip
    hypotheses = PlainText(
        label="What you expect", max_length=LONGEST, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )

    def chosen(self) -> dict[str, Any]:
        """What is stored of a valid form."""
        return {name: self.cleaned_data[name] for name in self.fields}
