"""Forms of the pages on which a study is prepared."""

from decimal import Decimal
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError

from annotation.forms import PlainText
from config.form_fields import WholeNumberField
from judges.form_choices import judging_models
from judges.forms import HIGHEST_BUDGET
from llm.budgets import MILLION
from parts.preparing.deciding import KINDS
from parts.preparing.document_sampling import WordRange
from parts.preparing.editing import EMPTY
from parts.preparing.models import PreparedText, Suggestion
from parts.preparing.step_configuration import KEYWORDS, PreparationRefusedError, StepConfiguration
from parts.preparing.step_kind import INSTRUCTION, StepKind

LONGEST_TEXT = 2_000
LONGEST_ANSWER = 50_000
MOST_TEXTS = 10
MOST_TOKENS = 32_000
SEEDS = 2**31 - 1
COUNTS = {"instructions": 3, "requirements": 5, "questions": 5}
"""How many texts a model is asked for by default."""
TOKENS_OF_A_LIST, TOKENS_OF_AN_ANSWER = 1_024, 2_048
"""How long a reply may be by default; a longer one is cut off and cannot be used."""
TEMPERATURES = {"questions": 1.0}
"""The default temperature of a kind of step, where it is not 0."""
ROLES = [
    (PreparedText.Role.OUTPUT.value, "Outputs, to be judged"),
    (PreparedText.Role.REFERENCE.value, "References, for judges and metrics"),
]
PROMPTS = [("yes", "Generic"), ("no", "Specific")]
NO_FILE = "Choose a file of documents."
TOO_LARGE = "The file is larger than {} MB. Draw it with the command draw_documents."
WRONG_RANGE = "The highest number of words is lower than the lowest."


