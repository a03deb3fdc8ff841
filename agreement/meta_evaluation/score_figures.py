"""A judge's scores of outputs against the mean of people's (riSum, section 5 and table 4; definitions in docs).

Kendall's tau-b of one group of outputs, with n_p and n_j the pairs that people and the judge do not tie: the sum over
pairs of sign(p_a - p_b) sign(j_a - j_b), divided by sqrt(n_p n_j).
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_array

from agreement.arrays.rankings import pairs_within
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import counts_by_item, sum_by
from agreement.intervals.bootstrap import Key, Ratios
from agreement.meta_evaluation.output_answers import Outputs, rounded

NO_ITEMS = "no item has two outputs that people score differently and the judge scored"
PEOPLE_CONSTANT = "all outputs that both scored have the same mean score by people"
JUDGE_CONSTANT = "the judge gave all outputs the same score"
TOO_FEW_OUTPUTS = "fewer than three outputs were scored by both"
TOO_FEW_SYSTEMS = "fewer than two systems have outputs that both scored"
SYSTEMS_CONSTANT = "all systems have the same mean"
CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True)
class ScoredOutputs:
    """Outputs that people and a judge scored: codes (E,), people's scores (E,) and the judge's (E,).

    `rater` (E,) tells the judges apart if several are compared in turn, such as each person with the others.
    """

    output: Ints
    people: Floats
    judge: Floats
    rater: Ints

    def of_rater(self, rater: int) -> "ScoredOutputs":
        """Only what was scored by the judge with this code."""
        own = self.rater == rater
        return replace(
            self, output=self.output[own], people=self.people[own], judge=self.judge[own], rater=self.rater[own]
        )


def within_raters(scored: ScoredOutputs) -> ScoredOutputs:
    """The scores less their means over the outputs that each judge, such as each person in turn, scored."""
    raters, code = np.unique(scored.rater, return_inverse=True)
    n = np.maximum(np.bincount(code, minlength=raters.size), 1)
    people, judge = (column - (sum_by(code, column, raters.size) / n)[code] for column in (scored.people, scored.judge))
    return replace(scored, people=people, judge=judge)


def scored_by_both(people: Floats, judge: Floats) -> ScoredOutputs:
    """The outputs with two scores, from arrays (O,) that have NaN for outputs without a score."""
    output = np.flatnonzero(~np.isnan(people) & ~np.isnan(judge))
    return ScoredOutputs(output, people[output], judge[output], np.zeros(output.size, dtype=np.int64))


@dataclass(frozen=True)
class ItemTaus:
    """Kendall's tau-b of each group in which people's scores differ: `item` and `tau` are (G,).

    Where the judge ties all outputs, tau is 0 and `constant` is true.
    """

    item: Ints
    tau: Floats
    constant: np.ndarray


def item_taus(scored: ScoredOutputs, outputs: Outputs) -> ItemTaus:
    """Tau-b within each item, or within each rater and item if there are several raters."""
    group = scored.rater * outputs.items + outputs.item[scored.output]
    order = np.argsort(group, kind="stable")
    group, people, judge = group[order], rounded(scored.people[order]), rounded(scored.judge[order])
    start = np.flatnonzero(np.append(True, group[1:] != group[:-1])) if group.size else np.zeros(0, dtype=np.int64)
    size = np.diff(start, append=group.size)
    one, other = pairs_within(size)
    of_pair = np.repeat(np.arange(size.size), size)[one]
    people_sign, judge_sign = np.sign(people[one] - people[other]), np.sign(judge[one] - judge[other])
    untied_people = sum_by(of_pair, np.abs(people_sign), size.size)
    untied_judge = sum_by(of_pair, np.abs(judge_sign), size.size)
    both = sum_by(of_pair, people_sign * judge_sign, size.size)
    used = untied_people > 0
    scale = np.sqrt(untied_people * untied_judge)[used]
    tau = np.divide(both[used], scale, out=np.zeros(scale.size), where=scale > 0)
    item = (group[start] % max(outputs.items, 1))[used]
    return ItemTaus(item, tau, scale == 0)


def tau_figures(taus: ItemTaus, items: int) -> Ratios:
    """The mean tau-b over items, and the mean rank distance, (1 - tau-b) / 2 in 0..1."""
    values = np.stack([taus.tau, (1 - taus.tau) / 2], axis=1)
    return Ratios(
        keys=(("item_kendall_tau_b",), ("rank_distance",)),
        numerator=np.stack([sum_by(taus.item, column, items) for column in values.T], axis=1),
        denominator=np.repeat(np.bincount(taus.item, minlength=items)[:, None].astype(np.float64), 2, axis=1),
        reasons=(NO_ITEMS, NO_ITEMS),
    )


@dataclass(frozen=True)
class PearsonSums:
    """Pearson's r over outputs, and 1 - |r|. `sums` (I, 6): n, x, y, xx, yy and xy of each item, standardised."""

    sums: Floats
    constant: str

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("pearson",), ("pearson_distance",))

    def reason(self, key: Key) -> str:
        return self.constant if self.sums[:, 0].sum() > 2 else TOO_FEW_OUTPUTS

    def at(self, weights: Floats) -> Floats:
        n, x, y, xx, yy, xy = (weights @ self.sums).T
        squares = (n * xx - x**2) * (n * yy - y**2)
        defined = (n > 2) & (squares > 1e-9 * n**4)
        r = np.divide(n * xy - x * y, np.sqrt(np.maximum(squares, 0)), out=np.full(n.size, np.nan), where=defined)
        r = np.clip(r, -1, 1)
        return np.stack([r, 1 - np.abs(r)], axis=1)


