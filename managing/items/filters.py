"""What a researcher looks for in the table of items, as the address says it: filters, order, columns and page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import StrIndex
from django.http import QueryDict

from annotation.blinding import is_blind
from annotation.models import Item, Output, Rater, Rating, Study
from annotation.pools import pools
from annotation.protocols import protocols
from managing.models import ORDERED_DISAGREEMENT, ItemLocalAlpha, ItemSummary

SORTS = {
    "": ("Study order", ("pk",)),
    "key": ("Item", ("key", "pk")),
    "disagreement": ("Most disagreement first", (ORDERED_DISAGREEMENT.desc(), "pk")),
    "agreement": ("Least disagreement first", (F("disagreement").asc(nulls_last=True), "pk")),
    "answers": ("Most answers first", ("-answers", "pk")),
    "few": ("Fewest answers first", ("answers", "pk")),
}
MARKS = {
    "flagged": ("flagged", Q(flags__gt=0)),
    "skipped": ("skipped", Q(skips__gt=0)),
    "withdrawn": ("withdrawn", Q(withdrawn=True)),
}
COLUMNS = {
    "state": "State", "category": "Category", "set": "Set", "pool": "Pool", "raters": "Raters", "answers": "Answers",
    "machine_answers": "Machines' answers", "disagreement": "Disagreement", "flags": "Flags", "skips": "Skips",
}  # fmt: skip
SHOWN_FIRST = ("state", "category", "raters", "answers", "disagreement", "flags")
LONGEST_SEARCH = LONGEST_NAME = 200
LONGEST_ANSWER = 1000
ANSWERS = frozenset({"answer", "answer_from", "answer_below", "category_answer"})
GUIDELINES = r"^(none|\d{1,9})$"
"""A version of the guidelines, or none: that of the answers to find."""
OPENING = 300
"""How much of an instruction and of a document the search reads, in characters."""


def finds_systems(study: Study) -> bool:
    """Whether items are found by the system of an output: not by its code in a blinded study, nor in sessions."""
    return protocols()[study.protocol].files.needs_outputs and not is_blind(study)


class ItemsForm(forms.Form):
    """The fields of an address; the fields that are invalid count as empty."""

    q = forms.CharField(label="Search", max_length=LONGEST_SEARCH, required=False)
    category = forms.CharField(label="Category", max_length=1000, required=False)
    set = forms.ChoiceField(label="Set", choices=Item.Set.choices, required=False)
    pool = forms.ChoiceField(label="Pool", choices=lambda: [*pools().items()], required=False)
    state = forms.ChoiceField(label="State", choices=ItemSummary.State.choices, required=False)
    mark = forms.ChoiceField(
        label="Marked", choices=[(key, label) for key, (label, _) in MARKS.items()], required=False
    )
    least = forms.FloatField(label="Disagreement from", min_value=0, required=False)
    most = forms.FloatField(label="to", min_value=0, required=False)
    rater = forms.CharField(label="Rated by", max_length=LONGEST_NAME, strip=False, required=False)
    system = forms.CharField(label="System", max_length=LONGEST_NAME, strip=False, required=False)
    question = forms.CharField(max_length=LONGEST_NAME, required=False, strip=False, widget=forms.HiddenInput)
    answer = forms.FloatField(required=False, widget=forms.HiddenInput)
    answer_from = forms.FloatField(required=False, widget=forms.HiddenInput)
    answer_below = forms.FloatField(required=False, widget=forms.HiddenInput)
    beside = forms.FloatField(required=False, widget=forms.HiddenInput)
    category_answer = forms.CharField(max_length=LONGEST_ANSWER, required=False, strip=False, widget=forms.HiddenInput)
    guidelines = forms.RegexField(GUIDELINES, required=False, widget=forms.HiddenInput)
    alpha = forms.FloatField(required=False, widget=forms.HiddenInput)
    below = forms.FloatField(required=False, widget=forms.HiddenInput)
    sort = forms.ChoiceField(
        label="Sort by", choices=[(key, label) for key, (label, _) in SORTS.items()], required=False
    )
    columns = forms.MultipleChoiceField(label="Columns", choices=list(COLUMNS.items()), required=False)


@dataclass(frozen=True)
class ItemFilters:
    """The valid part of an address. `query` is the rest of it, without the page."""

    given: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, query: QueryDict) -> "ItemFilters":
        form = ItemsForm(query)
        form.is_valid()
        return cls({name: value for name, value in form.cleaned_data.items() if value not in (None, "", [])})

    @property
    def columns(self) -> Sequence[str]:
        return [key for key in COLUMNS if key in self.given.get("columns", SHOWN_FIRST)]

    @property
    def are_narrow(self) -> bool:
        """Whether anything but order and columns is chosen."""
        return bool(set(self.given) - {"sort", "columns"})

    def form(self) -> ItemsForm:
        return ItemsForm(initial={"columns": self.columns, **self.given})

    def address(self, **changed: Any) -> str:
        """The query string of these filters with some changed; without None."""
        query = QueryDict(mutable=True)
        for name, value in {**self.given, **changed}.items():
            if value is not None:
                query.setlist(name, [str(one) for one in value] if isinstance(value, list) else [str(value)])
        return f"?{query.urlencode()}"

    def rows(self, study: Study) -> QuerySet[ItemSummary]:
        """The study's summaries that fit, in the order chosen."""
        given, summaries = self.given, ItemSummary.objects.filter(study=study)
        if "rater" in given:
            rated = Rating.objects.filter(rater__study=study, rater__name=given["rater"], is_current=True)
            summaries = summaries.filter(item__in=rated.values("item"))
        if self._has_answer:
            summaries = summaries.filter(item__in=self._answered(study).values("item"))
        if self._has_alpha:
            summaries = summaries.filter(item__in=self._alphas(study).values("item"))
        if "system" in given and finds_systems(study):
            summaries = summaries.filter(Exists(Output.objects.filter(item=OuterRef("item"), key=given["system"])))
        for name in ("set", "pool", "state"):
            if name in given:
                summaries = summaries.filter(**{name: given[name]})
        if "mark" in given:
            summaries = summaries.filter(MARKS[given["mark"]][1])
        if "least" in given:
            summaries = summaries.filter(disagreement__gte=given["least"])
        if "most" in given:
            summaries = summaries.filter(disagreement__lte=given["most"])
        for column, text in (("categories", self._category), ("text", given.get("q", "").lower())):
            if text:
                # Not LIKE: it is slower, and the text may contain its wildcards.
                summaries = summaries.annotate(**{f"in_{column}": StrIndex(column, Value(text))})
                summaries = summaries.filter(**{f"in_{column}__gt": 0})
        return summaries.order_by(*SORTS[given.get("sort", "")][1])

    @property
    def _has_answer(self) -> bool:
        return "question" in self.given and bool(ANSWERS & set(self.given))

    @property
    def _has_alpha(self) -> bool:
        return "question" in self.given and bool({"alpha", "below"} & set(self.given))

    def _answered(self, study: Study) -> QuerySet[Rating]:
        """People's answers with the chosen value; with `beside`, those beside which another rater gave that one.

        With a system, only those about its outputs.
        """
        given = self.given
        answers = Rating.objects.filter(
            study=study, question__study=study, question__key=given["question"], is_current=True,
            rater__kind=Rater.Kind.HUMAN,
        )  # fmt: skip
        if "guidelines" in given:
            version = None if given["guidelines"] == "none" else int(given["guidelines"])
            answers = answers.filter(guidelines_version=version)
        found = answers.filter(self._value)
        if "system" in given and finds_systems(study):
            found = found.filter(Q(output=None) | Q(output__key=given["system"]))
        if "beside" not in given:
            return found
        others = answers.filter(item=OuterRef("item"), variant=OuterRef("variant"), number=given["beside"])
        of_outputs = others.filter(output=OuterRef("output")).exclude(rater=OuterRef("rater"))
        of_tasks = others.filter(output=None).exclude(rater=OuterRef("rater"))
        return found.filter(Exists(of_outputs) | Q(output=None) & Exists(of_tasks))

    @property
    def _value(self) -> Q:
        """The condition for the chosen answer: a number, a part of a scale or a category."""
        given = self.given
        if "answer" in given:
            return Q(number=given["answer"])
        if "category_answer" in given:
            return Q(value=given["category_answer"])
        return _between("number", given.get("answer_from"), given.get("answer_below"))

    def _alphas(self, study: Study) -> QuerySet[ItemLocalAlpha]:
        """The items' local alphas of the question from `alpha` to below `below`."""
        found = ItemLocalAlpha.objects.filter(question__study=study, question__key=self.given["question"])
        return found.filter(_between("alpha", self.given.get("alpha"), self.given.get("below")))

    @property
    def chosen_answer(self) -> str:
        """What of one question is chosen, in words; empty if nothing is."""
        given, parts = self.given, []
        if self._has_answer:
            exact = given.get("category_answer") or (f"{given['answer']:g}" if "answer" in given else "")
            parts.append(exact or _range_in_words("answers", given.get("answer_from"), given.get("answer_below")))
            parts += [f"beside {given['beside']:g}"] if "beside" in given else []
        if self._has_alpha:
            parts.append(_range_in_words("local alpha", given.get("alpha"), given.get("below")))
        return f"{given['question']}: {', '.join(parts)}" if parts else ""

    @property
    def _category(self) -> str:
        name = self.given.get("category", "")
        return f"\n{name}\n" if name else ""


def _between(column: str, low: float | None, below: float | None) -> Q:
    """The condition for values from `low` to below `below`, each if there is one."""
    found = Q() if low is None else Q(**{f"{column}__gte": low})
    return found if below is None else found & Q(**{f"{column}__lt": below})


def _range_in_words(name: str, low: float | None, below: float | None) -> str:
    start = "" if low is None else f" from {low:g}"
    return f"{name}{start}" if below is None else f"{name}{start} to below {below:g}"
