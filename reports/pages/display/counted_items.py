"""Addresses of the items that a bar or a cell of a report counts: the table of items, filtered to them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.http import QueryDict
from django.urls import reverse

from agreement.reliability.local_alpha_bins import EDGES
from annotation.blinding import is_blind
from annotation.models import Question, Study
from annotation.pools import MAIN
from annotation.questions import question_types
from reports.figures.rows import PEOPLE
from reports.pages.display.plots import Histogram

Json = Mapping[str, Any]
LINKED = ("nominal", "interval")
"""Levels whose answers are one value each, by which the table of items finds them."""


@dataclass(frozen=True)
class CountedItems:
    """Leads to items of one question, as far as the table of items can find what the report counts.

    The table finds people's answers, under one `version` of the guidelines ("" for all), and the local alphas of the
    report without choices, if that is what `has_alphas` says.
    """

    study: Study
    question: str
    version: str
    has_alphas: bool
    by_system: bool
    categories: tuple[str, ...] = ()

    def histogram(self, drawn: Histogram) -> Histogram:
        """The histogram of local alpha with a link on each bar."""
        if not self.has_alphas:
            return drawn
        columns = [
            replace(one, address=self._address(alpha=low, below=high if high < EDGES[-1] else None))
            for one, low, high in zip(drawn.columns, EDGES[:-1], EDGES[1:], strict=True)
        ]
        return replace(drawn, columns=columns)

    def answers(self, one: Json | str, *, is_last: bool, system: str = "") -> str:
        """The items with an answer in a bin of the distribution, of one system's outputs if it is named."""
        if isinstance(one, str) or (system and not self.by_system):
            return ""
        low, high, about = one["low"], one["high"], {"system": system, "guidelines": self.version, "pool": MAIN}
        if low != high:
            return self._address(answer_from=low, answer_below=None if is_last else high, **about)
        if not self.categories:
            return self._address(answer=low, **about)
        known = low < len(self.categories)
        return self._address(category_answer=self.categories[int(low)], **about) if known else ""

    def _address(self, **chosen: Any) -> str:
        query = QueryDict(mutable=True)
        query["question"] = self.question
        query.update({name: _as_text(value) for name, value in chosen.items() if value not in (None, "")})
        return f"{reverse('managing:items', args=[self.study.slug])}?{query.urlencode()}"


def _as_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def counted_items(study: Study, chosen: Json, said: Json) -> dict[str, CountedItems]:
    """What leads to the items of each question, by its key; empty if others than people are counted.

    `chosen` are the choices of the report's page and `said` is the report's entry about guidelines.
    """
    if not set(chosen["kinds"]) <= PEOPLE or chosen["raters"]:
        return {}
    number = said["version"]
    version = "" if said["pooled"] else "none" if number is None else str(number)
    by_system = not is_blind(study)
    return {
        question.key: CountedItems(
            study, question.key, version, chosen["guidelines"] is None, by_system, _categories(question)
        )
        for question in study.questions.all()
        if question_types()[question.type].level in LINKED
    }  # fmt: skip


def _categories(question: Question) -> tuple[str, ...]:
    """The answers that a category's question offers, in their order; empty if answers are numbers."""
    kind = question_types()[question.type]
    if kind.scale(question.spec) is not None:
        return ()
    return tuple(one["value"] for one in kind.choices(question.spec))
