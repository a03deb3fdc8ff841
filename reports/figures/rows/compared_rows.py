"""Answers of people and machines about outputs, read for comparison: in any shape, every rerun by itself."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from agreement.arrays.best_worst_answers import BestWorstAnswers, collect_best_worst
from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN, PairChoices
from agreement.arrays.rankings import Rankings
from agreement.meta_evaluation.compared_answers import (
    PeopleAnswers,
    Rerun,
    people_who_chose,
    people_who_ranked,
    people_who_scored,
    rerun_of_choices,
    rerun_of_rankings,
    rerun_of_scores,
)
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, OutputScores
from annotation.machine_shapes import CHOICE, EXTREMES, RANKING, SCORE
from annotation.models import JudgeRun, Question, Rating, Study
from annotation.protocols import protocols
from annotation.questions import question_types
from reports.figures.rows import CHUNK, Choice, answers
from reports.figures.rows.extreme_rows import best_worst
from reports.figures.rows.machine_answers import PERSON
from reports.figures.rows.pair_rows import choices, rank_columns, rankings
from reports.figures.rows.rated_items import Ints, RatedItems

SHAPES: dict[str, str] = {SCORE: "score", CHOICE: "choice", RANKING: "ranking", EXTREMES: "best and worst"}
"""The shapes about outputs by their level, as reports name them."""
OUTPUT = "output"
YES_OR_NO = (0.0, 1.0)


class OutputCodes:
    """The outputs of a study's items of the main pool as arrays, and their codes by primary key, or item and system."""

    def __init__(self, rated: RatedItems, *, pairs_by_name: bool = False) -> None:
        self.rated = rated
        counting = set(rated.items.tolist())
        own = [(pk, item) for pk, item in rated.items_of_outputs.items() if item in counting]
        pks, item_pks = np.array(own, dtype=np.int64).reshape(-1, 2).T
        systems = [rated.systems[pk] for pk, _ in own]
        names = tuple(sorted(set(systems)))
        self.system_code = {name: code for code, name in enumerate(names)}
        system = np.fromiter((self.system_code[name] for name in systems), np.int64, pks.size)
        length = np.array([rated.words[item, name] for (_, item), name in zip(own, systems, strict=True)])
        item = rated.codes(item_pks)
        order = np.lexsort((system, item))
        self.arrays = Outputs(
            item[order], system[order], length[order].astype(np.float64), names, int(rated.items.size), pairs_by_name
        )
        self._place = item[order] * max(len(names), 1) + system[order]
        by_pk = np.argsort(pks[order], kind="stable")
        self._pks, self._code = pks[order][by_pk], by_pk

    def of_pks(self, pks: Ints) -> Ints:
        """The codes of outputs by their primary keys, which must be the study's."""
        return np.asarray(self._code[np.searchsorted(self._pks, pks)])

    def of_systems(self, item: Ints, system: Ints, names: Iterable[str]) -> Ints:
        """The codes of outputs by their items' codes and the places of their systems in `names`."""
        systems = np.array([self.system_code[name] for name in names], dtype=np.int64)
        return np.searchsorted(self._place, item * max(len(self.arrays.systems), 1) + systems[system])


def compares_outputs(study: Study, question: Question) -> bool:
    """Whether people's answers to the question are scores, rankings or choices of outputs."""
    kind = question_types()[question.type]
    if kind.level in (CHOICE, RANKING, EXTREMES):
        return True
    return kind.scale(question.spec) is not None and protocols()[study.protocol].asks_about(question) == OUTPUT


def people_rows(codes: OutputCodes, question: Question, choice: Choice) -> PeopleAnswers:
    """The chosen people's answers to a question about outputs, without repeats."""
    rated, kind = codes.rated, question_types()[question.type]
    if kind.level == CHOICE:
        return people_who_chose(codes.arrays, _choices_of(codes, choices(rated, question, choice)))
    if kind.level == RANKING:
        ranked = rankings(rated, rank_columns(rated, question, choice))
        return people_who_ranked(codes.arrays, _scores_of(codes, ranked), _choices_of(codes, ranked.choices()))
    if kind.level == EXTREMES:
        named = best_worst(rated, question, choice)
        return people_who_ranked(codes.arrays, _points_of(codes, named), _implied_by(codes, named))
    yes_or_no = kind.level == "nominal" and kind.scale(question.spec) == YES_OR_NO
    rows = answers(rated.study, question, choice, "output_id", "rater_id", "number")
    return people_who_scored(codes.arrays, _numbers(codes, rows), yes_or_no=yes_or_no)


