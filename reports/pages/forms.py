"""A reader's choices for a report, from an address, an API query or a command."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.models import Rater
from config.text_validation import TextRefusedError, check_id
from reports.comparison_tables import comparison_questions
from reports.figures.rows import PEOPLE, ChoiceInvalidError
from reports.report_kinds.agreement import EXCHANGEABLE, SORTED, WITH, WITHOUT

ALL_VERSIONS = "all"
KINDS = Rater.Kind.values
LONGEST_KEY = 1000
"""Letters of a question's key or of one of its labels."""
MOST_VERSIONS = 2**31 - 1


class KindsField(forms.Field):
    """Kinds of raters, separated by commas."""

    def to_python(self, value: str | None) -> frozenset[str]:
        kinds = frozenset(value.split(",")) if value else frozenset()
        if not kinds <= set(KINDS):
            raise ValidationError(f"takes {', '.join(KINDS)}, separated by commas.")
        return kinds


class CheckedKindsField(forms.MultipleChoiceField):
    """Kinds of raters as check boxes send them: unknown ones are ignored."""

    def to_python(self, value: Any) -> list[str]:
        return [kind for kind in super().to_python(value) if kind in KINDS]


class NamesField(forms.Field):
    """Names of raters, exactly as they are: a list, or a parameter that may be repeated."""

    widget = forms.SelectMultiple

    def to_python(self, value: list[str] | None) -> frozenset[str]:
        try:
            return frozenset(check_id(name, "raters") for name in value or ())
        except TextRefusedError as problem:
            raise ValidationError("takes names of raters.") from problem


class VersionField(forms.IntegerField):
    """The number of a guidelines version, "all", or None for the latest."""

    default_error_messages = {"invalid": "takes the number of a version, or all."}

    def run_validators(self, value: Any) -> None:
        """Say of a number outside of the column's range what is said of anything else that is no version."""
        if value not in (ALL_VERSIONS, *self.empty_values) and not 1 <= value <= MOST_VERSIONS:
            raise ValidationError(self.error_messages["invalid"])

    def to_python(self, value: Any) -> Any:
        return value if value == ALL_VERSIONS else super().to_python(value)


class RatersForm(forms.Form):
    """Raters by kind and by name. Without either, people are chosen."""

    kinds: forms.Field = KindsField(required=False)
    raters = NamesField(required=False)

    def clean(self) -> dict[str, Any]:
        chosen = super().clean() or {}
        if "kinds" in chosen:
            chosen["kinds"] = frozenset(chosen["kinds"]) or (frozenset() if chosen.get("raters") else PEOPLE)
        return chosen


class DetailsForm(RatersForm):
    guidelines = VersionField(required=False)


class ExcludedField(forms.ChoiceField):
    """Whether answers of raters whom a researcher has excluded count: with (by default) or without."""

    def __init__(self) -> None:
        wrong = {"invalid_choice": f"takes {WITH} or {WITHOUT}."}
        super().__init__(choices=[(WITH, ""), (WITHOUT, "")], required=False, error_messages=wrong)


class PairCodingField(forms.ChoiceField):
    """Whether the outputs of a pair are exchangeable (by default), or told apart by the order of their names."""

    def __init__(self) -> None:
        codings = (EXCHANGEABLE, SORTED)
        wrong = {"invalid_choice": f"takes {' or '.join(codings)}."}
        super().__init__(choices=[(coding, "") for coding in codings], required=False, error_messages=wrong)


class AgreementForm(DetailsForm):
    excluded = ExcludedField()
    pair_coding = PairCodingField()
    by = forms.ChoiceField(
        choices=[("category", "")], required=False, error_messages={"invalid_choice": "takes category."}
    )


class MetaEvaluationForm(forms.Form):
    """Judges by kind and by name, by default all machines; the group of people by name, by default everybody else.

    Tables of parts add questions that a reader may choose.
    """

    kinds: forms.Field = KindsField(required=False)
    raters = NamesField(required=False)
    people = NamesField(required=False)
    across = NamesField(required=False)
    guidelines = VersionField(required=False)
    positive = forms.CharField(required=False, max_length=LONGEST_KEY)
    panel = NamesField(required=False)
    pair_coding = PairCodingField()
    epsilon = forms.FloatField(
        required=False, min_value=0, max_value=1,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), "takes a number from 0 to 1."),
    )  # fmt: skip

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for one in comparison_questions():
            self.fields[one.name] = forms.CharField(required=False, max_length=LONGEST_KEY)

    def clean(self) -> dict[str, Any]:
        chosen = super().clean() or {}
        if PEOPLE & set(chosen.get("kinds") or ()):
            self.add_error("kinds", "takes metric and model; people are judges if raters names them.")
        elif "kinds" in chosen and not chosen["kinds"] and not chosen.get("raters"):
            chosen["kinds"] = frozenset(KINDS) - PEOPLE
        return chosen


class MetaEvaluationApiForm(MetaEvaluationForm):
    by = forms.ChoiceField(
        choices=[("category", "")], required=False, error_messages={"invalid_choice": "takes category."}
    )


class LeaderboardForm(MetaEvaluationForm):
    kinds = CheckedKindsField(choices=Rater.Kind.choices, required=False)
    sort = forms.CharField(required=False)

    def clean(self) -> dict[str, Any]:
        chosen = super().clean() or {}
        chosen["kinds"] = frozenset(chosen.get("kinds") or ())
        return chosen


class SessionReportForm(forms.Form):
    labeller = forms.CharField(required=False, strip=False, empty_value=None)


class ReportPageForm(SessionReportForm, RatersForm):
    kinds = CheckedKindsField(choices=Rater.Kind.choices, required=False)
    guidelines = VersionField(required=False)
    excluded = ExcludedField()
    pair_coding = PairCodingField()
    by = forms.CharField(required=False)


def choices_in(form: forms.Form) -> dict[str, Any]:
    """The form's choices by name; raises ChoiceInvalidError, whose message begins with the name of the wrong one."""
    if form.is_valid():
        return form.cleaned_data
    name, (problem, *_) = next(iter(form.errors.items()))
    raise ChoiceInvalidError(f"{name} {problem}")