class DrawForm(forms.Form):
    """A drawing of documents from a file."""

    file = forms.FileField(
        label="Documents", error_messages={"required": NO_FILE},
        help_text='JSONL: one {"id", "text", "source"} per line; other keys are kept.',
    )  # fmt: skip
    per_source = WholeNumberField(label="Per source", min_value=1, max_value=20_000, initial=10)
    fewest = WholeNumberField(label="Fewest words", required=False, initial=100)
    most = WholeNumberField(label="Most words", required=False, initial=500)
    seed = WholeNumberField(label="Seed", initial=0, max_value=SEEDS)

    def __init__(self, *args: Any, length: int = 0, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if length > settings.UPLOAD_BYTES:
            self.fields["file"].error_messages["required"] = TOO_LARGE.format(settings.UPLOAD_BYTES // 2**20)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        fewest, most = data.get("fewest"), data.get("most")
        if fewest is not None and most is not None and most < fewest:
            self.add_error("most", WRONG_RANGE)
        return data

    def words(self) -> WordRange:
        return WordRange(self.cleaned_data["fewest"], self.cleaned_data["most"])


class AskingForm(forms.Form):
    """What the forms of steps and trials have in common: parameters and a budget."""

    temperature = forms.FloatField(
        label="Temperature", min_value=0, max_value=2, initial=0.0, help_text="0 is greedy: the same reply every time.",
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip
    top_p = forms.FloatField(
        label="Top p", min_value=0, max_value=1, initial=1.0, widget=forms.NumberInput(attrs={"step": "any"})
    )
    max_tokens = WholeNumberField(
        label="Most tokens of a reply",
        min_value=1,
        max_value=MOST_TOKENS,
        required=False,
        help_text="Empty: what fits the model.",
    )
    seed = WholeNumberField(
        label="Seed", initial=0, max_value=SEEDS, help_text="Draws the part, and samples if the model can."
    )
    budget = forms.DecimalField(
        label="Budget", required=False, min_value=0, max_value=HIGHEST_BUDGET, max_digits=16, decimal_places=6,
        help_text="The most that this may cost.",
    )  # fmt: skip

    def cap(self) -> int | None:
        """Return the budget in millionths of the currency."""
        budget: Decimal | None = self.cleaned_data["budget"]
        return None if budget is None else int(budget * MILLION)

    def refuse(self, problem: PreparationRefusedError) -> None:
        """Show why a step cannot start, at its field if it has one."""
        self.add_error(problem.field if problem.field in self.fields else None, problem.reason)


class StepForm(AskingForm):
    """A step of one kind. Fields that this kind has no use for are left out."""

    model = forms.ChoiceField(label="Model", error_messages={"invalid_choice": "Choose a model from the list."})
    system = forms.CharField(
        label="System id", max_length=200, help_text="Names the texts in files and reports; never shown to annotators."
    )
    role = forms.ChoiceField(label="What it writes", choices=ROLES)
    generic = forms.ChoiceField(
        label="Prompt", choices=PROMPTS,
        help_text="Generic: the instruction and the document alone. Specific: also how to meet one requirement.",
    )  # fmt: skip
    count = WholeNumberField(label="Texts per document", min_value=1, max_value=MOST_TEXTS)
    part = WholeNumberField(
        label="Part",
        min_value=1,
        required=False,
        help_text="So many, drawn by the seed. Empty: all without a text.",
    )
    accept = forms.BooleanField(
        label="Accept what it writes", required=False, initial=True,
        help_text="Otherwise each text waits for a decision.",
    )  # fmt: skip
    keywords = forms.CharField(
        label="Keywords", max_length=2000, required=False, initial=", ".join(KEYWORDS),
        help_text="Questions with one of these are dropped, because they are about a certain paper.",
    )  # fmt: skip

    field_order = ("model", "system", "role", "generic", "count", "part", "accept", "keywords")

    def __init__(self, *args: Any, kind: StepKind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind = kind
        field = self.fields["model"]
        if isinstance(field, forms.ChoiceField):
            field.choices = judging_models()
        self.fields["count"].initial = COUNTS.get(kind.key)
        self.fields["temperature"].initial = TEMPERATURES.get(kind.key, 0.0)
        writes = kind.about == INSTRUCTION
        self.fields["max_tokens"].initial = TOKENS_OF_AN_ANSWER if writes else TOKENS_OF_A_LIST
        unused = ["count", "accept", "keywords"] if writes else ["system", "role", "generic"]
        unused += ["accept"] * (kind.key != "instructions") + ["keywords"] * (kind.key != "questions")
        for name in set(unused):
            del self.fields[name]

    def configuration(self) -> StepConfiguration:
        """Return what was entered, not pinned yet."""
        data = self.cleaned_data
        words = [one.strip() for one in data.get("keywords", "").split(",")]
        return StepConfiguration(
            self.kind.key, data["model"], count=data.get("count") or 1, temperature=data["temperature"],
            top_p=data["top_p"], max_tokens=data["max_tokens"], seed=data["seed"], part=data["part"],
            accept=data.get("accept", False), system=data.get("system", ""), role=data.get("role", ROLES[0][0]),
            generic=data.get("generic", "yes") == "yes", keywords=tuple(one for one in words if one),
        )  # fmt: skip


class InstructionTrialForm(AskingForm):
    """A trial of several models that write instructions for the same documents."""

    models = forms.MultipleChoiceField(label="Models", widget=forms.CheckboxSelectMultiple)
    documents = WholeNumberField(label="Documents", min_value=1, max_value=500, initial=10)
    count = WholeNumberField(label="Instructions per set", min_value=1, max_value=MOST_TEXTS, initial=3)
    evaluators = WholeNumberField(label="Evaluators per document", min_value=1, max_value=20, initial=3)

    field_order = ("models", "documents", "count", "evaluators")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["max_tokens"].initial = TOKENS_OF_A_LIST
        self.fields["budget"].help_text = "The most that each model may cost."
        field = self.fields["models"]
        if isinstance(field, forms.MultipleChoiceField):
            field.choices = judging_models()

    def configurations(self) -> list[StepConfiguration]:
        """Return one configuration per model, not pinned yet."""
        data = self.cleaned_data
        return [
            StepConfiguration(
                "instructions",
                model,
                count=data["count"],
                temperature=data["temperature"],
                top_p=data["top_p"],
                max_tokens=data["max_tokens"],
                seed=data["seed"],
            )
            for model in data["models"]
        ]


class RequirementKindsField(forms.MultipleChoiceField):
    """The kinds of a requirement."""

    def __init__(self) -> None:
        super().__init__(
            label="Kinds", choices=[(one, one) for one in KINDS], required=False, widget=forms.CheckboxSelectMultiple
        )


class SuggestionText(PlainText):
    """A text on one line, or a few."""

    def __init__(self) -> None:
        super().__init__(label="Text", max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 2}))

    def clean(self, value: Any) -> str:
        text = str(super().clean(value)).strip()
        if not text:
            raise ValidationError(self.error_messages["required"], code="required")
        return text


class DecisionForm(forms.Form):
    """A decision about a suggestion."""

    text = SuggestionText()
    kinds = RequirementKindsField()
    state = forms.ChoiceField(choices=Suggestion.State.choices)
    reason = forms.CharField(label="Reason", max_length=500, required=False)


class WritingForm(forms.Form):
    """A suggestion that a person writes."""

    document = forms.CharField(label="Document", max_length=200)
    kind = forms.ChoiceField(label="Kind of text")
    text = SuggestionText()
    kinds = RequirementKindsField()

    def __init__(self, *args: Any, offered: tuple[str, ...], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["kind"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(one, Suggestion.Kind(one).label) for one in offered]


class HybridForm(forms.Form):
    """A person's edit of an output."""

    text = PlainText(
        label="Edited output", max_length=LONGEST_ANSWER, widget=forms.Textarea(attrs={"rows": 12}),
        error_messages={"required": EMPTY},
    )  # fmt: skip
    key = forms.CharField(
        label="System id", max_length=200, initial="hybrid", help_text="The id of the edited output in its item."
    )
