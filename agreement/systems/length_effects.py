"""Whether longer outputs get higher scores, within items, with intervals over items."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.scored_outputs import ScoresOfOutputs
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Key, Ratios, estimate
from agreement.systems.place_effects import with_figures

QUARTILES = (0.25, 0.5, 0.75)
NO_WORDS = "the outputs have no texts"
NO_VARIATION = "no item has outputs that differ both in length and in score"
NO_OUTPUT = "no output has this length"


@dataclass(frozen=True)
class WithinItems:
    """Sums over each item (I,) of products of deviations from the item's own means: of x and y, of x, of y."""

    both: Floats
    x: Floats
    y: Floats

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("r",),)

    def reason(self, key: Key) -> str:
        return NO_VARIATION

    def at(self, weights: Floats) -> Floats:
        """The correlation, (b, 1), with item i counted `weights[:, i]` times; NaN if x or y does not vary."""
        below = (weights @ self.x) * (weights @ self.y)
        above = weights @ self.both
        found = np.divide(above, np.sqrt(below), out=np.full_like(above, np.nan), where=below > 0)
        return np.clip(found, -1.0, 1.0)[:, None]


def within_items(item: Ints, x: Floats, y: Floats, items: int) -> WithinItems:
    """The sums of x and y, (N,) each, scaled so that no square overflows."""
    n = np.maximum(np.bincount(item, minlength=items), 1)

    def deviations(values: Floats) -> Floats:
        scaled = values / (float(np.abs(values).max(initial=0.0)) or 1.0)
        return np.round(scaled - (sum_by(item, scaled, items) / n)[item], 12)

    dx, dy = deviations(x), deviations(y)
    return WithinItems(*(sum_by(item, one, items) for one in (dx * dy, dx * dx, dy * dy)))


def length_effects(scores: ScoresOfOutputs, replicates: int = 1000, seed: int = 0) -> dict[str, Any]:
    """The scores of outputs by their words: {outputs, r, r_ci, groups, undefined}.

    `r` is Pearson's correlation of words and scores within items: of their deviations from the means of their item, so
    that it does not depend on which items are long. `groups` are the quarters of the outputs by words, fewer if many
    have the same number: {low, high, n, mean, mean_ci, undefined}.
    """
    known = np.isfinite(scores.words)
    words, score = scores.words[known], scores.score[known]
    if not words.size or words.max() == 0:
        return {"outputs": 0, "r": None, "r_ci": None, "groups": [], "undefined": {"r": NO_WORDS, "groups": NO_WORDS}}
    _, item = np.unique(scores.item[known], return_inverse=True)
    items = int(item.max()) + 1
    ends = np.unique(np.append(np.quantile(words, QUARTILES, method="inverted_cdf"), words.max()))
    group = np.searchsorted(ends, words)
    cell, size = item * ends.size + group, items * ends.size
    means = Ratios(
        tuple(("mean", str(place)) for place in range(ends.size)),
        sum_by(cell, score, size).reshape(items, -1),
        np.bincount(cell, minlength=size).reshape(items, -1).astype(np.float64),
        (NO_OUTPUT,) * ends.size,
    )
    found = estimate([within_items(item, words, score, items), means], items, replicates, seed)
    rows = []
    for place, high in enumerate(ends.tolist()):
        own = words[group == place]
        row: dict[str, Any] = {"low": int(own.min()), "high": int(high), "n": int(own.size)}
        rows.append(with_figures(row, {"mean": found["mean", str(place)]}))
    return with_figures({"outputs": int(words.size), "groups": rows}, {"r": found[("r",)]})