def _choices_of(codes: OutputCodes, pairs: PairChoices) -> OutputChoices:
    one = codes.of_systems(pairs.item[pairs.pair], pairs.first[pairs.pair], pairs.systems)
    other = codes.of_systems(pairs.item[pairs.pair], pairs.second[pairs.pair], pairs.systems)
    return OutputChoices(one, other, pairs.rater, pairs.choice, pairs.shown_first, pairs.raters)


def _scores_of(codes: OutputCodes, ranked: Rankings) -> OutputScores:
    """The s_i of rankings; a rater's ranking of fewer outputs has lower ones."""
    output = codes.of_systems(ranked.item[ranked.ranking], ranked.system, ranked.systems)
    return OutputScores(output, ranked.rater[ranked.ranking], ranked.scores(), ranked.raters)


def _points_of(codes: OutputCodes, named: BestWorstAnswers) -> OutputScores:
    """1 for the best output, -1 for the worst, 0 for the others."""
    answer, system, points = named.points()
    output = codes.of_systems(named.item[named.set_shown[answer]], system, named.systems)
    return OutputScores(output, named.rater[answer], points, named.raters)


def _implied_by(codes: OutputCodes, named: BestWorstAnswers) -> OutputChoices:
    """The choices that naming the best and the worst implies."""
    answer, better, worse = named.implied_pairs()
    item = named.item[named.set_shown[answer]]
    one, other = codes.of_systems(item, better, named.systems), codes.of_systems(item, worse, named.systems)
    unknown = np.full(answer.size, UNKNOWN)
    first_is_better = np.where(one < other, FIRST, SECOND)
    return OutputChoices(
        np.minimum(one, other), np.maximum(one, other), named.rater[answer], first_is_better, unknown, named.raters
    )


def _numbers(codes: OutputCodes, rows: Iterable[tuple[Any, ...]]) -> OutputScores:
    """Scores from rows of an output's key, a rater's and a number."""
    table = np.array(list(rows), dtype=np.float64).reshape(-1, 3)
    pks, rater = np.unique(table[:, 1].astype(np.int64), return_inverse=True)
    names = [codes.rated.raters[pk] for pk in pks.tolist()]
    by_name = np.argsort(np.argsort(np.array(names, dtype=object))).astype(np.int64)
    output = codes.of_pks(table[:, 0].astype(np.int64))
    return OutputScores(output, by_name[rater.reshape(-1)], table[:, 2], tuple(sorted(names)))


@dataclass(frozen=True)
class CompleteReruns:
    """The reruns of a machine that are compared, (level, ratings) each, and how many ratings of others are left out."""

    reruns: list[tuple[str, QuerySet[Rating]]]
    left_out: int = 0


def complete_reruns(study: Study, question: Question, choice: Choice) -> dict[int, CompleteReruns]:
    """The reruns of each chosen machine that answered about outputs, by its primary key.

    A rerun is a run, or one of its replicates. If a rater has finished runs, or ratings that belong to no run, those of
    other runs are left out.
    """
    rows = choice.rows(study).filter(question=question, level__in=SHAPES).exclude(PERSON)
    rows = rows.filter(
        Q(level=RANKING, output__isnull=True) | Q(level=SCORE, output__isnull=False) | Q(level__in=(CHOICE, EXTREMES))
    )
    found: dict[int, list[tuple[bool, str, int | None, str, int]]] = {}
    groups = rows.values_list("rater", "run", "replicate", "level").annotate(Count("pk")).order_by()
    kept = sorted(groups, key=lambda one: (*one[:2], -1 if one[2] is None else one[2], one[3]))
    unfinished = set(
        JudgeRun.objects.filter(rater__in={rater for rater, *_ in kept})
        .exclude(status=JudgeRun.Status.FINISHED)
        .values_list("rater", "name")
    )
    for rater, run, replicate, level, n in kept:
        found.setdefault(rater, []).append(((rater, run) in unfinished, run, replicate, level, n))
    made = {}
    for rater, groups_of in found.items():
        complete = [one for one in groups_of if not one[0]] or groups_of
        own = [
            (level, rows.filter(rater=rater, run=run, replicate=replicate, level=level))
            for _, run, replicate, level, _ in complete
        ]
        made[rater] = CompleteReruns(own, sum(n for *_, n in groups_of) - sum(n for *_, n in complete))
    return made


