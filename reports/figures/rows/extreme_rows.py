"""Answers that name the best and the worst of several outputs."""

import json
from dataclasses import replace
from functools import cache

from agreement.arrays.best_worst_answers import BestWorstAnswers, collect_best_worst
from annotation.models import Question
from reports.figures.rows import Choice, answers
from reports.figures.rows.rated_items import RatedItems


def best_worst(rated: RatedItems, question: Question, choice: Choice) -> BestWorstAnswers:
    """The chosen answers to one question; for an answer without an order shown, all outputs of its item were shown."""
    items: list[int] = []
    columns: tuple[list[str], ...] = ([], [], [])
    raters, best, worst = columns
    shown: list[list[str]] = []
    parsed = cache(json.loads)
    called = rated.names.shown
    rows = answers(rated.study, question, choice, "item_id", "rater_id", "raw_value", "raw_shown")
    for item, rater, value, order in rows:
        items.append(item)
        raters.append(rated.raters[rater])
        named = parsed(value)
        best.append(called(named["best"]))
        worst.append(called(named["worst"]))
        shown.append(rated.read(order) if order else rated.systems_of_items[item])
    made = collect_best_worst(items, raters, best, worst, shown)
    return replace(made, item=rated.codes(dict.fromkeys(items))[made.item]) if items else made
