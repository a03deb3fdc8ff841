"""Every figure of a rank or preference question, with intervals, as plain values for JSON."""

from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.pair_choices import CHOICES, PairChoices
from agreement.arrays.pair_sides import Sides
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Ints, Ratings
from agreement.arrays.tally import tally
from agreement.comparisons.mean_comparisons import mean_comparisons
from agreement.intervals.bootstrap import ItemSums, estimate
from agreement.intervals.report_entries import Report, complete, place, resampling
from agreement.reliability.alpha import alpha_sums
from agreement.reliability.kappa import WEIGHTS, kappas, rater_pairs
from agreement.reliability.leave_one_out import leave_one_out
from agreement.reliability.masi import SetAlphaSums, masi_sums
from agreement.reliability.percent_agreement import percent_agreement
from agreement.reliability.ranked_sets import of_whole_rankings
from agreement.systems.bradley_terry import RARE, davidson_sums
from agreement.systems.pair_figures import (
    length_bias_rate,
    position_bias,
    score_by_position,
    system_score,
    win_or_tie_rate,
    win_tie_loss,
)

SETS = ((0,), (1,), (0, 1))
"""FIRST, SECOND and TIE as sets for MASI: a tie is both."""
ORDER = np.array([0.0, 2.0, 1.0])
"""FIRST, SECOND and TIE on a line, for weighted kappa: a tie is half-way between."""
ENDS = Sides(values=np.array([0.0, 1.0, 2.0]), mirror=np.array([2, 1, 0]))
"""First and second are exchangeable on this line, too."""


def describe_choices(choices: PairChoices, *, ties: bool = True, replicates: int = 1000, seed: int = 0) -> Report:
    """All figures of one preference question, as `catalogue.FIGURES` describes them.

    `ties` is whether a tie could be chosen. The result has only plain floats, ints, strings, lists, dicts and None. An
    undefined figure is None, with the reason under `undefined` by its dotted name. `x_ci` is the 95 % interval
    [low, high] of `x`.
    """
    choices = choices.judged()
    items = int(choices.item.max(initial=-1)) + 1
    report: Report = {"level": "choice", "ratings": choices.choice.size}
    return _complete(report, choices, [win_or_tie_rate(choices, items)], choices.points(), ties, (replicates, seed))


def describe_rankings(rankings: Rankings, *, ties: bool = True, replicates: int = 1000, seed: int = 0) -> Report:
    """All figures of one rank question, of whole rankings and of their pairs; otherwise as `describe_choices`."""
    rankings = rankings.ranked()
    items = int(rankings.item.max(initial=-1)) + 1
    whole, sets_shared = of_whole_rankings(rankings, items)
    report: Report = {"level": "rank", "ratings": rankings.item.size, "rankings_shared": sets_shared}
    figures = [system_score(rankings, items), *whole]
    choices = rankings.choices()
    report = _complete(report, choices, figures, _mean_scores(rankings), ties, (replicates, seed), rankings)
    report["score_by_position"] = score_by_position(rankings)
    return report


def alpha_of_sets(latest: Ratings, items: int) -> SetAlphaSums:
    """Alpha of pairs with MASI, from ratings of pairs without repeats."""
    sets = csr_array([[float(element in chosen) for element in (0, 1)] for chosen in SETS])
    code = latest.value.astype(np.int64)
    return masi_sums(("alpha_masi",), latest.unit, code, latest.item, items, sets, latest.sides)


def _on_a_line(latest: Ratings) -> Ratings:
    """Choices as values from 0 to 2."""
    sides = None if latest.sides is None else ENDS
    return replace(latest, value=ORDER[latest.value.astype(np.int64)], sides=sides)


def _complete(
    report: Report,
    choices: PairChoices,
    of_protocol: list[ItemSums],
    outputs: tuple[Ints, Ints, np.ndarray],
    ties: bool,
    resampled: tuple[int, int],
    rankings: Rankings | None = None,
) -> Report:
    """The report with the figures of pairs and those `of_protocol` added, all over the same draws of items."""
    item = choices.item if rankings is None else rankings.item
    items = int(item.max(initial=-1)) + 1
    ratings = choices.ratings()
    latest = ratings.latest()
    line = _on_a_line(latest)
    counted = tally(line.unit, line.value, line.item.size, None if line.sides is None else line.sides.values)
    categories = len(CHOICES) if ties else len(CHOICES) - 1
    by_chance, undefined = kappas(line, counted, items, categories, tuple(WEIGHTS))
    strengths = davidson_sums(choices, items)
    figures: list[ItemSums] = [
        percent_agreement(counted, latest.item, items),
        leave_one_out(counted, latest.item, items),
        alpha_sums(latest.unit, latest.value, latest.item, items, ("nominal",), latest.sides),
        alpha_of_sets(latest, items),
        *by_chance,
        *of_protocol,
        strengths,
        position_bias(choices, items),
        length_bias_rate(choices, items),
    ]
    estimates = estimate(figures, items, *resampled)
    report |= {
        "raters": int(np.unique(choices.rater if rankings is None else rankings.rater).size),
        "items": items,
        "pairs": int(np.count_nonzero(counted.m)),
        "pairs_with_two_or_more": int(np.count_nonzero(counted.m > 1)),
        "repeated_by_same_rater": ratings.value.size - int(counted.m.sum()),
    }
    place(report, undefined, estimates)
    complete(report, ("bradley_terry", "system_score" if rankings else "system_win_or_tie_rate"))
    for name in WEIGHTS:
        report.setdefault(name)
    report["kappa_raters"] = rater_pairs(latest)
    report["win_tie_loss"] = win_tie_loss(choices)
    report["comparisons"], reasons = mean_comparisons(*outputs, choices.systems)
    report["bootstrap"] = resampling(estimates, items, *resampled)
    undefined |= {f"bradley_terry_ci.{name}": RARE for name in strengths.rare}
    report["undefined"] = undefined | reasons
    return report


def _mean_scores(rankings: Rankings) -> tuple[Ints, Ints, np.ndarray]:
    """Item, system and mean s_i of each ranked output."""
    systems = max(len(rankings.systems), 1)
    key, code = np.unique(rankings.item[rankings.ranking] * systems + rankings.system, return_inverse=True)
    item, system = np.divmod(key, systems)
    total = np.bincount(code, rankings.scores(), key.size)
    return item, system, total / np.maximum(np.bincount(code, minlength=key.size), 1)
