"""The Bradley-Terry model with ties of Davidson (1970, JASA 65, 317-328), fitted by maximum likelihood.

P(i wins) : P(j wins) : P(tie) = exp(theta_i) : exp(theta_j) : nu exp((theta_i + theta_j) / 2), sum theta = 0.
Without ties nu = 0 and the model is Bradley and Terry's (1952).

The log-likelihood is concave in theta and log nu. Take an edge i -> j for "i beat j" and edges both ways for "tied". A
finite maximum exists if every system can be reached from every other and, if there are ties, some cycle of edges has
more wins than ties. Otherwise the likelihood grows without bound in some direction.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from agreement.bootstrap import Key, item_weights
from agreement.pair_choices import FIRST, SECOND, TIE, PairChoices
from agreement.rating_arrays import Floats, Ints

ITERATIONS = 200
PRECISION = 1e-9
"""A fit has converged if its largest gradient is at most this share of the judgments."""
LONGEST_STEP = 2.0
NOT_FITTED = "the model has no finite fit: some systems only win, only lose or are not linked to the others"
OUTSIDE = "the system only wins, only loses or never meets the systems that are compared"
RARE = "the system is so rare that most resamples of items cannot compare it with the others"
PROBES, PROBE_SEED = 100, 1
"""Resamples in which it is tried whether all systems can be compared."""


@dataclass(frozen=True)
class DavidsonSums:
    """Wins of the first, wins of the second and ties of each pair of systems on each item, `counts` (I, 3 P).

    `first` and `second` (P,) are indices into `names`, the systems that are compared; `others` are not compared. If
    most resamples have no fit because of some `rare` systems, these alone have no interval: `core` has the counts
    without them, and the strengths of the others vary as they do in a fit of the core.
    """

    counts: csr_array
    first: Ints
    second: Ints
    names: tuple[str, ...]
    others: tuple[str, ...]
    core: "DavidsonSums | None" = None

    @property
    def keys(self) -> tuple[Key, ...]:
        return (*(("bradley_terry", name) for name in (*self.names, *self.others)), ("bradley_terry_tie",))

    @property
    def rare(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in self.core.names) if self.core else ()

    def reason(self, key: Key) -> str:
        return OUTSIDE if key[-1] in self.others and self.names else NOT_FITTED

    def at(self, weights: Floats) -> Floats:
        """theta of each of `names`, NaN for `others`, and nu, (b, S + 1); NaN if there is no maximum."""
        figures = np.full((weights.shape[0], len(self.keys)), np.nan)
        if not self.names:
            return figures
        counts = self._counts(weights)
        fits = np.flatnonzero(has_maximum(counts, self.first, self.second, len(self.names)))
        theta, nu = fit(counts[fits], self.first, self.second, len(self.names))
        figures[fits[:, None], np.arange(len(self.names))] = theta
        figures[fits, -1] = nu
        if self.core is not None:
            self._vary_with(self.core, figures, weights)
        return figures

    def _vary_with(self, core: "DavidsonSums", figures: Floats, weights: Floats) -> None:
        """Replace the figures of the core's systems by those of all data plus what they change in a fit of the core."""
        everything = np.ones((1, weights.shape[1]))
        changed = core.at(weights) - core.at(everything)
        counts = self._counts(everything)
        theta, nu = fit(counts, self.first, self.second, len(self.names))
        for place, name in enumerate(core.names):
            own = self.names.index(name)
            figures[:, own] = theta[0, own] + changed[:, place]
        figures[:, -1] = np.maximum(nu[0] + changed[:, -1], 0.0)

    def fails(self, weights: Floats) -> Floats:
        """The counts (f, P, 3) of those of the resamples that have no fit."""
        counts = self._counts(weights)
        failed: Floats = counts[~has_maximum(counts, self.first, self.second, len(self.names))]
        return failed

    def _counts(self, weights: Floats) -> Floats:
        summed: Floats = (weights @ self.counts).reshape(weights.shape[0], self.first.size, 3)
        return summed


