"""The Bradley-Terry model with ties of Davidson (1970, JASA 65, 317-328), fitted by maximum likelihood.

P(i wins) : P(j wins) : P(tie) = exp(theta_i) : exp(theta_j) : nu exp((theta_i + theta_j) / 2), sum theta = 0.
Without ties nu = 0 and the model is Bradley and Terry's (1952). `agreement.systems.davidson_fit` says when it has a
fit.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, PairChoices
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import Key, item_weights
from agreement.systems.davidson_fit import Seen, fit, has_maximum, strong_components

NOT_FITTED = "the model has no finite fit: some systems only win, only lose or are not linked to the others"
OUTSIDE = "the system only wins, only loses or never meets the systems that are compared"
RARE = "the system is so rare that most resamples of items cannot compare it with the others"
PROBES, PROBE_SEED = 100, 1
"""Resamples in which it is tried whether all systems can be compared."""
AT_ONCE = 200_000
"""Pairs of systems times resamples whose counts are held at once: few enough to stay in the processor's cache."""


@dataclass(frozen=True)
class OutcomeCounts:
    """Wins of the first, wins of the second and ties of each pair of systems on each item, `counts` (3 P, I).

    `first` and `second` (P,) are indices into `names`; `first` < `second`, and each pair is there once.
    """

    counts: csr_array
    first: Ints
    second: Ints
    names: tuple[str, ...]

    def blocks(self, weights: Floats) -> Iterator[tuple[slice, Floats]]:
        """Some rows of `weights` (b, I) after the other, with the counts (3, P, rows) that they give."""
        rows = max(1, AT_ONCE // max(self.first.size, 1))
        for begin in range(0, weights.shape[0], rows):
            block = slice(begin, begin + rows)
            counts = self.counts @ np.ascontiguousarray(weights[block].T)
            yield block, counts.reshape(3, self.first.size, -1)

    @property
    def totals(self) -> Floats:
        """The counts of all items, (3, P, 1)."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).reshape(3, -1, 1)

    def seen(self, weights: Floats) -> Seen:
        """Which counts (3, P, b) are not 0."""
        return np.concatenate([counts > 0 for _, counts in self.blocks(weights)], axis=2)

    def between(self, group: Ints) -> Ints:
        """The places of the pairs of which both systems are in `group`."""
        inside = np.isin(np.arange(len(self.names)), group)
        return np.flatnonzero(inside[self.first] & inside[self.second])

    def of_group(self, group: Ints) -> "OutcomeCounts":
        """The counts of the systems in `group`, in ascending order."""
        kept, place = self.between(group), np.cumsum(np.isin(np.arange(len(self.names)), group)) - 1
        rows = np.concatenate([kept + outcome * self.first.size for outcome in (FIRST, SECOND, TIE)])
        return OutcomeCounts(
            counts=self.counts[rows],
            first=place[self.first[kept]],
            second=place[self.second[kept]],
            names=tuple(self.names[code] for code in group),
        )


@dataclass(frozen=True)
class DavidsonSums:
    """The counts of the systems that are `compared`; `others` are not compared.

    If most resamples have no fit because of some `rare` systems, these alone have no interval: `core` has the counts
    without them, and the strengths of the others vary as they do in a fit of the core.
    """

    compared: OutcomeCounts
    others: tuple[str, ...]
    core: "DavidsonSums | None" = None

    @property
    def names(self) -> tuple[str, ...]:
        return self.compared.names

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
        start = None if np.isnan(self.of_all[-1]) else (self.of_all[:-1], self.of_all[-1:])
        for block, counts in self.compared.blocks(weights):
            figures[block, [*range(len(self.names)), -1]] = self._fitted(counts, start)
        if self.core is not None:
            self._vary_with(self.core, figures, weights)
        return figures

    @cached_property
    def of_all(self) -> Floats:
        """theta of each of `names` and nu in the fit to all data, (S + 1,); NaN without one."""
        return self._fitted(self.compared.totals, None)[0]

    def _fitted(self, counts: Floats, start: tuple[Floats, Floats] | None) -> Floats:
        """theta of each of `names` and nu for each table of `counts` (3, P, b), (b, S + 1)."""
        first, second, systems = self.compared.first, self.compared.second, len(self.names)
        figures = np.full((counts.shape[2], systems + 1), np.nan)
        fits = np.flatnonzero(has_maximum(counts > 0, first, second, systems))
        theta, nu = fit(counts[:, :, fits], first, second, systems, start)
        figures[fits, :-1], figures[fits, -1] = theta.T, nu
        return figures

    def _vary_with(self, core: "DavidsonSums", figures: Floats, weights: Floats) -> None:
        """Replace the figures of the core's systems by those of all data plus what they change in a fit of the core."""
        changed = core.at(weights)
        for place, name in enumerate(core.names):
            own = self.names.index(name)
            figures[:, own] = self.of_all[own] + changed[:, place] - core.of_all[place]
        figures[:, -1] = np.maximum(self.of_all[-1] + changed[:, -1] - core.of_all[-1], 0.0)


def davidson_sums(choices: PairChoices, items: int) -> DavidsonSums:
    """The counts of each item, for the largest group of systems that win and lose among themselves."""
    counts = _pair_counts(choices, items)
    sums = _sums_of(counts, _largest_group(counts))
    if items < 2 or not sums.names:
        return sums
    weights = item_weights(items, PROBES, PROBE_SEED)
    seen = np.concatenate([counts.seen(block) for block in weights], axis=2)
    group, left_out = _largest_group(counts), np.zeros(0, dtype=np.int64)
    while group.size and (breaking := _breaking_systems(counts, seen, group)).size:
        left_out = np.append(left_out, breaking)
        group = _largest_group(counts, left_out)
    return replace(sums, core=_sums_of(counts, group)) if left_out.size and group.size else sums


def _sums_of(counts: OutcomeCounts, group: Ints) -> DavidsonSums:
    others = tuple(name for code, name in enumerate(counts.names) if code not in set(group.tolist()))
    return DavidsonSums(compared=counts.of_group(group), others=others)


def _pair_counts(choices: PairChoices, items: int) -> OutcomeCounts:
    """The counts of each item for all systems."""
    systems = max(len(choices.systems), 1)
    first, second = choices.first[choices.pair], choices.second[choices.pair]
    pair, code = np.unique(first * systems + second, return_inverse=True)
    row = choices.choice * pair.size + code
    counts = csr_array((np.ones(code.size), (row, choices.item[choices.pair])), shape=(3 * pair.size, items))
    return OutcomeCounts(counts, *np.divmod(pair, systems), names=choices.systems)


def _breaking_systems(counts: OutcomeCounts, seen: Seen, group: Ints) -> Ints:
    """The systems of the group for which most of the resamples `seen` (3, P, b) have no fit; none if enough have one.

    It is the one that is most often cut off from the largest group of a resample. Those that are cut off in most
    resamples would all follow one after the other, and go at once.
    """
    kept, place = counts.between(group), np.searchsorted(group, np.arange(len(counts.names)))
    first, second = place[counts.first[kept]], place[counts.second[kept]]
    seen = seen[:, kept]
    failed = seen[:, :, ~has_maximum(seen, first, second, group.size)]
    if 2 * failed.shape[2] <= seen.shape[2]:
        return np.zeros(0, dtype=np.int64)
    labels = strong_components(failed, first, second, group.size)
    size = np.bincount(labels.ravel())
    largest = size[labels].argmax(axis=1)
    cut_off = (labels != np.take_along_axis(labels, largest[:, None], axis=1)).sum(axis=0)
    often = group[2 * cut_off > seen.shape[2]]
    return often if often.size else group[[cut_off.argmax()]]


def _largest_group(counts: OutcomeCounts, without: Ints | tuple[()] = ()) -> Ints:
    """The codes of the systems in the largest strongly connected group; empty if every system is on its own."""
    kept = ~(np.isin(counts.first, without) | np.isin(counts.second, without))
    seen = counts.totals[:, kept] > 0
    label = strong_components(seen, counts.first[kept], counts.second[kept], len(counts.names))[0]
    size = np.bincount(label)
    return np.flatnonzero(label == size.argmax()) if size.max(initial=0) > 1 else np.zeros(0, dtype=np.int64)
