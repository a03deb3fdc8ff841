"""Ratings that compare outputs: choices between two, and ranks of several."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import PairChoices, collect_choices
from agreement.arrays.rankings import Rankings, collect_rankings
from annotation.models import Question
from reports.figures.rows import Choice, answers
from reports.figures.rows.rated_items import RatedItems


def choices(rated: RatedItems, question: Question, choice: Choice) -> PairChoices:
    """The chosen judgments of pairs for one question, with lengths in words.

    A value that is neither output's key is a tie. For a rating without an order shown, it is the order of the pair, as
    in files.
    """
    columns: tuple[list[Any], ...] = ([], [], [], [], [])
    items, pairs, raters, winners, first = columns
    parsed, systems, names = cache(rated.read), rated.systems, rated.raters
    for item, one, other, rater, value, shown in answers(
        rated.study, question, choice, "item_id", "output_id", "other_output_id", "rater_id", "raw_value", "raw_shown"
    ):
        pair, winner = (systems[one], systems[other]), parsed(value)
        order = parsed(shown) if shown else pair
        items.append(item)
        pairs.append(pair)
        raters.append(names[rater])
        winners.append(winner if winner in pair else None)
        first.append(next((key for key in order if key in pair), None))
    made = collect_choices(items, pairs, raters, winners, first, rated.words)
    return replace(made, item=_coded(rated, items, made.item), by_name=choice.pairs_by_name)


@dataclass(frozen=True)
class RankColumns:
    """The rankings of a question, one row each: item, rater, {system: rank}, and the order shown or None.

    `by_name` is that of the pairs in them (`agreement.arrays.pair_choices.PairChoices`).
    """

    items: list[int] = field(default_factory=list)
    raters: list[str] = field(default_factory=list)
    ranks: list[dict[str, int]] = field(default_factory=list)
    shown: list[list[str] | None] = field(default_factory=list)
    by_name: bool = False


def rank_columns(rated: RatedItems, question: Question, choice: Choice) -> RankColumns:
    """The chosen rankings of one question."""
    columns, parsed = RankColumns(by_name=choice.pairs_by_name), cache(rated.read)
    rows = answers(rated.study, question, choice, "item_id", "rater_id", "raw_value", "raw_shown")
    for item, rater, value, shown in rows:
        columns.items.append(item)
        columns.raters.append(rated.raters[rater])
        columns.ranks.append(rated.read(value))
        columns.shown.append(parsed(shown) if shown else None)
    return columns


def rankings(rated: RatedItems, columns: RankColumns) -> Rankings:
    """Rankings as arrays, with lengths in words."""
    made = collect_rankings(columns.items, columns.raters, columns.ranks, columns.shown, rated.words)
    return replace(made, item=_coded(rated, columns.items, made.item), by_name=columns.by_name)


def dimensions(rated: RatedItems, questions: Sequence[RankColumns]) -> list[Rankings]:
    """The rankings of several questions under the same codes of raters and systems."""
    together = RankColumns()
    for columns in questions:
        together.items.extend(columns.items)
        together.raters.extend(columns.raters)
        together.ranks.extend(columns.ranks)
        together.shown.extend(columns.shown)
    made, ends = rankings(rated, together), np.cumsum([0, *(len(columns.items) for columns in questions)])
    return [made.only(np.arange(start, end)) for start, end in pairwise(ends)]


def _coded(rated: RatedItems, items: Iterable[int], code: np.ndarray) -> np.ndarray:
    """The study's codes of items, for codes in the order of their first appearance in `items`."""
    return rated.codes(dict.fromkeys(items))[code] if code.size else code