def davidson_sums(choices: PairChoices, items: int) -> DavidsonSums:
    """The counts of each item, for the largest group of systems that win and lose among themselves."""
    sums = core = _sums_of(choices, items, _largest_group(choices))
    left_out: set[str] = set()
    while core.names and (breaks := _breaking_system(core, items)) is not None:
        left_out.add(breaks)
        core = _sums_of(choices, items, _largest_group(choices, left_out))
    return replace(sums, core=core) if left_out and core.names else sums


def _sums_of(choices: PairChoices, items: int, group: Ints) -> DavidsonSums:
    """The counts of each item for the systems whose codes are in `group`."""
    place = np.full(max(len(choices.systems), 1), -1)
    place[group] = np.arange(group.size)
    first, second = place[choices.first[choices.pair]], place[choices.second[choices.pair]]
    keep = (first >= 0) & (second >= 0)
    pair, code = np.unique(first[keep] * max(group.size, 1) + second[keep], return_inverse=True)
    entry = (np.ones(code.size), (choices.item[choices.pair][keep], code * 3 + choices.choice[keep]))
    first, second = np.divmod(pair, max(group.size, 1))
    return DavidsonSums(
        counts=csr_array(entry, shape=(items, 3 * pair.size)),
        first=first,
        second=second,
        names=tuple(choices.systems[code] for code in group),
        others=tuple(name for code, name in enumerate(choices.systems) if place[code] < 0),
    )


def _breaking_system(sums: DavidsonSums, items: int) -> str | None:
    """The system that is most often cut off in resamples, if most of them have no fit; None if enough have one."""
    if items < 2:
        return None
    failed = np.concatenate([sums.fails(weights) for weights in item_weights(items, PROBES, PROBE_SEED)])
    if 2 * len(failed) <= PROBES:
        return None
    cut_off = sum((_outside_largest_group(counts, sums) for counts in failed), np.zeros(len(sums.names)))
    return sums.names[int(cut_off.argmax())]


def _outside_largest_group(counts: Floats, sums: DavidsonSums) -> Floats:
    """1 for each system outside the largest group of one resample, (S,)."""
    won, lost = counts[:, FIRST] + counts[:, TIE] > 0, counts[:, SECOND] + counts[:, TIE] > 0
    start = np.concatenate([sums.first[won], sums.second[lost]])
    end = np.concatenate([sums.second[won], sums.first[lost]])
    label = _groups(start, end, len(sums.names))
    return (label != np.bincount(label).argmax()).astype(np.float64)


def _groups(start: Ints, end: Ints, systems: int) -> Ints:
    """The strongly connected group of each system, given edges from winners to losers."""
    edges = csr_array((np.ones(start.size), (start, end)), shape=(systems, systems))
    return connected_components(edges, directed=True, connection="strong")[1].astype(np.int64)


def _largest_group(choices: PairChoices, without: Collection[str] = ()) -> Ints:
    """The codes of the systems in the largest strongly connected group; empty if every system is on its own."""
    first, second = choices.first[choices.pair], choices.second[choices.pair]
    left_out = np.array([name in without for name in choices.systems], dtype=bool)
    known = ~(left_out[first] | left_out[second])
    won, lost = known & (choices.choice != SECOND), known & (choices.choice != FIRST)
    start, end = np.concatenate([first[won], second[lost]]), np.concatenate([second[won], first[lost]])
    if not start.size:
        return np.zeros(0, dtype=np.int64)
    label = _groups(start, end, len(choices.systems))
    size = np.bincount(label)
    return np.flatnonzero(label == size.argmax()) if size.max() > 1 else np.zeros(0, dtype=np.int64)


def has_maximum(counts: Floats, first: Ints, second: Ints, systems: int) -> np.ndarray:
    """Whether the likelihood of each of the tables `counts` (b, P, 3) has a finite maximum, (b,) of booleans.

    Uses shortest paths between all systems (Floyd and Warshall) with length -1 for a win and 1 for a tie: a cycle with
    more wins than ties has negative length.
    """
    won, lost, tied = (counts[:, :, outcome] > 0 for outcome in (FIRST, SECOND, TIE))
    way = np.full((counts.shape[0], systems, systems), np.inf)
    for start, end, wins in ((first, second, won), (second, first, lost)):
        way[:, start, end] = np.where(wins, -1.0, np.where(tied, 1.0, np.inf))
    for via in range(systems):
        np.minimum(way, way[:, :, via, None] + way[:, None, via, :], out=way)
        np.maximum(way, -1e9, out=way)  # a negative cycle doubles in each round
    connected = np.isfinite(way).all(axis=(1, 2))
    bounded = (np.einsum("bii->bi", way) < 0).any(axis=1) | ~tied.any(axis=1)
    return connected & bounded


