"""Forms of the pages of a study."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.inviting import DAYS, MOST_AT_ONCE
from annotation.models import SpanReview, SpotCheck, Token
from annotation.models.people import Role
from annotation.text import TextRefusedError, check_text
from annotation.tokens import DAYS as TOKEN_DAYS
from annotation.tokens import MOST_DAYS as MOST_TOKEN_DAYS

LONGEST_GUIDELINES = 200_000
LONGEST_ABOUT = 20_000
LONGEST_REASON = 5000


class PlainText(forms.CharField):
    """Text over several lines as it was typed; forms send line ends as CR LF, which nobody typed."""

    widget = forms.Textarea

    def __init__(self, **more: Any) -> None:
        super().__init__(strip=False, **more)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")

    def validate(self, value: str) -> None:
        super().validate(value)
        try:
            check_text(value)
        except TextRefusedError as problem:
            raise ValidationError(f"This text {problem.reason}.") from problem


class InviteForm(forms.Form):
    """`roles` are those that the person asking may give."""

    role = forms.ChoiceField(label="Role", choices=[])
    count = forms.IntegerField(
        label="How many links",
        min_value=1,
        max_value=MOST_AT_ONCE,
        initial=1,
        help_text=f"One for each person, at most {MOST_AT_ONCE} at once.",
    )
    days = forms.IntegerField(label="Valid for how many days", min_value=1, max_value=90, initial=DAYS)
    note = forms.CharField(
        label="For whom", max_length=200, required=False, help_text="Seen by the people who run the study only."
    )

    def __init__(self, *args: Any, roles: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["role"]
        if isinstance(field, forms.ChoiceField):
            field.choices = roles


class RoleForm(forms.Form):
    role = forms.ChoiceField(label="Role", choices=Role.choices)


class TokenForm(forms.Form):
    name = forms.CharField(
        label="What uses it",
        max_length=100,
        help_text="To know it by later, such as: nightly export. Seen by the people who run the study.",
    )
    scope = forms.ChoiceField(
        label="What it may do",
        choices=Token.Scope.choices,
        initial=Token.Scope.READ,
        help_text="Writing means adding items, ratings and scores.",
    )
    days = forms.IntegerField(
        label="Valid for how many days", min_value=1, max_value=MOST_TOKEN_DAYS, initial=TOKEN_DAYS
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(label="Why", max_length=500, required=False)


class GuidelinesForm(forms.Form):
    text = PlainText(label="Guidelines (Markdown)", max_length=LONGEST_GUIDELINES, required=False)


class DescriptionForm(forms.Form):
    title = PlainText(label="Title", max_length=300, required=False, widget=forms.TextInput)
    description = PlainText(
        label="Description",
        max_length=LONGEST_ABOUT,
        required=False,
        help_text="What the study is about, and what is collected. Whoever is invited reads it before joining.",
    )
    contact = PlainText(
        label="Contact",
        max_length=LONGEST_ABOUT,
        required=False,
        help_text="Whom annotators ask when something is unclear or wrong.",
    )


class SpanReviewForm(forms.Form):
    """What a researcher says of a marked span."""

    verdict = forms.ChoiceField(
        label="Verdict", choices=SpanReview.Verdict.choices[:2], error_messages={"required": "Confirm or reject it."}
    )
    reason = PlainText(label="Reason", max_length=LONGEST_REASON, error_messages={"required": "Say why."})

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"].strip()
        if not reason:
            raise ValidationError("Say why.")
        return reason


class SpotCheckForm(forms.Form):
    """What a researcher says of an answer; `note` goes to the annotator."""

    verdict = forms.ChoiceField(
        label="Verdict", choices=SpotCheck.Verdict.choices, error_messages={"required": "Say whether it is all right."}
    )
    note = PlainText(label="Note to the annotator", max_length=LONGEST_REASON, required=False)

    def clean_note(self) -> str:
        note: str = self.cleaned_data["note"].strip()
        if not note and self.cleaned_data.get("verdict") == SpotCheck.Verdict.PROBLEM:
            raise ValidationError("Say to the annotator what the problem is.")
        return note
