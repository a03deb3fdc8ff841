"""Every figure of a question for the best and the worst output, with intervals, as plain values for JSON."""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.best_worst_answers import BestWorstAnswers
from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import Tally, sum_by, tally
from agreement.comparisons.mean_comparisons import mean_comparisons
from agreement.intervals.bootstrap import ItemSums, Key, Ratios, RekeyedSums, Shares, estimate
from agreement.intervals.report_entries import Report, complete, place, resampling
from agreement.reliability.alpha import alpha_sums
from agreement.reliability.percent_agreement import percent_agreement

NOT_SHOWN = "no output of the system was shown"
NOT_SHARED = "no set of outputs was judged by two raters"
EITHER_BETTER = Sides(values=np.array([0.0, 1.0]), mirror=np.array([1, 0]))
"""Whether the first output of a pair is better; which is the first means nothing."""
OF_SYSTEMS = ("system_best_worst", "system_best_share", "system_worst_share")


def describe_best_worst(answers: BestWorstAnswers, *, replicates: int = 1000, seed: int = 0) -> Report:
    """All figures of one question for the best and the worst output, as `catalogue.FIGURES` describes them.

    The result has only plain floats, ints, strings, lists, dicts and None. An undefined figure is None, with the reason
    under `undefined` by its dotted name. `x_ci` is the 95 % interval [low, high] of `x`.
    """
    answers = answers.answered()
    latest = answers.latest()
    items = int(answers.item.max(initial=-1)) + 1
    raters_of = np.bincount(latest.set_shown, minlength=latest.item.size)
    figures: list[ItemSums] = [
        *choice_figures(latest, "best", latest.best, items),
        *choice_figures(latest, "worst", latest.worst, items),
        implied_alpha(latest, items),
        split_half(latest, items),
        *best_worst_counts(answers, items),
    ]
    estimates = estimate(figures, items, replicates, seed)
    report: Report = {
        "level": "extremes",
        "ratings": answers.set_shown.size,
        "repeats": answers.set_shown.size - latest.set_shown.size,
        "raters": int(np.unique(answers.rater).size),
        "items": items,
        "sets": int(np.count_nonzero(raters_of)),
        "sets_with_two_or_more": int(np.count_nonzero(raters_of > 1)),
    }
    undefined: dict[str, str] = {}
    place(report, undefined, estimates)
    complete(report, OF_SYSTEMS)
    report["comparisons"], reasons = mean_comparisons(*answers.mean_points(), answers.systems)
    report["bootstrap"] = resampling(estimates, items, replicates, seed)
    report["undefined"] = undefined | reasons
    return report


def best_worst_counts(answers: BestWorstAnswers, items: int) -> list[Ratios]:
    """How often each system is best, how often worst, and the difference, per time that it was shown.

    All current answers count, including repeats, because these figures describe systems and not agreement.
    """
    answer, system, points = answers.points()
    systems = len(answers.systems)
    cell, shape = answers.item[answers.set_shown[answer]] * systems + system, (items, systems)
    shown = np.bincount(cell, minlength=items * systems).astype(np.float64).reshape(shape)

    def ratios(kind: type[Ratios], name: str, figure: Floats) -> Ratios:
        return kind(
            keys=tuple((name, one) for one in answers.systems),
            numerator=sum_by(cell, figure, items * systems).reshape(shape),
            denominator=shown,
            reasons=(NOT_SHOWN,) * systems,
        )

    figures: tuple[Floats, ...] = (points, (points > 0).astype(np.float64), (points < 0).astype(np.float64))
    return [ratios(*one) for one in zip((Ratios, Shares, Shares), OF_SYSTEMS, figures, strict=True)]


