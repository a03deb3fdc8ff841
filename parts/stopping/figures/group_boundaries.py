"""Boundaries of two-sided group sequential designs, by recursive numerical integration.

At look k with information fraction t_k, the statistic Z_k is normal with variance 1, and the scores Z_k sqrt(t_k) have
independent increments (Jennison and Turnbull 2000, Group Sequential Methods, ch. 19; Armitage, McPherson and Rowe 1969,
J. R. Stat. Soc. A 132:235-244). The density of the score of those designs that have not stopped is carried from look
to look on the nodes of a Gauss-Legendre rule over the continuation region.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from agreement.arrays.rating_arrays import Floats
from parts.stopping.figures.error_spending import spent_by

FARTHEST = 12.0
"""Standard deviations beyond which the density is 0 to all digits; a boundary that lies farther is infinite."""
LEAST_NODES, MOST_NODES = 120, 1500
NODES_PER_DEVIATION = 6


@dataclass(frozen=True)
class _Running:
    """The density of the score over designs that have not stopped: `density` times `weight` at `score`, (N,) each."""

    score: Floats
    weight: Floats
    density: Floats

    def beyond(self, bound: float, deviation: float) -> float:
        """The probability that the next score, with an increment of this deviation, is `bound` or more either way."""
        if np.isinf(bound):
            return 0.0
        out = norm.sf((bound - self.score) / deviation) + norm.cdf((-bound - self.score) / deviation)
        return float(np.sum(self.weight * self.density * out))

    def after(self, bound: float, deviation: float, reach: float) -> "_Running":
        """The density after the next look, if designs with a score of `bound` or more stop there."""
        edge = min(bound, reach)
        nodes = int(np.clip(NODES_PER_DEVIATION * 2 * edge / deviation, LEAST_NODES, MOST_NODES))
        point, weight = _nodes(nodes)
        score = edge * point
        kernel = norm.pdf((score[:, None] - self.score[None, :]) / deviation) / deviation
        return _Running(score, edge * weight, kernel @ (self.weight * self.density))


@lru_cache(maxsize=64)
def _nodes(count: int) -> tuple[Floats, Floats]:
    """Points and weights of the Gauss-Legendre rule on [-1, 1], (count,) each."""
    point, weight = np.polynomial.legendre.leggauss(count)
    return point, weight


_BEGIN = _Running(np.zeros(1), np.ones(1), np.ones(1))


def boundaries_of_spending(spent: Sequence[float] | Floats, fractions: Sequence[float] | Floats) -> Floats:
    """The boundaries for |Z|, (K,), at which designs stop by look k with probability `spent[k]`.

    That is if there is nothing to find. `fractions` are the information fractions. A boundary is infinite if the look
    has nothing to spend.
    """
    t, total = np.asarray(fractions, dtype=np.float64), np.asarray(spent, dtype=np.float64)
    running, found = _BEGIN, []
    for look, own in enumerate(np.diff(total, prepend=0.0).tolist()):
        deviation, root = float(np.sqrt(t[look] - (t[look - 1] if look else 0.0))), float(np.sqrt(t[look]))
        bound = _bound(running, own, deviation, FARTHEST * root)
        found.append(bound / root)
        running = running.after(bound, deviation, FARTHEST * root)
    return np.array(found)


def _bound(running: _Running, own: float, deviation: float, reach: float) -> float:
    """The score beyond which the next look lies with probability `own`; infinite if that is out of reach."""
    if own <= running.beyond(reach, deviation) or own <= 0:
        return float("inf")
    return float(brentq(lambda bound: running.beyond(bound, deviation) - own, 0.0, reach, xtol=1e-10))


def spending_boundaries(kind: str, fractions: Sequence[float] | Floats, alpha: float) -> Floats:
    """The boundaries for |Z| of a spending function of `parts.stopping.figures.error_spending`, (K,)."""
    return boundaries_of_spending(spent_by(kind, fractions, alpha), fractions)


def crossing_probability(bounds: Sequence[float] | Floats, fractions: Sequence[float] | Floats) -> float:
    """The probability that |Z| reaches its bound at any look if there is no difference."""
    t, running, total = np.asarray(fractions, dtype=np.float64), _BEGIN, 0.0
    for look, z in enumerate(np.asarray(bounds, dtype=np.float64).tolist()):
        deviation, root = float(np.sqrt(t[look] - (t[look - 1] if look else 0.0))), float(np.sqrt(t[look]))
        total += running.beyond(z * root, deviation)
        running = running.after(z * root, deviation, FARTHEST * root)
    return total
