"""How often each person gave each answer, counted by the database."""

import json
from collections import defaultdict
from typing import Any

from django.db.models import Count, TextField
from django.db.models.functions import Cast

from annotation.models import Question, Study
from annotation.questions import question_types
from reports.figures.rows import Choice

LEVELS = ("nominal", "interval")

AnswerCounts = dict[int, dict[str, int]]
"""By a rater's primary key, how often each answer was given."""


def answer_counts(study: Study, question: Question, choice: Choice) -> tuple[AnswerCounts, list[str]]:
    """The counts of a question's current answers, and the answers of its scale or choices, in order.

    Only single answers from a scale or a list of choices are told apart; others count under the empty text.
    """
    own = choice.rows(study).filter(question=question).order_by()
    found: AnswerCounts = defaultdict(lambda: defaultdict(int))
    labels = _labels(question)
    if not labels:
        for rater, count in own.values_list("rater").annotate(Count("pk")):
            found[rater][""] += count
        return found, []
    if question_types()[question.type].scale(question.spec) is not None:
        for rater, number, count in own.values_list("rater", "number").annotate(Count("pk")):
            found[rater][labels.get(number, "")] += count
    else:
        raw = own.annotate(raw_value=Cast("value", TextField())).values_list("rater", "raw_value")
        for rater, value, count in raw.annotate(Count("pk")):
            found[rater][labels.get(json.loads(value), "")] += count
    return found, list(dict.fromkeys(labels.values()))


def _labels(question: Question) -> dict[Any, str]:
    """How each possible answer is called; none if answers are no single steps or choices."""
    kind = question_types()[question.type]
    if kind.level not in LEVELS or kind.takes_several(question.spec):
        return {}
    if kind.scale(question.spec) is None:
        return {choice["value"]: str(choice["label"]) for choice in kind.choices(question.spec)}
    if kind.level == "nominal":
        return {1.0: "yes", 0.0: "no"}
    return {float(step): str(step) for step in kind.steps(question.spec)}
