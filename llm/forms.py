"""Forms of the pages about models."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from annotation.forms import PlainText
from llm.budgets import MILLION
from llm.prompting import LONGEST, PromptInvalidError, load, own_prompt

HIGHEST_LIMIT = Decimal(1_000_000_000)
LONGEST_TEXT = 200_000
MOST_TOKENS = 100_000


class LimitForm(forms.Form):
    """The most that may be spent, by the whole study, one run or one person. `scopes` are those there are."""

    scope = forms.ChoiceField(label="Of whom", choices=[])
    run = PlainText(label="Run", max_length=200, required=False, widget=forms.TextInput,
                    help_text="Its name, where the limit is one run's.")  # fmt: skip
    limit = forms.DecimalField(
        label="Limit", required=False, min_value=0, max_value=HIGHEST_LIMIT, max_digits=16, decimal_places=6,
        help_text="In the currency of the prices. Empty: no limit.",
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
            self.add_error("run", "Name the run.")
        given["run"] = run if scope == "run" else ""
        return given

    def cap(self) -> int | None:
        """The limit in millionths."""
        limit = self.cleaned_data["limit"]
        return None if limit is None else int(limit * MILLION)

    def person(self) -> int | None:
        """The primary key of the person whose limit it is."""
        scope: str = self.cleaned_data["scope"]
        return int(scope.removeprefix("person-")) if scope.startswith("person-") else None


class TryForm(forms.Form):
    """A question to one of the operator's models. `names` are theirs: an address of any other kind is refused."""

    model = forms.ChoiceField(
        label="Model", choices=[],
        error_messages={"invalid_choice": "There is no such model: choose one of the list. Addresses are not taken."},
    )  # fmt: skip
    question = PlainText(label="Question", max_length=LONGEST_TEXT, widget=forms.Textarea(attrs={"rows": 3}))
    text = PlainText(
        label="Text to answer from", max_length=LONGEST_TEXT, required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="Paragraphs with an empty line between them. The extractive model answers from nothing else.",
    )  # fmt: skip
    longest = forms.IntegerField(label="Longest reply, in tokens", min_value=1, max_value=MOST_TOKENS, initial=500)

    def __init__(self, *args: Any, names: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["model"]
        if isinstance(field, forms.ChoiceField):
            field.choices = [(name, name) for name in names]

    def clean_question(self) -> str:
        question: str = self.cleaned_data["question"].strip()
        if not question:
            raise ValidationError("Ask something.")
        return question

    def paragraphs(self) -> list[str]:
        """The paragraphs of the text to answer from."""
        return [part.strip() for part in self.cleaned_data["text"].split("\n\n") if part.strip()]


class PromptForm(forms.Form):
    """A study's own texts for the prompt `<app>/<name>`; what is wrong with them stands beside the text it is in."""

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
        wrong = self._wrong_with(given["system"], given["user"])
        if wrong:
            in_system = self._wrong_with(given["system"], load(self.app, self.name).user)
            self.add_error("system" if in_system else "user", wrong)
        return given

    def _wrong_with(self, system: str, user: str) -> str:
        try:
            own_prompt(self.app, self.name, 1, system, user)
        except PromptInvalidError as problem:
            return str(problem)
        return ""