def reruns_of(codes: OutputCodes, complete: Iterable[tuple[str, QuerySet[Rating]]]) -> list[Rerun]:
    """The answers of a machine's reruns."""
    return [_READERS[level](codes, rows) for level, rows in complete]


def _score_rerun(codes: OutputCodes, rows: QuerySet[Rating]) -> Rerun:
    listed = rows.order_by("pk").values_list("output_id", "rater_id", "number").iterator(chunk_size=CHUNK)
    return rerun_of_scores(codes.arrays, _numbers(codes, listed))


def _choice_rerun(codes: OutputCodes, rows: QuerySet[Rating]) -> Rerun:
    """Choices; the order shown is stored with a rating, or is the order of its pair."""
    systems, parsed = codes.rated.systems, cache(codes.rated.read)
    values = rows.annotate(raw_value=Cast("value", TextField()), raw_shown=Cast("shown", TextField()))
    one, other, choice, shown_first = [], [], [], []
    listed = values.order_by("pk").values_list("output_id", "other_output_id", "raw_value", "raw_shown")
    for output, second, value, shown in listed.iterator(chunk_size=CHUNK):
        pair, winner = (systems[output], systems[second]), parsed(value)
        order = parsed(shown) if shown else pair
        one.append(output)
        other.append(second)
        choice.append(pair.index(winner) if winner in pair else TIE)
        shown_first.append(next((pair.index(key) for key in order if key in pair), UNKNOWN))
    first, following = (codes.of_pks(np.array(column, dtype=np.int64)) for column in (one, other))
    chosen, order_shown = (np.array(column, dtype=np.int64) for column in (choice, shown_first))
    turned = first > following
    made = OutputChoices(
        first=np.where(turned, following, first),
        second=np.where(turned, first, following),
        rater=np.zeros(first.size, dtype=np.int64),
        choice=np.where(turned, TURNED[chosen], chosen),
        shown_first=np.where(turned, TURNED[order_shown], order_shown),
        raters=("",),
    )
    return rerun_of_choices(codes.arrays, made)


TURNED = np.array([SECOND, FIRST, TIE, UNKNOWN])
"""A choice, or the output shown first, if the outputs of a pair change places; UNKNOWN, -1, takes the last."""


def _ranking_rerun(codes: OutputCodes, rows: QuerySet[Rating]) -> Rerun:
    item: list[int] = []
    size: list[int] = []
    system: list[int] = []
    rank: list[int] = []
    shown = codes.rated.names.shown
    listed = rows.order_by("pk").values_list("item_id", "value").iterator(chunk_size=CHUNK)
    for item_pk, ranks in listed:
        item.append(item_pk)
        size.append(len(ranks))
        system.extend(codes.system_code[shown(name)] for name in ranks)
        rank.extend(ranks.values())
    sizes = np.array(size, dtype=np.int64)
    ranking = np.repeat(np.arange(sizes.size), sizes)
    order = np.lexsort((np.array(system), ranking))
    items = codes.rated.codes(item)
    ranked = Rankings(
        item=items,
        rater=np.zeros(sizes.size, dtype=np.int64),
        ranking=ranking,
        system=np.array(system, dtype=np.int64)[order],
        rank=np.array(rank, dtype=np.int64)[order],
        position=np.full(ranking.size, UNKNOWN),
        length=np.full(ranking.size, np.nan),
        raters=("",),
        systems=codes.arrays.systems,
    )
    return rerun_of_rankings(codes.arrays, _scores_of(codes, ranked), _choices_of(codes, ranked.choices()))


def _extremes_rerun(codes: OutputCodes, rows: QuerySet[Rating]) -> Rerun:
    """The best and the worst of the outputs shown, or of all of the item's."""
    listed = rows.order_by("pk").values_list("item_id", "value", "shown")
    items, named, orders = (list(column) for column in zip(*listed, strict=True)) if listed else ([], [], [])
    shown = [order or codes.rated.systems_of_items[item] for item, order in zip(items, orders, strict=True)]
    best, worst = ([value[side] for value in named] for side in ("best", "worst"))
    made = collect_best_worst(items, [""] * len(items), best, worst, shown)
    made = replace(made, item=codes.rated.codes(dict.fromkeys(items))[made.item])
    rerun = rerun_of_rankings(codes.arrays, _points_of(codes, made), _implied_by(codes, made))
    return replace(rerun, shape=SHAPES[EXTREMES])


_READERS = {SCORE: _score_rerun, CHOICE: _choice_rerun, RANKING: _ranking_rerun, EXTREMES: _extremes_rerun}
