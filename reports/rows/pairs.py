"""Ratings that compare outputs: choices between two, and ranks of several."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.choices import Choices, collect_choices
from agreement.rankings import Rankings, collect_rankings
from annotation.models import Question
from reports.rows import Choice, stream
from reports.rows.material import Material


def choices(material: Material, question: Question, choice: Choice) -> Choices:
    """The chosen judgments of pairs of one question, with lengths in words.

    A value that is neither output's key is a tie. Where a rating says nothing of the order shown it is that of
    the pair, as files give it.
    """
    columns: tuple[list[Any], ...] = ([], [], [], [], [])
    items, pairs, raters, winners, first = columns
    parsed, systems, names = cache(json.loads), material.systems, material.raters
    rows = choice.rows(material.study).filter(question=question)
    for item, one, other, rater, value, shown in stream(
        rows, "item_id", "output_id", "other_output_id", "rater_id", "raw_value", "raw_shown"
    ):
        pair, winner = (systems[one], systems[other]), parsed(value)
        order = parsed(shown) if shown else pair
        items.append(item)
        pairs.append(pair)
        raters.append(names[rater])
        winners.append(winner if winner in pair else None)
        first.append(next((key for key in order if key in pair), None))
    made = collect_choices(items, pairs, raters, winners, first, material.words)
    return replace(made, item=_coded(material, items, made.item))


@dataclass(frozen=True)
class RankColumns:
    """The rankings of a question, a row each: item, rater, {system: rank}, and the order shown or None."""

    items: list[int] = field(default_factory=list)
    raters: list[str] = field(default_factory=list)
    ranks: list[dict[str, int]] = field(default_factory=list)
    shown: list[list[str] | None] = field(default_factory=list)


def rank_columns(material: Material, question: Question, choice: Choice) -> RankColumns:
    """The chosen rankings of one question."""
    columns, parsed = RankColumns(), cache(json.loads)
    rows = choice.rows(material.study).filter(question=question)
    for item, rater, value, shown in stream(rows, "item_id", "rater_id", "raw_value", "raw_shown"):
        columns.items.append(item)
        columns.raters.append(material.raters[rater])
        columns.ranks.append(json.loads(value))
        columns.shown.append(parsed(shown) if shown else None)
    return columns


def rankings(material: Material, columns: RankColumns) -> Rankings:
    """Rankings as arrays, with lengths in words."""
    made = collect_rankings(columns.items, columns.raters, columns.ranks, columns.shown, material.words)
    return replace(made, item=_coded(material, columns.items, made.item))


def dimensions(material: Material, questions: Sequence[RankColumns]) -> list[Rankings]:
    """The rankings of several questions under the same codes of raters and systems."""
    together = RankColumns()
    for columns in questions:
        together.items.extend(columns.items)
        together.raters.extend(columns.raters)
        together.ranks.extend(columns.ranks)
        together.shown.extend(columns.shown)
    made, ends = rankings(material, together), np.cumsum([0, *(len(columns.items) for columns in questions)])
    return [made.only(np.arange(start, end)) for start, end in pairwise(ends)]


def _coded(material: Material, items: Iterable[int], code: np.ndarray) -> np.ndarray:
    """Codes of items in the study for codes in the order of their first appearance among `items`."""
    return material.codes(dict.fromkeys(items))[code] if code.size else code
