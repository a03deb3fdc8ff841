"""What is assumed and aimed at, from an address or a command line."""

from collections.abc import Mapping
from typing import Any

from django import forms

from annotation.models import Study
from annotation.studies.pace_plan import LONGEST_CURRENCY, pace_in, tasks_per_person
from reports.figures.rows import ChoiceInvalidError

FIGURES = (("win_rate", "Win rate of two systems"), ("score", "Mean score"), ("share", "Share of yes"),
           ("alpha", "Krippendorff's alpha"))  # fmt: skip
AIMS = (("width", "Width of the interval"), ("power", "Power to find a difference"))
DEFAULTS: dict[str, Any] = {
    "figure": "win_rate", "aim": "power", "goal": 0.8, "share": 0.6, "correlation": 0.3, "deviation": 1.0,
    "difference": 0.3, "alpha": 0.6, "minutes_per_task": 2.0, "pay_per_task": 0.0, "pay_per_hour": 0.0,
    "fee_percent": 0.0, "fixed_cost": 0.0, "step_minutes": 0.0, "tasks_per_person": 0, "currency": "",
    "most_items": 5000, "runs": 1000,
    "seed": 0, "question": "",
}  # fmt: skip
COSTS = ("minutes_per_task", "pay_per_task", "pay_per_hour", "fee_percent", "fixed_cost", "step_minutes",
         "tasks_per_person")  # fmt: skip
ASSUMED = ("share", "correlation", "deviation", "difference", "alpha")


class PowerForm(forms.Form):
    """The page's fields."""

    figure = forms.ChoiceField(label="Figure", choices=FIGURES)
    aim = forms.ChoiceField(label="Aim", choices=AIMS)
    goal = forms.FloatField(
        label="Goal", min_value=0.001, max_value=100,
        help_text="The full width of the 95 % interval, or the power, such as 0.8.",
    )  # fmt: skip
    share = forms.FloatField(
        label="Share", min_value=0.001, max_value=0.999, help_text="Of answers that are yes, or of wins."
    )
    correlation = forms.FloatField(
        label="Correlation of raters", min_value=0, max_value=0.99,
        help_text="0: raters of an item agree by chance. Near 1: more raters add nothing new.",
    )  # fmt: skip
    difference = forms.FloatField(label="Difference of mean scores", min_value=0.001, max_value=1000)
    deviation = forms.FloatField(
        label="Standard deviation", min_value=0.001, max_value=1000, help_text="Of one rater's scores."
    )
    alpha = forms.FloatField(label="Agreement (alpha)", min_value=0.01, max_value=0.99)
    minutes_per_task = forms.FloatField(label="Minutes per task", min_value=0.01, max_value=1440)
    pay_per_task = forms.FloatField(label="Pay per task", min_value=0, max_value=10_000)
    pay_per_hour = forms.FloatField(
        label="Pay per hour", min_value=0, max_value=10_000, help_text="Added to the pay per task, if both are given."
    )
    fee_percent = forms.FloatField(
        label="Fee of the recruiter (%)", min_value=0, max_value=1000, help_text="Of the pay."
    )
    fixed_cost = forms.FloatField(
        label="Fixed cost", min_value=0, max_value=10_000_000, help_text="Paid once, whatever the size of the study."
    )
    step_minutes = forms.FloatField(
        label="Minutes of the steps", min_value=0, max_value=1440,
        help_text="Per person, before the first task. They are paid by the hour.",
    )  # fmt: skip
    tasks_per_person = forms.IntegerField(
        label="Tasks per person at most", min_value=0, max_value=1_000_000,
        help_text="With fewer, more people have to pass the steps. 0: each person does a task of every item.",
    )  # fmt: skip
    currency = forms.CharField(label="Currency", max_length=LONGEST_CURRENCY, required=False)
    most_items = forms.IntegerField(label="Items at most", min_value=10, max_value=50_000)
    runs = forms.IntegerField(label="Simulated studies", min_value=50, max_value=2000)
    seed = forms.IntegerField(label="Seed", min_value=0, max_value=2**31)
    question = forms.CharField(
        label="Question of a pilot", max_length=100, required=False, strip=False,
        help_text="The key of a question. What its answers so far can estimate replaces the values above.",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        aim, figure = cleaned.get("aim") or DEFAULTS["aim"], cleaned.get("figure") or DEFAULTS["figure"]
        if aim == "power" and figure in ("share", "alpha"):
            self.add_error("aim", "Only differences of systems have a power: choose the width, or another figure.")
        if aim == "power" and (cleaned.get("goal") or 0) >= 1:
            self.add_error("goal", "A power is less than 1.")
        return cleaned


def defaults_of(study: Study) -> dict[str, Any]:
    """Minutes and pay per task, minutes of the steps, tasks per person and the currency, as the study says them."""
    pace = pace_in(study)
    given: dict[str, Any] = {"tasks_per_person": tasks_per_person(study)}
    if pace is not None:
        given |= {"minutes_per_task": pace.minutes_per_task, "pay_per_task": pace.pay_per_task}
        given |= {"currency": pace.currency, "step_minutes": pace.step_minutes if study.has_steps else None}
    return {key: value for key, value in given.items() if value is not None}


def filled(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a form: what is given, and `defaults` for what is left out."""
    return {key: given.get(key) if given.get(key) not in (None, "") else default for key, default in defaults.items()}


def power_choices(form: PowerForm) -> dict[str, Any]:
    """The choices of the report as they are kept, from a valid form."""
    given = {key: form.cleaned_data[key] for key in DEFAULTS}
    return {
        **{key: value for key, value in given.items() if key not in (*ASSUMED, *COSTS)},
        "costs": {key: given[key] for key in COSTS},
        "assumed": {key: given[key] for key in ASSUMED},
    }


def choices_of_options(options: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The choices of a command's options. Raises ChoiceInvalidError."""
    form = PowerForm(filled(options, {**DEFAULTS, **defaults}))
    if not form.is_valid():
        name, problems = next(iter(form.errors.items()))
        raise ChoiceInvalidError(f"{name}: {problems[0]}")
    return power_choices(form)
