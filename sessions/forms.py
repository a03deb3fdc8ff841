"""Forms of the pages of sessions, except for the answers to the study's questions."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from config.form_fields import WholeNumberField
from sessions.models import LabelSample, TurnLabel
from sessions.steps import LONGEST_ANSWER, LONGEST_INSTRUCTION
from sessions.workflow import KINDS

MOST_TURNS = 99_999
MOST_SAMPLED, MOST_SECOND_RATERS = 999_999, 100
MOST_KEY = 2**63 - 1
INSTRUCTION, KIND, EDIT, AT = "q-:instruction", "q-:kind", "q-:edit", "q-:at"
"""Fields of the session's page; the colon keeps them apart from the fields of the study's questions."""
OWN_FIELDS = (INSTRUCTION, KIND, EDIT, AT)
VIEWS = ("text", "changes", "sources")


class PlainTextField(forms.CharField):
    """Text as typed, with line ends as they are stored; its length is counted with them."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        text = str(super().to_python(value)).replace("\r\n", "\n")
        return text if text.strip() else ""


class SessionFieldsForm(forms.Form):
    """A form of the session's page; its fields have the page's names."""

    def add_prefix(self, field_name: str) -> str:
        return f"q-:{field_name}"

    def problems(self) -> dict[str, str]:
        """Return the first problem of each field."""
        return {name: str(found[0]) for name, found in self.errors.items()}


class InstructionForm(SessionFieldsForm):
    """An instruction and its kind: information or style."""

    instruction = PlainTextField(
        max_length=LONGEST_INSTRUCTION,
        error_messages={
            "required": gettext_lazy("Write an instruction first."),
            "max_length": gettext_lazy(
                "An instruction may have at most %(limit_value)d characters; this one has %(show_value)d."
            ),
        },
    )
    kind = forms.ChoiceField(
        choices=[(kind, kind) for kind in KINDS],
        error_messages=dict.fromkeys(("required", "invalid_choice"), gettext_lazy("Should the papers be searched?")),
    )


class EditForm(SessionFieldsForm):
    """An edited answer."""

    edit = PlainTextField(
        max_length=LONGEST_ANSWER,
        error_messages={
            "required": gettext_lazy("The edited answer is empty. To keep the answer as it is, choose Cancel."),
            "max_length": gettext_lazy(
                "An answer may have at most %(limit_value)d characters; this one has %(show_value)d."
            ),
        },
    )


class VersionsForm(forms.Form):
    """The turn that a step is about, and how often it had been rated and edited when the page was made."""

    turn = WholeNumberField(required=False, max_value=MOST_TURNS)
    rated = WholeNumberField(required=False, max_value=MOST_TURNS)
    edits = WholeNumberField(required=False, max_value=MOST_TURNS)


@dataclass(frozen=True)
class PageChoice:
    """What the address asks the session's page to show; unknown values are ignored."""

    view: str = ""
    step: str = ""
    """The step to show instead of the one that is due: `edit`, `rate` or `send`."""
    answer: int | None = None
    passages: int | None = None
    older: str = ""
    newer: str = ""


class PageChoiceForm(forms.Form):
    """The query of the session's page."""

    view = forms.ChoiceField(required=False, choices=[(view, view) for view in VIEWS])
    answer = WholeNumberField(required=False, max_value=MOST_TURNS)
    passages = WholeNumberField(required=False, max_value=MOST_TURNS)

    def choice(self) -> PageChoice:
        """Return the values of the query."""
        self.is_valid()
        found = self.cleaned_data
        return PageChoice(
            view=found.get("view") or "",
            step=next((step for step in ("edit", "rate", "send") if step in self.data), ""),
            answer=found.get("answer"),
            passages=found.get("passages"),
            older=self.data.get("from", ""),
            newer=self.data.get("to", ""),
        )


class ChangesForm(forms.Form):
    """The turn whose changes a researcher asks to see; anything else is ignored."""

    changes = WholeNumberField(required=False, min_value=1, max_value=MOST_TURNS)

    def turn(self) -> int | None:
        """Return the number of the turn, or None."""
        self.is_valid()
        number: int | None = self.cleaned_data.get("changes")
        return number


class SampleForm(forms.Form):
    """How many rated turns get second raters, and how many raters per turn."""

    count = WholeNumberField(label="Turns in total", max_value=MOST_SAMPLED)
    raters = WholeNumberField(label="Second raters per turn", min_value=1, max_value=MOST_SECOND_RATERS)


class LabelSampleForm(forms.Form):
    """Which turns several people are to label, and with which kind of label."""

    kind = forms.ChoiceField(label="Label", choices=TurnLabel.Kind.choices)
    source = forms.ChoiceField(label="Drawn from", choices=LabelSample.Source.choices)
    size = WholeNumberField(label="Turns", min_value=1, max_value=MOST_SAMPLED)
    per_model = forms.BooleanField(label="so many of each model", required=False)
    seed = WholeNumberField(label="Seed", max_value=MOST_SAMPLED)


class QueueForm(forms.Form):
    """The turn of a queue that the address asks for, by its primary key; anything else is ignored."""

    at = WholeNumberField(required=False, min_value=1, max_value=MOST_KEY)

    def turn(self) -> int | None:
        """Return the primary key, or None."""
        self.is_valid()
        found: int | None = self.cleaned_data.get("at")
        return found
