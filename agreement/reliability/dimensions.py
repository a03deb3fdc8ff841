"""Agreement between two dimensions of the same rankings: two questions taken as two raters of the same outputs.

Source: Liu et al. 2024, InstruSum, Table 5. High agreement means that outputs good in one dimension are good in the
other.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.rankings import Rankings, pairs_within
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import ItemSums, Key, Ratios, RekeyedSums, estimate
from agreement.intervals.report_entries import Report, place, resampling
from agreement.reliability.alpha import alpha_sums
from agreement.reliability.ranked_sets import alpha_of_rankings

NO_ORDER = "no group of outputs has an order in both dimensions"
DIGITS = 9
"""Mean scores are compared after rounding to this many decimals, so that rounding errors do not break ties."""


@dataclass(frozen=True)
class PairedScores:
    """The scores of two dimensions for the same outputs.

    `item` is (G,), one entry per group of outputs; `group`, `system`, `first` and `second` are (E,), one entry per
    output of a group, ordered by group and then by system.
    """

    item: Ints
    group: Ints
    system: Ints
    first: Floats
    second: Floats


def describe_dimensions(first: Rankings, second: Rankings, *, replicates: int = 1000, seed: int = 0) -> Report:
    """Agreement of two dimensions, by the mean s_i of each item (`mean`) and by single rankings (`annotator`).

    Both must share their codes: collect the rankings of both together and split them with `only`. Each part has
    groups, left_out, alpha_masi_rankings, alpha_ordinal_ranks, alpha_interval_ranks and item_tau_b; `left_out` counts
    the groups without a tau_b because one dimension ties all their outputs.

    Raises ValueError if the two have different names of raters or systems.
    """
    if first.raters != second.raters or first.systems != second.systems:
        raise ValueError("the two dimensions must share their raters and systems")
    items = int(max(first.item.max(initial=-1), second.item.max(initial=-1))) + 1
    report: Report = {}
    figures: list[ItemSums] = []
    for name, matched in (("mean", by_mean(first, second)), ("annotator", by_annotator(first, second))):
        tau = tau_b(matched)
        groups = {"groups": int(matched.item.size), "left_out": int(np.count_nonzero(np.isnan(tau)))}
        report[name] = groups
        figures += _figures(name, matched, tau, items)
    estimates = estimate(figures, items, replicates, seed)
    undefined: dict[str, str] = {}
    place(report, undefined, estimates)
    report["bootstrap"] = resampling(estimates, items, replicates, seed)
    report["undefined"] = undefined
    return report


def by_mean(first: Rankings, second: Rankings) -> PairedScores:
    """The mean s_i of each output over all its rankings; a group is an item."""
    keys, means = zip(*(_means(rankings) for rankings in (first, second)), strict=True)
    key, a, b = np.intersect1d(keys[0], keys[1], return_indices=True)
    item, system = np.divmod(key, max(len(first.systems), 1))
    own, group = np.unique(item, return_inverse=True)
    return PairedScores(own, group.astype(np.int64), system, means[0][a], means[1][b])


def by_annotator(first: Rankings, second: Rankings) -> PairedScores:
    """s_i in each rater's last ranking of an item in each dimension, for outputs in both; a group is a ranking."""
    keys, scores = zip(*(_last_scores(rankings) for rankings in (first, second)), strict=True)
    key, a, b = np.intersect1d(keys[0], keys[1], return_indices=True)
    ranking, system = np.divmod(key, max(len(first.systems), 1))
    own, group = np.unique(ranking, return_inverse=True)
    return PairedScores(own // max(len(first.raters), 1), group.astype(np.int64), system, scores[0][a], scores[1][b])


def tau_b(matched: PairedScores) -> Floats:
    """Kendall's tau_b between the two scores within each group, (G,); NaN if a score is constant there."""
    i, j = pairs_within(np.bincount(matched.group, minlength=matched.item.size))
    group = matched.group[i]
    x, y = np.sign(matched.first[i] - matched.first[j]), np.sign(matched.second[i] - matched.second[j])
    groups = matched.item.size
    both = np.sqrt(sum_by(group, x * x, groups) * sum_by(group, y * y, groups))
    return np.divide(sum_by(group, x * y, groups), both, out=np.full(groups, np.nan), where=both > 0)


def _figures(name: str, matched: PairedScores, tau: Floats, items: int) -> list[ItemSums]:
    defined = ~np.isnan(tau)
    mean_tau = Ratios(
        keys=((name, "item_tau_b"),),
        numerator=sum_by(matched.item, np.where(defined, tau, 0.0), items)[:, None],
        denominator=sum_by(matched.item, defined.astype(np.float64), items)[:, None],
        reasons=(NO_ORDER,),
    )
    outputs = np.arange(matched.group.size)
    value = np.concatenate([matched.first, matched.second])
    alphas = alpha_sums(np.tile(outputs, 2), value, matched.item[matched.group], items, ("ordinal", "interval"))
    keys: tuple[Key, ...] = ((name, "alpha_ordinal_ranks"), (name, "alpha_interval_ranks"))
    groups = matched.item.size
    both = Rankings(
        item=np.tile(matched.item, 2),
        rater=np.repeat([0, 1], groups),
        ranking=np.concatenate([matched.group, matched.group + groups]),
        system=np.tile(matched.system, 2),
        rank=np.concatenate([_ranks(matched, matched.first), _ranks(matched, matched.second)]),
        position=np.full(value.size, -1),
        length=np.full(value.size, np.nan),
        raters=("first", "second"),
        systems=tuple(str(code) for code in range(int(matched.system.max(initial=-1)) + 1)),
    )
    rank = both.rank.astype(np.float64)
    unit = np.tile(np.arange(groups), 2)
    whole = alpha_of_rankings((name, "alpha_masi_rankings"), both, rank, unit, matched.item, items)
    return [whole, RekeyedSums(alphas, keys), mean_tau]


def _ranks(matched: PairedScores, score: Floats) -> Ints:
    """1 + how many outputs of the group have a higher score, (E,)."""
    i, j = pairs_within(np.bincount(matched.group, minlength=matched.item.size))
    lower = np.where(score[i] < score[j], i, j)[score[i] != score[j]]
    return 1 + np.bincount(lower, minlength=score.size)


def _means(rankings: Rankings) -> tuple[Ints, Floats]:
    key, code = np.unique(
        rankings.item[rankings.ranking] * max(len(rankings.systems), 1) + rankings.system, return_inverse=True
    )
    n = np.bincount(code, minlength=key.size)
    return key, np.round(sum_by(code, rankings.scores(), key.size) / np.maximum(n, 1), DIGITS)


def _last_scores(rankings: Rankings) -> tuple[Ints, Floats]:
    last = rankings.only(rankings.latest(np.zeros(rankings.item.size, dtype=np.int64)))
    ranking = last.item * max(len(last.raters), 1) + last.rater
    key = ranking[last.ranking] * max(len(last.systems), 1) + last.system
    order = np.argsort(key)
    return key[order], last.scores()[order]
