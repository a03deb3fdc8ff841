"""Forms of the pages of a study."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from annotation.desk.part_tasks import RepeatedSteps
from annotation.members.invitations import DAYS, MOST_AT_ONCE
from annotation.members.tokens import DAYS as TOKEN_DAYS
from annotation.members.tokens import MOST_DAYS as MOST_TOKEN_DAYS
from annotation.models import FlagAnswer, SpanReview, SpotCheck, Study, Token
from annotation.models.people import Role
from config.form_fields import WholeNumberField
from config.text_validation import TextRefusedError, check_text

LONGEST_GUIDELINES = 200_000
LONGEST_ABOUT = 20_000
LONGEST_REASON = 5000
READ_OR_WRITE = [(scope.value, scope.label) for scope in (Token.Scope.READ, Token.Scope.WRITE)]


class PlainText(forms.CharField):
    """Text of several lines as typed; browsers send line ends as CR LF."""

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
            raise ValidationError(gettext("This text %(problem)s.") % {"problem": problem.reason}) from problem


class InviteForm(forms.Form):
    """Invitations to one of `roles`, which this person may offer."""

    role = forms.ChoiceField(label="Role", choices=[])
    count = forms.IntegerField(
        label="How many links",
        min_value=1,
        max_value=MOST_AT_ONCE,
        initial=1,
        help_text=f"One per person, at most {MOST_AT_ONCE} at once.",
    )
    days = forms.IntegerField(label=gettext_lazy("Days valid"), min_value=1, max_value=90, initial=DAYS)
    note = forms.CharField(
        label="For whom", max_length=200, required=False, help_text="Only people who run the study see this."
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
        label=gettext_lazy("Token name"),
        max_length=100,
        help_text=gettext_lazy("For example: nightly export. Only people who run the study see this."),
    )
    scope = forms.ChoiceField(
        label=gettext_lazy("Scope"),
        choices=READ_OR_WRITE,
        initial=Token.Scope.READ,
        help_text=gettext_lazy("Write: change the study, and add items, ratings and scores."),
    )
    days = forms.IntegerField(
        label=gettext_lazy("Days valid"), min_value=1, max_value=MOST_TOKEN_DAYS, initial=TOKEN_DAYS
    )


class AccountTokenForm(TokenForm):
    """A token of a person's account, or one with which they annotate; only what they may do is offered."""

    ALL, NAMED, TASKS = "all", "named", "tasks"
    opens = forms.ChoiceField(label=gettext_lazy("What it opens"), widget=forms.RadioSelect)
    studies = forms.ModelMultipleChoiceField(
        label=gettext_lazy("Studies"), queryset=Study.objects.none(), required=False, to_field_name="slug",
        widget=forms.CheckboxSelectMultiple, help_text=gettext_lazy("For a token that opens only some studies."),
    )  # fmt: skip
    tasks_of = forms.ModelChoiceField(
        label=gettext_lazy("Study whose tasks it opens"), queryset=Study.objects.none(), required=False,
        to_field_name="slug",
        help_text=gettext_lazy("For a token that annotates: it claims and answers tasks in your name."),
    )  # fmt: skip
    makes_studies = forms.BooleanField(label=gettext_lazy("It may make studies"), required=False)
    field_order = ("name", "opens", "studies", "tasks_of", "scope", "makes_studies", "days")

    def __init__(
        self, *args: Any, run: QuerySet[Study], annotated: QuerySet[Study], may_make: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text = gettext("For example: nightly copy.")
        self.fields["scope"].help_text = gettext("Write: change studies and add to them.")
        self.fields["studies"].queryset, self.fields["tasks_of"].queryset = run, annotated  # type: ignore[attr-defined]
        offered = [
            (self.ALL, gettext("All studies that I run, now and later")),
            (self.NAMED, gettext("Only some of them")),
        ]
        offered = offered if may_make or run.exists() else []
        self.fields["opens"].choices = offered + (  # type: ignore[attr-defined]
            [(self.TASKS, gettext("My tasks in a study in which I annotate"))] if annotated.exists() else []
        )
        for name, is_offered in (
            ("scope", offered), ("studies", run.exists()), ("tasks_of", annotated.exists()),
            ("makes_studies", may_make),
        ):  # fmt: skip
            if not is_offered:
                del self.fields[name]

    @property
    def offers_something(self) -> bool:
        """Whether there is anything that a token of this person could open."""
        return bool(self.fields["opens"].choices)  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        opens, makes = data.get("opens"), data.get("makes_studies")
        if opens == self.NAMED and not data.get("studies"):
            self.add_error("studies" if "studies" in self.fields else "opens", gettext("Choose at least one study."))
        if opens == self.TASKS and not data.get("tasks_of"):
            self.add_error("tasks_of", gettext("Choose a study."))
        if makes and (opens != self.ALL or data.get("scope") != Token.Scope.WRITE):
            self.add_error(
                "makes_studies", gettext("Only a token that writes and opens all your studies may make new ones.")
            )
        return data


class ReasonForm(forms.Form):
    reason = forms.CharField(label="Why", max_length=500, required=False)


class CorrectionForm(forms.Form):
    """A form that changes a study: for a locked one it also asks why."""

    def __init__(self, *args: Any, locked: bool = False, **more: Any) -> None:
        super().__init__(*args, **more)
        if locked:
            self.fields["reason"] = forms.CharField(
                label="Reason for the correction", max_length=500, error_messages={"required": "Give a reason."},
                help_text="The study is locked: the audit keeps why it is changed.",
            )  # fmt: skip


class ProjectForm(forms.Form):
    name = forms.CharField(
        label="Project", max_length=200, required=False, help_text="Groups studies on the home page. Empty: none."
    )


class GuidelinesForm(CorrectionForm):
    text = PlainText(label="Guidelines (Markdown)", max_length=LONGEST_GUIDELINES, required=False)
    changes_meaning = forms.BooleanField(required=False)

    def __init__(self, *args: Any, repeated: RepeatedSteps | None = None, **more: Any) -> None:
        super().__init__(*args, **more)
        if repeated is not None:
            field = self.fields["changes_meaning"]
            field.label, field.help_text = repeated


class GuidelinesVersionForm(forms.Form):
    version = WholeNumberField(min_value=1)


class DescriptionForm(CorrectionForm):
    title = PlainText(label="Title", max_length=300, required=False, widget=forms.TextInput)
    description = PlainText(
        label="Description",
        max_length=LONGEST_ABOUT,
        required=False,
        help_text="What the study is about and what it collects. Invited people read this before they join.",
    )
    contact = PlainText(
        label="Contact",
        widget=forms.Textarea(attrs={"rows": 3}),
        max_length=LONGEST_ABOUT,
        required=False,
        help_text="Annotators contact this address with questions or problems.",
    )


class SpanReviewForm(forms.Form):
    """A researcher's verdict on a marked span."""

    verdict = forms.ChoiceField(
        label="Verdict", choices=SpanReview.Verdict.choices[:2], error_messages={"required": "Confirm or reject it."}
    )
    reason = PlainText(label="Reason", max_length=LONGEST_REASON, error_messages={"required": "Give a reason."})

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"].strip()
        if not reason:
            raise ValidationError("Give a reason.")
        return reason


class FlagAnswerForm(forms.Form):
    """A researcher's answer to a flag; `note` goes to the annotator, `flag` is the text that the researcher saw."""

    outcome = forms.ChoiceField(
        label="Answer", choices=FlagAnswer.Outcome.choices, error_messages={"required": "Resolve or dismiss it."}
    )
    note = PlainText(
        label="Note to the annotator", max_length=LONGEST_REASON,
        error_messages={"required": "Tell the annotator what was done, or why nothing is."},
    )  # fmt: skip
    flag = PlainText(widget=forms.HiddenInput)

    def clean_note(self) -> str:
        note: str = self.cleaned_data["note"].strip()
        if not note:
            raise ValidationError("Tell the annotator what was done, or why nothing is.")
        return note


class SpotCheckForm(forms.Form):
    """A researcher's verdict on an answer; `note` goes to the annotator."""

    verdict = forms.ChoiceField(
        label="Verdict", choices=SpotCheck.Verdict.choices, error_messages={"required": "Choose a verdict."}
    )
    note = PlainText(label="Note to the annotator", max_length=LONGEST_REASON, required=False)

    def clean_note(self) -> str:
        note: str = self.cleaned_data["note"].strip()
        if not note and self.cleaned_data.get("verdict") == SpotCheck.Verdict.PROBLEM:
            raise ValidationError("Tell the annotator what the problem is.")
        return note