def choice_figures(latest: BestWorstAnswers, name: str, system: Ints, items: int) -> list[ItemSums]:
    """Percent agreement, free-marginal kappa and nominal alpha of one of the two choices, with sets as units."""
    rated = latest.chosen(system)
    counted = tally(rated.unit, rated.value, rated.item.size)
    alphas = alpha_sums(rated.unit, rated.value, rated.item, items, ("nominal",))
    return [
        RekeyedSums(percent_agreement(counted, rated.item, items), ((f"percent_agreement_{name}",),)),
        _free_kappa(f"free_kappa_{name}", latest, counted, items),
        RekeyedSums(alphas, ((f"alpha_{name}",),)),
    ]


def _free_kappa(name: str, latest: BestWorstAnswers, counted: Tally, items: int) -> Ratios:
    """Agreement of pairs of raters beyond that of random choices, which is 1/n in a set of n outputs."""
    chance = 1 / np.maximum(np.bincount(latest.member_set, minlength=latest.item.size), 1)
    pairs = counted.m * (counted.m - 1) / 2
    agreeing = sum_by(counted.unit, counted.n * (counted.n - 1) / 2, latest.item.size)
    return Ratios(
        keys=((name,),),
        numerator=sum_by(latest.item, agreeing - pairs * chance, items)[:, None],
        denominator=sum_by(latest.item, pairs * (1 - chance), items)[:, None],
        reasons=(NOT_SHARED,),
    )


def implied_alpha(latest: BestWorstAnswers, items: int) -> ItemSums:
    """Nominal alpha of the orders of pairs that the answers imply: a unit is a pair of outputs within a set."""
    answer, better, worse = latest.implied_pairs()
    systems = max(len(latest.systems), 1)
    pair = np.minimum(better, worse) * systems + np.maximum(better, worse)
    sets = latest.set_shown[answer]
    key, unit = np.unique(sets * systems * systems + pair, return_inverse=True)
    item = latest.item[key // (systems * systems)]
    first_is_better = (better < worse).astype(np.float64)
    alphas = alpha_sums(unit.astype(np.int64), first_is_better, item, items, ("nominal",), EITHER_BETTER)
    return RekeyedSums(alphas, (("alpha_implied_pairs",),))


@dataclass(frozen=True)
class SplitHalf:
    """The correlation of the outputs' points in two random halves of the raters, in expectation over all splits.

    Per item, the sums over outputs of the expected product and squares of the two halves' mean points, (I,) each. In
    every set the points of a half add up to 0, so the means of both are 0.
    """

    product: Floats
    first: Floats
    second: Floats
    keys: tuple[Key, ...] = (("split_half",),)

    def reason(self, key: Key) -> str:
        return NOT_SHARED

    def at(self, weights: Floats) -> Floats:
        """The correlation, (b, 1), with item i counted `weights[:, i]` times."""
        both = np.sqrt((weights @ self.first) * (weights @ self.second))
        return np.divide(weights @ self.product, both, out=np.full_like(both, np.nan), where=both > 0)[:, None]


def split_half(latest: BestWorstAnswers, items: int) -> SplitHalf:
    """The sums for split-half reliability, of the sets that two or more raters judged.

    A set's k answers are split at random into halves of floor(k/2) and ceil(k/2). With v_i the points of an output in
    answer i, S = sum v_i and Q = sum v_i^2, two different answers have the expected product
    c = (S^2 - Q) / (k (k - 1)). So that is the expected product of the two halves' means, and a half of a answers has
    the expected square (Q / k + (a - 1) c) / a.
    """
    k = np.bincount(latest.set_shown, minlength=latest.item.size)
    answer, system, points = latest.points()
    systems = max(len(latest.systems), 1)
    key, output = np.unique(latest.set_shown[answer] * systems + system, return_inverse=True)
    total, squares = sum_by(output, points, key.size), sum_by(output, points * points, key.size)
    own = k[key // systems]
    several = own > 1
    key, total, squares, own = key[several], total[several], squares[several], own[several]
    product = (total * total - squares) / (own * (own - 1))
    item = latest.item[key // systems]

    def square(a: Ints) -> Floats:
        return sum_by(item, (squares / own + (a - 1) * product) / a, items)

    return SplitHalf(sum_by(item, product, items), square(own // 2), square(own - own // 2))
