"""Agreement corrected for chance, based on how often raters use each category: the kappas and Gwet's AC1.

Of two raters: Cohen's kappa = 1 - sum_ck w_ck p_ck / sum_ck w_ck p_c. p_.k with w_ck = [c != k] (Cohen 1960),
|c - k| (linear) or (c - k)^2 (quadratic; Cohen 1968), over units both rated.

Of any number of raters: (p_a - p_e) / (1 - p_e). p_a is the mean, over units with two ratings, of the share of agreeing
pairs of raters; pi_c is the mean over units of n_uc / m_u. Fleiss (1971): p_e = sum_c pi_c^2. Gwet's AC1 (2008):
p_e = sum_c pi_c (1 - pi_c) / (q - 1) with q categories. Both in the form for missing ratings of Gwet (2014, Handbook of
Inter-Rater Reliability, 4th ed., ch. 2 and 5).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.rounding import without_noise
from agreement.arrays.tally import Tally, counts_by_item, sum_by
from agreement.intervals.bootstrap import ItemSums, Key

RATERS_IN_PAIRS = 4
"""With more raters than this, kappas of single pairs are not given."""
CATEGORIES = 100
"""With more distinct values than this, a question has no meaningful categories."""
TOO_MANY_RATERS = f"there are more than {RATERS_IN_PAIRS} raters"
TOO_FEW_RATERS = "there is only one rater"
TOO_MANY_VALUES = f"there are more than {CATEGORIES} distinct values"
NO_SHARED = "no unit was rated by both raters"
NO_CHANCE = "chance agreement is complete: both raters gave only one and the same value"
NOTHING_SHARED = "no unit was rated by two raters"
ALL_SAME = "all values are the same"
ONE_CATEGORY = "the question has only one category"

WEIGHTS: dict[str, Callable[[Floats], Floats]] = {
    "cohen_kappa_pairs": lambda distance: (distance != 0).astype(np.float64),
    "kappa_linear_pairs": np.abs,
    "kappa_quadratic_pairs": np.square,
}
"""The weight of a disagreement, by the distance of the two values."""


@dataclass(frozen=True)
class PairKappas:
    """Cohen's kappas of two raters, one per kind of weight.

    Per item, `n` (I,) is the number of shared units, `disagreement` (I, F) the sum of their weights, and `left` and
    `right` (I, K) are how often each rater gave each value; `weight` is (F, K, K).
    """

    keys: tuple[Key, ...]
    n: Floats
    disagreement: Floats
    left: Floats | csr_array
    right: Floats | csr_array
    weight: Floats

    def reason(self, key: Key) -> str:
        return NO_CHANCE if self.n.sum() else NO_SHARED

    def at(self, weights: Floats) -> Floats:
        """The kappas, (b, F), with item i counted `weights[:, i]` times."""
        left, right = weights @ self.left, weights @ self.right
        expected = np.stack([np.einsum("bc,bc->b", left @ weight, right) for weight in self.weight], axis=1)
        observed = (weights @ self.disagreement) * (weights @ self.n)[:, None]
        return without_noise(1 - np.divide(observed, expected, out=np.full_like(expected, np.nan), where=expected > 0))


@dataclass(frozen=True)
class ChanceCorrected:
    """Fleiss' kappa and Gwet's AC1.

    Per item: the sum of units' agreement and their number, (I,) each, the sum of units' shares of each value, (I, K),
    and the number of rated units, (I,).
    """

    agreement: Floats
    pairable: Floats
    shares: Floats | csr_array
    rated: Floats
    categories: int

    keys: tuple[Key, ...] = (("fleiss_kappa",), ("gwet_ac1",))

    def reason(self, key: Key) -> str:
        if not self.pairable.sum():
            return NOTHING_SHARED
        return ALL_SAME if key == ("fleiss_kappa",) else ONE_CATEGORY

    def at(self, weights: Floats) -> Floats:
        """Both figures, (b, 2), with item i counted `weights[:, i]` times."""
        below = weights @ self.pairable
        p_a = np.divide(weights @ self.agreement, below, out=np.full_like(below, np.nan), where=below > 0)
        pi = weights @ self.shares / np.maximum(weights @ self.rated, 1)[:, None]
        chance = (pi * pi).sum(axis=1)
        varied = np.count_nonzero(pi, axis=1) > 1
        fleiss = np.divide(without_noise(p_a - chance), 1 - chance, out=np.full_like(chance, np.nan), where=varied)
        if self.categories < 2:
            return np.stack([fleiss, np.full_like(fleiss, np.nan)], axis=1)
        chance = (pi * (1 - pi)).sum(axis=1) / (self.categories - 1)
        return np.stack([fleiss, without_noise(p_a - chance) / (1 - chance)], axis=1)


def chance_corrected(
    counted: Tally, item: Ints, items: int, categories: int, sides: Sides | None = None
) -> ChanceCorrected:
    """The sums for Fleiss' kappa and AC1, from ratings without repeats.

    `item` (U,) is the item of each unit; `categories` is q, the number of values that could have been given. With
    `sides`, of whose values `counted` must be, they are choices within pairs.
    """
    same = sum_by(counted.unit, counted.n * (counted.n - 1.0), counted.m.size)
    agreement = same / np.maximum(counted.m * (counted.m - 1.0), 1)
    of_cells = counted.n / counted.m[counted.unit]
    shares = counts_by_item(item[counted.unit], counted.code, of_cells, (items, counted.values.size))
    return ChanceCorrected(
        agreement=sum_by(item, agreement, items),
        pairable=sum_by(item, (counted.m > 1).astype(np.float64), items),
        shares=shares if sides is None else sides.shared(shares),
        rated=sum_by(item, (counted.m > 0).astype(np.float64), items),
        categories=categories,
    )


def kappa_pairs(ratings: Ratings, items: int, names: Sequence[str]) -> list[PairKappas]:
    """Cohen's kappas, keyed (name, "0"), (name, "1"), ..., of each pair of raters, ordered by name.

    `ratings` must be without repeats; `names` are keys of `WEIGHTS`. Weights depend on the distance of the values.
    """
    raters = np.unique(ratings.rater)
    sides = ratings.sides
    values = np.unique(ratings.value) if sides is None else sides.values
    code = np.searchsorted(values, ratings.value)
    # The unit of a weight cancels out, and scaled values have no square that overflows.
    scaled = values / (np.abs(values).max(initial=0.0) or 1.0)
    table = np.full((ratings.item.size, raters.size), -1, dtype=np.int64)
    table[ratings.unit, np.searchsorted(raters, ratings.rater)] = code
    distance = scaled[:, None] - scaled[None, :]
    weight = np.stack([WEIGHTS[name](distance) for name in names])
    kappas = []
    for number, (a, b) in enumerate(combinations(range(raters.size), 2)):
        both = np.flatnonzero((table[:, a] >= 0) & (table[:, b] >= 0))
        left, right, own = table[both, a], table[both, b], ratings.item[both]
        ones, shape = np.ones(both.size), (items, values.size)
        by_left, by_right = (counts_by_item(own, column, ones, shape) for column in (left, right))
        pair = PairKappas(
            keys=tuple((name, str(number)) for name in names),
            n=sum_by(own, ones, items),
            disagreement=np.stack([sum_by(own, kind[left, right], items) for kind in weight], axis=1),
            left=by_left if sides is None else sides.shared(by_left),
            right=by_right if sides is None else sides.shared(by_right),
            weight=weight,
        )
        kappas.append(pair)
    return kappas


def kappas(
    ratings: Ratings, counted: Tally, items: int, categories: int, names: Sequence[str]
) -> tuple[list[ItemSums], dict[str, str]]:
    """All kappas that the shape of the data allows, and the reasons for leaving out the others."""
    if counted.values.size > CATEGORIES:
        return [], dict.fromkeys((*names, "fleiss_kappa", "gwet_ac1"), TOO_MANY_VALUES)
    several = chance_corrected(counted, ratings.item, items, categories, ratings.sides)
    raters = np.unique(ratings.rater).size
    if raters < 2 or raters > RATERS_IN_PAIRS:
        return [several], dict.fromkeys(names, TOO_FEW_RATERS if raters < 2 else TOO_MANY_RATERS)
    return [several, *kappa_pairs(ratings, items, names)], {}


def rater_pairs(ratings: Ratings) -> list[list[str]] | None:
    """The names of each pair of raters, in the order of the kappas of pairs; None if these are not given."""
    raters = [ratings.raters[code] for code in np.unique(ratings.rater)]
    if not 2 <= len(raters) <= RATERS_IN_PAIRS:
        return None
    return [list(pair) for pair in combinations(raters, 2)]
