"""Second ratings of turns compared with those of the sessions' own users.

Source: Xu et al. 2024, *KIWI*, section 5, the human row of Tables 5 and 7. The user's rating is the label, a second
rating a prediction of it. Two-way collapses neutral and bad, with good as the positive class; three-way keeps them, and
its precision, recall and F1 are means over the three classes. With p_o the share of equal ratings and p_e the sum over
classes of the product of both raters' shares, Cohen's kappa = (p_o - p_e) / (1 - p_e) (Cohen 1960).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.catalogue.turn_catalogue import SECOND_RATING_FIGURES
from agreement.intervals.bootstrap import ItemSums, Key, estimate, item_weights
from agreement.intervals.report_entries import Report, place, resampling, within
from agreement.reliability.kappa import NO_CHANCE
from agreement.turns.turn_figures import GOOD, RATINGS, shares

NOT_GOOD = "not good"
NOTHING = "no turn was rated a second time"
NEVER_GIVEN = "one of the ratings that it averages over was never given"
TOO_FEW = "a standard deviation needs at least two turns, and the figure for half of the replicates"

Pair = tuple[Hashable, str, str]
"""A turn, its user's rating, and somebody else's second rating."""


@dataclass(frozen=True)
class Confusions:
    """The figures of one `way` of grouping ratings into K classes.

    `counts`, (T, K * K), has for each turn how often the user gave the row's class and a second rater the column's.
    `positive` is the class of precision, recall and F1; None takes the mean over all classes.
    """

    way: str
    counts: Floats
    positive: int | None

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple((self.way, name) for name in SECOND_RATING_FIGURES)

    def at(self, weights: Floats) -> Floats:
        """The figures, (b, F), with turn t counted `weights[:, t]` times."""
        classes = int(self.counts.shape[1] ** 0.5)
        table = (weights @ self.counts).reshape(-1, classes, classes)
        own, second, right = table.sum(axis=2), table.sum(axis=1), table.diagonal(axis1=1, axis2=2)
        of = own.sum(axis=1)
        accuracy, chance = _ratio(right.sum(axis=1), of), _ratio((own * second).sum(axis=1), of * of)
        kappa = _ratio(accuracy - chance, 1 - chance)
        by_class = (_ratio(right, second), _ratio(right, own), _ratio(2 * right, own + second))
        chosen = [one.mean(axis=1) if self.positive is None else one[:, self.positive] for one in by_class]
        return np.stack([kappa, accuracy, *chosen], axis=1)

    def reason(self, key: Key) -> str:
        if not self.counts.sum():
            return NOTHING
        return NO_CHANCE if key[1] == "cohen_kappa" else NEVER_GIVEN


def second_ratings(pairs: Sequence[Pair], *, replicates: int = 1000, seed: int = 0) -> Report:
    """Kappa, accuracy, precision, recall and F1, two-way and three-way, each with `x_sd` and `x_ci`.

    These are the standard deviation and the 95 % interval over bootstrap replicates that draw turns; what a seed draws
    depends on the order of the turns. `labels` are the shares of the second ratings. Undefined figures are None, with
    the reason under `undefined`.
    """
    turns = {turn: number for number, turn in enumerate(dict.fromkeys(turn for turn, _, _ in pairs))}
    place_of = np.array([turns[turn] for turn, _, _ in pairs], dtype=np.int64)
    two_way = [(collapsed(own), collapsed(second)) for _, own, second in pairs]
    figures: list[ItemSums] = [
        Confusions("two_way", _counts(place_of, two_way, (GOOD, NOT_GOOD), len(turns)), 0),
        Confusions("three_way", _counts(place_of, [pair[1:] for pair in pairs], RATINGS, len(turns)), None),
    ]
    estimates = estimate(figures, len(turns), replicates, seed)
    report: Report = {"turns": len(turns), "ratings": len(pairs)}
    undefined: dict[str, str] = {}
    place(report, undefined, estimates)
    for key, deviation in _deviations(figures, len(turns), replicates, seed).items():
        name = (*key[:-1], f"{key[-1]}_sd")
        within(report, key[:-1])[name[-1]] = deviation
        if deviation is None:
            undefined[".".join(name)] = TOO_FEW
    report["two_way"]["labels"] = shares((second for _, second in two_way), (GOOD, NOT_GOOD))
    report["three_way"]["labels"] = shares((second for _, _, second in pairs), RATINGS)
    report["bootstrap"] = {**resampling(estimates, len(turns), replicates, seed), "resampled": "turns"}
    report["undefined"] = undefined
    return report


def _deviations(figures: Sequence[ItemSums], turns: int, replicates: int, seed: int) -> dict[Key, float | None]:
    """The standard deviation of each figure over the draws of `estimate`, without those for which it is undefined."""
    found: dict[Key, float | None] = {}
    for sums in figures:
        drawn = [sums.at(weights) for weights in item_weights(turns, replicates, seed)] if turns > 1 else []
        values = np.concatenate([np.empty((0, len(sums.keys))), *drawn])
        for column, key in enumerate(sums.keys):
            defined = values[~np.isnan(values[:, column]), column]
            enough = defined.size > 1 and 2 * defined.size >= replicates
            found[key] = float(np.std(defined, ddof=1)) if enough else None
    return found


def collapsed(rating: str) -> str:
    """A rating two-way: good or not."""
    return GOOD if rating == GOOD else NOT_GOOD


def _counts(turn: np.ndarray, pairs: Sequence[Sequence[str]], classes: Sequence[str], turns: int) -> Floats:
    """The counts of each pair of classes per turn, (T, K * K); raises ValueError for an unknown class."""
    counts = np.zeros((turns, len(classes) ** 2))
    cells = [classes.index(own) * len(classes) + classes.index(second) for own, second in pairs]
    np.add.at(counts, (turn, np.array(cells, dtype=np.int64)), 1)
    return counts


def _ratio(above: Floats, below: Floats) -> Floats:
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)