def pearson_figures(scored: ScoredOutputs, outputs: Outputs) -> PearsonSums:
    """Pearson's r between the judge's scores and people's means, over all outputs that both scored."""
    item = outputs.item[scored.output]
    x, y = _standardised(scored.people), _standardised(scored.judge)
    columns = (np.ones(item.size), x, y, x * x, y * y, x * y)
    sums = np.stack([sum_by(item, column, outputs.items) for column in columns], axis=1)
    return PearsonSums(sums, JUDGE_CONSTANT if x.any() else PEOPLE_CONSTANT)


def _standardised(values: Floats) -> Floats:
    """Values with mean 0 and deviation 1; all 0 if they are the same."""
    if not values.size or (rounded(values) == rounded(values[:1])).all():
        return np.zeros(values.size)
    _, exponent = np.frexp(np.abs(values).max())
    values = np.ldexp(values, -exponent)  # otherwise squares of very small or large values are 0 or infinite
    return np.asarray((values - values.mean()) / values.std())


@dataclass(frozen=True)
class SystemTauSums:
    """Kendall's tau-b of systems by their means; `people`, `judge` and `count` (I, S) are sums over outputs."""

    people: Floats | csr_array
    judge: Floats | csr_array
    count: Floats | csr_array

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("system_kendall_tau_b",),)

    def reason(self, key: Key) -> str:
        return SYSTEMS_CONSTANT if np.count_nonzero(self.count.sum(axis=0)) > 1 else TOO_FEW_SYSTEMS

    def at(self, weights: Floats) -> Floats:
        count = weights @ self.count
        means = [
            np.divide(weights @ total, count, out=np.full_like(count, np.nan), where=count > 0)
            for total in (self.people, self.judge)
        ]
        people, judge = (rounded(mean) for mean in means)
        one, other = np.triu_indices(count.shape[1], 1)
        taus = np.full(weights.shape[0], np.nan)
        block = max(1, CELLS_AT_ONCE // max(one.size, 1))
        for start in range(0, weights.shape[0], block):
            rows = slice(start, start + block)
            p = np.nan_to_num(np.sign(people[rows][:, one] - people[rows][:, other]))
            j = np.nan_to_num(np.sign(judge[rows][:, one] - judge[rows][:, other]))
            scale = np.sqrt(np.abs(p).sum(axis=1) * np.abs(j).sum(axis=1))
            taus[rows] = np.divide((p * j).sum(axis=1), scale, out=np.full(scale.size, np.nan), where=scale > 0)
        return taus[:, None]


def system_tau(scored: ScoredOutputs, outputs: Outputs) -> SystemTauSums:
    """Tau-b between people's and the judge's means of systems, over the outputs that both scored."""
    item, system = outputs.item[scored.output], outputs.system[scored.output]
    shape = (outputs.items, len(outputs.systems))
    return SystemTauSums(
        people=counts_by_item(item, system, scored.people, shape),
        judge=counts_by_item(item, system, scored.judge, shape),
        count=counts_by_item(item, system, np.ones(item.size), shape),
    )
