"""Forms of the pages about judges. That of a new run is made from the description of the judge."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms import PlainText
from annotation.models import Question
from config.form_fields import WholeNumberField
from judges.configuration import LONGEST_TEXT, MOST_REPLICATES, ConfigurationRefusedError
from judges.form_choices import RunChoices
from judges.injections import injections_digest
from judges.judge_choices import JudgeChoice
from judges.options import JudgeOptionError, Option
from llm.budgets import MILLION
from llm.capabilities import NOT_A_LANGUAGE_MODEL

HIGHEST_BUDGET = Decimal(1_000_000_000)
PILOT, MOST_IN_PILOT = 5, 1000
LONGEST_NAME = 200
"""A text of at most so many characters, such as the name of a model, has a field of one line."""
FIELD_OF = {"pairs": "baseline", "options": None, "texts": None}
"""The field of the form that shows a refusal, if it has another name than what is refused; None: above the form."""

OF_MODELS = ("model", "replicates", "pilot", "budget", "partly", "probe")
"""Fields that a metric has no use for."""


class OptionField(forms.Field):
    """An option of a judge: `judges.options` says what it takes."""

    def __init__(self, name: str, option: Option) -> None:
        super().__init__(
            label=name.replace("_", " ").capitalize(), help_text=help_of(option), initial=option.default,
            required=option.kind != "yes" and (option.kind != "text" or bool(option.default)),
            widget=_widget_of(option),
        )  # fmt: skip
        self.name, self.option = name, option

    def clean(self, value: Any) -> Any:
        if value in (None, "") and self.required:
            raise ValidationError(self.error_messages["required"], code="required")
        try:
            return self.option.read(self.name, "" if value is None else value)
        except JudgeOptionError as problem:
            raise ValidationError(str(problem)) from problem


def help_of(option: Option) -> str:
    """Return the help of an option as a sentence, with its range."""
    said = option.help[:1].upper() + option.help[1:]
    said += f", {option.bounds}" if option.kind in ("whole", "number") else ""
    return f"{said}." if said else ""


def _widget_of(option: Option) -> forms.Widget:
    if option.kind == "yes":
        return forms.CheckboxInput()
    if option.kind == "choice":
        return forms.Select(choices=[(one, one.replace("_", " ")) for one in option.choices])
    if option.kind == "text" and option.most <= LONGEST_NAME:
        return forms.TextInput(attrs={"maxlength": f"{option.most:.0f}"})
    if option.kind == "text":
        return forms.Textarea(attrs={"rows": 2, "maxlength": f"{option.most:.0f}"})
    step = "1" if option.kind == "whole" else "any"
    return forms.NumberInput(attrs={"min": f"{option.least:g}", "max": f"{option.most:g}", "step": step})


class RunForm(forms.Form):
    """A new run of a judge. `choices` are what the study and the operator's file have for it."""

    model = forms.ChoiceField(
        label="Model",
        help_text=NOT_A_LANGUAGE_MODEL,
        error_messages={"invalid_choice": "Choose a model from the list."},
    )
    questions = forms.MultipleChoiceField(label="Questions", widget=forms.CheckboxSelectMultiple)
    references = forms.MultipleChoiceField(
        label="References by", widget=forms.CheckboxSelectMultiple, required=False,
        help_text="Whose reference answers the judge gets, if its prompt has a place for them.",
    )  # fmt: skip
    baseline = forms.ChoiceField(label="Pairs", required=False)
    subset = WholeNumberField(
        label="Part of the units",
        min_value=1,
        required=False,
        help_text="So many, drawn by the seed. Empty: all.",
    )
    replicates = WholeNumberField(
        label="Reruns", min_value=1, max_value=MOST_REPLICATES, initial=1,
        help_text="How often everything is judged.",
    )  # fmt: skip
    seed = WholeNumberField(label="Seed", initial=0, help_text="Draws units, orders and samples.")
    pilot = WholeNumberField(
        label="Pilot", max_value=MOST_IN_PILOT, initial=PILOT,
        help_text="Units to look at before the rest. 0: none.",
    )  # fmt: skip
    budget = forms.DecimalField(
        label="Budget", required=False, min_value=0, max_value=HIGHEST_BUDGET, max_digits=16, decimal_places=6,
        help_text="The most that this run may cost.",
    )  # fmt: skip
    partly = forms.BooleanField(
        label="Judge as far as the budget goes",
        required=False,
        help_text="Otherwise the whole price is reserved first, and a run that would exceed a budget does not start.",
    )

    probe = forms.BooleanField(
        label="Measure injected texts",
        required=False,
        help_text="Judges each unit with and without a text that tells the judge what to say. Makes no ratings.",
    )

    def __init__(self, *args: Any, judge: JudgeChoice, choices: RunChoices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.judge, self.choices = judge, choices
        self._offer("model", choices.models)
        self._offer("questions", [(one.key, one.text or one.key) for one in choices.questions])
        self._offer("references", [(one, one) for one in choices.writers])
        self._offer(
            "baseline", [("", "All pairs of each item"), *((one, f"Pairs with {one}") for one, _ in choices.systems)]
        )
        for name, option in judge.options.items():
            self.fields[f"option-{name}"] = OptionField(name, option)
        is_model = judge.protocol is not None
        for question in choices.questions if is_model else ():
            self.fields[f"text-{question.key}"] = _text_field(question)
        for name, needed in (
            ("questions", not judge.labels_turns), ("references", bool(choices.writers)),
            ("baseline", judge.unit == "pair"), *((name, is_model) for name in OF_MODELS),
        ):  # fmt: skip
            if not needed:
                del self.fields[name]

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        if isinstance(field, forms.ChoiceField):
            field.choices = choices

    @property
    def option_fields(self) -> list[forms.BoundField]:
        """The fields of the judge's own options."""
        return [self[f"option-{name}"] for name in self.judge.options]

    @property
    def text_fields(self) -> list[forms.BoundField]:
        """The fields for texts in place of the study's own."""
        return [self[name] for name in self.fields if name.startswith("text-")]

    @property
    def has_own_texts(self) -> bool:
        """Whether a text is given or wrong, so that the fields for them must be in view."""
        return any(field.value() or field.errors for field in self.text_fields)

    def given(self) -> dict[str, Any]:
        """Return what `checked_configuration` takes, or for a metric what `checked_metric` takes."""
        data = self.cleaned_data
        questions, baseline = data.get("questions", []), data.get("baseline", "")
        baseline = dict(self.choices.systems).get(baseline, baseline)
        if self.judge.protocol is None:
            return {
                "metric": self.judge.key, "questions": questions, "references": data.get("references", []),
                "options": {name: data[f"option-{name}"] for name in self.judge.options}, "subset": data["subset"],
                "seed": data["seed"],
            }  # fmt: skip
        texts = {key: data[f"text-{key}"].strip() for key in questions}
        return {
            "protocol": self.judge.key,
            "model": data["model"],
            "questions": questions,
            "options": {name: data[f"option-{name}"] for name in self.judge.options},
            "texts": {key: text for key, text in texts.items() if text},
            "references": data.get("references", []),
            "pairs": "baseline" if baseline else "all",
            "baseline": baseline,
            "subset": data["subset"],
            "seed": data["seed"],
            "replicates": data["replicates"],
            "probe": injections_digest() if data["probe"] else "",
        }

    def cap(self) -> int | None:
        """Return the budget in millionths, or None without one."""
        given = self.cleaned_data.get("budget")
        return None if given is None else int(given * MILLION)

    def refuse(self, problem: ConfigurationRefusedError) -> None:
        """Show why the configuration is refused at the field that it is about."""
        name = FIELD_OF.get(problem.field, problem.field)
        self.add_error(name if name in self.fields else None, problem.reason)


def _text_field(question: Question) -> PlainText:
    return PlainText(
        label=f"Text for {question.key}", max_length=LONGEST_TEXT, required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": question.text}),
    )  # fmt: skip


class ReplaceForm(forms.Form):
    """Which run takes the place of another one in reports."""

    by = forms.ChoiceField(
        label="Replaced by", error_messages={"required": "Choose the run that replaces this one."},
        help_text="Reports then leave this run out. Both runs are kept.",
    )  # fmt: skip

    def __init__(self, *args: Any, runs: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["by"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [("", "Choose a finished run"), *runs]
