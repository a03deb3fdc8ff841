"""Forms of the pages about models."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms import PlainText
from llm.budgets import MILLION
from llm.prompt_files import LONGEST, PromptInvalidError, load_prompt, study_prompt

HIGHEST_LIMIT = Decimal(1_000_000_000)
LONGEST_TEXT = 200_000
MOST_TOKENS = 100_000


class LimitForm(forms.Form):
    """A limit on the spending of the study, of one run or of one person; `scopes` are the choices."""

    scope = forms.ChoiceField(label="Limit for", choices=[])
    run = PlainText(label="Run", max_length=200, required=False, widget=forms.TextInput,
                    help_text="Only for a limit on one run.")  # fmt: skip
    limit = forms.DecimalField(
        label="Limit", required=False, min_value=0, max_value=HIGHEST_LIMIT, max_digits=16, decimal_places=6,
        help_text="In the currency of the prices. Leave it empty for no limit.",
    )  # fmt: skip

    def __init__(self, *args: Any, scopes: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["scope"]
        if isinstance(field, forms.ChoiceField):
            field.choices = scopes

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        scope, run = given.get("scope"), given.get("run", "").strip()
        if scope == "run" and not run and "run" not in self.errors:
            self.add_error("run", "Enter the name of the run.")
        given["run"] = run if scope == "run" else ""
        return given

    def cap(self) -> int | None:
        """Return the limit in millionths, or None for no limit."""
        limit = self.cleaned_data["limit"]
        return None if limit is None else int(limit * MILLION)

    def person(self) -> int | None:
        """Return the primary key of the limited person, or None."""
        scope: str = self.cleaned_data["scope"]
        return int(scope.removeprefix("person-")) if scope.startswith("person-") else None


class TrialForm(forms.Form):
    """A question to one of the operator's models; `models` are the choices, and nothing else is accepted."""

    model = forms.ChoiceField(
        label="Model", choices=[],
        error_messages={"invalid_choice": "Choose a model from the list."},
    )  # fmt: skip
    question = PlainText(label="Question", max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 3}))
    text = PlainText(
        label="Source text", max_length=LONGEST_TEXT, required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Separate paragraphs with an empty line. The extractive model only answers from this text.",
    )  # fmt: skip
    longest = forms.IntegerField(label="Maximum reply length (tokens)", min_value=1, max_value=MOST_TOKENS, initial=500)

    def __init__(self, *args: Any, models: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["model"]
        if isinstance(field, forms.ChoiceField):
            field.choices = models

    def clean_question(self) -> str:
        question: str = self.cleaned_data["question"].strip()
        if not question:
            raise ValidationError("Enter a question.")
        return question

    def paragraphs(self) -> list[str]:
        """Return the paragraphs of the source text."""
        return [part.strip() for part in self.cleaned_data["text"].split("\n\n") if part.strip()]


class PromptForm(forms.Form):
    """A study's own texts for the prompt `<app>/<name>`; errors appear at the text that has them."""

    system = PlainText(
        label="System message", max_length=LONGEST, required=False, widget=forms.Textarea(attrs={"rows": 10})
    )
    user = PlainText(label="User message", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 14}))

    def __init__(self, *args: Any, app: str, name: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.app, self.name = app, name

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        problem = self._problem_with(given["system"], given["user"])
        if problem:
            in_system = self._problem_with(given["system"], load_prompt(self.app, self.name).user)
            self.add_error("system" if in_system else "user", problem)
        return given

    def _problem_with(self, system: str, user: str) -> str:
        try:
            study_prompt(self.app, self.name, 1, system, user)
        except PromptInvalidError as problem:
            return str(problem)
        return ""
