"""The figures that a question has, which depend only on the level of measurement of its type."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from agreement.question_figures.best_worst_report import describe_best_worst
from agreement.question_figures.by_category import HasItems
from agreement.question_figures.pair_report import describe_choices, describe_rankings
from agreement.question_figures.question_report import describe
from agreement.spans.span_report import describe_spans
from annotation.models import Question
from annotation.questions import question_types
from annotation.questions.spans import severities
from reports.figures.rows import Choice
from reports.figures.rows.extreme_rows import best_worst
from reports.figures.rows.pair_rows import choices, rank_columns, rankings
from reports.figures.rows.rated_items import RatedItems
from reports.figures.rows.span_rows import spans
from reports.figures.rows.value_rows import ratings

RANKS = "rank"
"""The level of questions that are also compared with each other."""


@dataclass(frozen=True)
class Computation:
    """A question's data, and the function that computes the figures of all or some of its items."""

    data: HasItems
    describe: Callable[..., dict[str, Any]]


def _values(
    level: Literal["nominal", "interval"], rated: RatedItems, question: Question, choice: Choice
) -> Computation:
    kind = question_types()[question.type]
    scale, step = kind.scale(question.spec), kind.step(question.spec)
    return Computation(
        ratings(rated, question, choice), partial(describe, level=level, scale=scale, step=step, with_icc=kind.has_icc)
    )


def _choices(rated: RatedItems, question: Question, choice: Choice) -> Computation:
    ties = question_types()[question.type].takes_ties(question.spec)
    return Computation(choices(rated, question, choice), partial(describe_choices, ties=ties))


def _rankings(rated: RatedItems, question: Question, choice: Choice) -> Computation:
    ties = question_types()[question.type].takes_ties(question.spec)
    ranked = rankings(rated, rank_columns(rated, question, choice))
    return Computation(ranked, partial(describe_rankings, ties=ties))


def _spans(rated: RatedItems, question: Question, choice: Choice) -> Computation:
    weighted = bool(severities(question.spec))
    return Computation(spans(rated, question, choice), partial(describe_spans, weighted=weighted))


def _extremes(rated: RatedItems, question: Question, choice: Choice) -> Computation:
    return Computation(best_worst(rated, question, choice), describe_best_worst)


LEVELS: Mapping[str, Callable[[RatedItems, Question, Choice], Computation]] = {
    "nominal": partial(_values, "nominal"),
    "interval": partial(_values, "interval"),
    "choice": _choices,
    RANKS: _rankings,
    "span": _spans,
    "extremes": _extremes,
}
"""The levels with figures; answers on other levels, such as texts, are only counted."""