def fit(counts: Floats, first: Ints, second: Ints, systems: int) -> tuple[Floats, Floats]:
    """theta (b, S) and nu (b,) by Newton's method; NaN if it does not converge.

    `counts` (b, P, 3) has the wins of `first`, the wins of `second` and the ties of each pair of systems, (P,), each
    pair once. Every table must have a maximum.
    """
    theta = np.zeros((counts.shape[0], systems))
    n = counts.sum(axis=2)
    ties = counts[:, :, TIE].sum(axis=1)
    with np.errstate(divide="ignore"):
        log_nu = np.log(2 * ties / np.maximum(n.sum(axis=1) - ties, 1))
    converged = np.zeros(counts.shape[0], dtype=bool)
    signed = np.zeros((first.size, systems))
    signed[np.arange(first.size), first], signed[np.arange(first.size), second] = 1, -1
    for _ in range(ITERATIONS):
        chance = _chances(theta, log_nu, first, second)
        gradient, hessian = _derivatives(counts, n, chance, first, second, signed)
        converged = np.abs(gradient).max(axis=1, initial=0.0) <= PRECISION * n.sum(axis=1)
        if converged.all():
            break
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        step *= np.minimum(1, LONGEST_STEP / np.maximum(np.abs(step).max(axis=1), LONGEST_STEP))[:, None]
        theta += step[:, :-1]
        log_nu += step[:, -1]
    theta[~converged] = np.nan
    return theta - theta.mean(axis=1, keepdims=True), np.where(converged, np.exp(log_nu), np.nan)


def _chances(theta: Floats, log_nu: Floats, first: Ints, second: Ints) -> Floats:
    """P(first wins), P(second wins), P(tie) of each pair, (b, P, 3)."""
    a, b = theta[:, first], theta[:, second]
    score = np.stack([a, b, log_nu[:, None] + (a + b) / 2], axis=2)
    score = np.exp(score - score.max(axis=2, keepdims=True))
    return score / score.sum(axis=2, keepdims=True)


def _derivatives(
    counts: Floats, n: Floats, chance: Floats, first: Ints, second: Ints, signed: Floats
) -> tuple[Floats, Floats]:
    """Gradient (b, S + 1) and negative Hessian (b, S + 1, S + 1) of the log-likelihood in theta and log nu.

    With one point for a win and half a point for a tie, the gradient is the points and ties minus their expectations,
    and the Hessian their covariance. A matrix of 1/S fixes the free sum of theta; without ties log nu does not change.
    """
    rows, systems = counts.shape[0], signed.shape[1]
    points = counts[:, :, FIRST] + counts[:, :, TIE] / 2 - n * (chance[:, :, FIRST] + chance[:, :, TIE] / 2)
    gradient = np.empty((rows, systems + 1))
    gradient[:, :-1] = points @ signed
    gradient[:, -1] = (counts[:, :, TIE] - n * chance[:, :, TIE]).sum(axis=1)
    mean, tie = chance[:, :, FIRST] + chance[:, :, TIE] / 2, chance[:, :, TIE]
    variance = n * (chance[:, :, FIRST] + tie / 4 - mean * mean)
    hessian = np.zeros((rows, systems + 1, systems + 1))
    hessian[:, first, second] = hessian[:, second, first] = -variance
    np.einsum("bii->bi", hessian)[:, :-1] = variance @ np.abs(signed)
    hessian[:, :-1, :-1] += 1 / systems
    hessian[:, -1, :-1] = hessian[:, :-1, -1] = (n * tie * (0.5 - mean)) @ signed
    no_ties = counts[:, :, TIE].sum(axis=1) == 0
    hessian[:, -1, -1] = np.where(no_ties, 1.0, (n * tie * (1 - tie)).sum(axis=1))
    return gradient, hessian
