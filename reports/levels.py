"""Which figures a question has: by the level of measurement on which its type's values stand, and by nothing else."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from agreement.by_category import HasItems
from agreement.pair_report import describe_choices, describe_rankings
from agreement.report import describe
from agreement.span_report import describe_spans
from annotation.models import Question
from annotation.questions import question_types
from reports.rows import Choice
from reports.rows.material import Material
from reports.rows.pairs import choices, rank_columns, rankings
from reports.rows.spans import spans
from reports.rows.values import ratings

RANKS = "rank"
"""The level of the questions whose agreement with each other is looked at."""


@dataclass(frozen=True)
class Figured:
    """A question's data, and what makes its figures, or those of some of its items, with so many `replicates`."""

    data: HasItems
    describe: Callable[..., dict[str, Any]]


def _values(level: Literal["nominal", "interval"], material: Material, question: Question, choice: Choice) -> Figured:
    scale = question_types()[question.type].scale(question.spec)
    return Figured(ratings(material, question, choice), partial(describe, level=level, scale=scale))


def _choices(material: Material, question: Question, choice: Choice) -> Figured:
    ties = question_types()[question.type].takes_ties(question.spec)
    return Figured(choices(material, question, choice), partial(describe_choices, ties=ties))


def _rankings(material: Material, question: Question, choice: Choice) -> Figured:
    ties = question_types()[question.type].takes_ties(question.spec)
    ranked = rankings(material, rank_columns(material, question, choice))
    return Figured(ranked, partial(describe_rankings, ties=ties))


def _spans(material: Material, question: Question, choice: Choice) -> Figured:
    return Figured(spans(material, question, choice), describe_spans)


LEVELS: Mapping[str, Callable[[Material, Question, Choice], Figured]] = {
    "nominal": partial(_values, "nominal"),
    "interval": partial(_values, "interval"),
    "choice": _choices,
    RANKS: _rankings,
    "span": _spans,
}
"""Levels that have figures; answers on others, such as texts, are counted only."""
