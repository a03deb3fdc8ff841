"""Paired tests of the shares of outputs without a confirmed span, between systems that wrote for the same items.

McNemar's test (1947) uses only the items on which two systems differ: on *b* of them the first system alone is free of
errors, on *c* the second alone. If the systems do not differ, both cases are equally likely. The asymptotic p-value is
that of chi2 = (b - c)^2 / (b + c) with one degree of freedom, without a continuity correction; the exact one is that of
a sign test, from the binomial distribution of *b* out of b + c.

Liu et al. 2024 (InstruSum, footnote 8) print p = 0.058 for shares of 0.86 and 0.80 of the same 100 items without naming
the test. The asymptotic value for b = 8 and c = 2 is 0.058, and no other case with b - c = 6 gives it.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import binomtest, chi2

from agreement.arrays.rating_arrays import Floats
from agreement.catalogue.p_values import SHARES_OF_OUTPUTS, keys_of
from agreement.comparisons.holm import add_holm
from agreement.comparisons.mean_comparisons import NO_DIFFERENCE
from agreement.intervals.bootstrap import Estimate, Key, Ratios

TESTS = keys_of(SHARES_OF_OUTPUTS)
MOST_INTERVALS = 300
"""With more pairs of systems than this, intervals would need too much memory."""
TOO_MANY_PAIRS = f"there are more than {MOST_INTERVALS} pairs of systems"


@dataclass(frozen=True)
class SharedOutputs:
    """Flags of outputs, (I, S) of 0 and 1 each: `counts`, and `free` of errors, which is 0 unless the output counts.

    Those of `undecided` outputs do not count, because nobody has reviewed whether they have an error.
    """

    counts: Floats
    free: Floats
    undecided: Floats
    systems: tuple[str, ...]

    def of_items(self, keep: np.ndarray) -> "SharedOutputs":
        """The outputs of the items with a true `keep`, (I,)."""
        return SharedOutputs(self.counts[keep], self.free[keep], self.undecided[keep], self.systems)

    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of systems that have an item in common."""
        shared = self.counts.T @ self.counts
        return [(a, b) for a, b in combinations(range(len(self.systems)), 2) if shared[a, b]]


def share_differences(outputs: SharedOutputs) -> Ratios | None:
    """The mean difference of each pair of systems over its shared items; None with too many pairs for intervals."""
    pairs = outputs.pairs()
    if not pairs or len(pairs) > MOST_INTERVALS:
        return None
    first, second = np.array(pairs).T
    both = outputs.counts[:, first] * outputs.counts[:, second]
    return Ratios(
        keys=tuple(_key(outputs, a, b) for a, b in pairs),
        numerator=both * (outputs.free[:, first] - outputs.free[:, second]),
        denominator=both,
        reasons=("",) * len(pairs),
    )


def share_comparisons(
    outputs: SharedOutputs, estimates: dict[Key, Estimate]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The tests of each pair of systems that share an item, and the reasons for undefined ones.

    A row is {systems: [a, b], items, first_only, second_only, mean_difference, mean_difference_ci, mcnemar_p, exact_p,
    mcnemar_p_holm, exact_p_holm}. `estimates` has the intervals of `share_differences`. A reason is named
    comparisons.<a>.<b>.<key>.
    """
    rows: list[dict[str, Any]] = []
    undefined: dict[str, str] = {}
    for a, b in outputs.pairs():
        both = (outputs.counts[:, a] * outputs.counts[:, b]) > 0
        difference = outputs.free[both, a] - outputs.free[both, b]
        first_only, second_only = int((difference > 0).sum()), int((difference < 0).sum())
        estimated = estimates.get(_key(outputs, a, b))
        row = {
            "systems": [outputs.systems[a], outputs.systems[b]],
            "items": int(difference.size),
            "first_only": first_only,
            "second_only": second_only,
            "mean_difference": float(difference.mean()),
            "mean_difference_ci": list(estimated.interval) if estimated and estimated.interval else None,
            **_tests(first_only, second_only),
        }
        rows.append(row)
        name = ".".join(_key(outputs, a, b)[:-1])
        undefined |= {f"{name}.{test}": NO_DIFFERENCE for test in TESTS if row[test] is None}
        reason = TOO_MANY_PAIRS if estimated is None else estimated.interval_reason
        if reason is not None:
            undefined[f"{name}.mean_difference_ci"] = reason
    add_holm(rows, TESTS)
    return rows, undefined


def _key(outputs: SharedOutputs, a: int, b: int) -> Key:
    return ("comparisons", outputs.systems[a], outputs.systems[b], "mean_difference")


def _tests(b: int, c: int) -> dict[str, float | None]:
    """McNemar's two p-values, both two-sided; None if the systems differ on no item."""
    if b + c == 0:
        return dict.fromkeys(TESTS)
    return {"mcnemar_p": float(chi2.sf((b - c) ** 2 / (b + c), 1)), "exact_p": float(binomtest(b, b + c).pvalue)}
