"""How often each system was shown at each position, and whether the positions fit orders drawn at random.

For rows with n outputs and all their systems in each row, the statistic is that of Anderson 1959, *Use of contingency
tables in the analysis of consumer preference studies*; the general form allows rows with some of the systems.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import chi2

from agreement.arrays.rating_arrays import Floats, Ints

Order = tuple[str, ...]
"""The systems of one row in the order shown."""


def position_balance(orders: Mapping[Order, int]) -> dict[str, Any]:
    """The balance of rows, {order: how many rows have it}: `sizes`, and together `chi2`, `df` and `p`.

    For each number of outputs, `sizes` has the `rows`, {system: [count at each position]} as `systems`, and the test.
    The tests of different numbers of outputs are independent, so their statistics add up. Without two rows of two
    outputs, `undefined` says so in place of the test.
    """
    sizes = [_of_size(n, orders) for n in sorted({len(order) for order in orders if len(order) > 1})]
    tested = [one for one in sizes if "p" in one]
    report: dict[str, Any] = {"sizes": sizes}
    if not tested:
        return report | {"undefined": {"p": "no output was shown beside another"}}
    return report | _test(sum(one["chi2"] for one in tested), sum(one["df"] for one in tested))


def _of_size(n: int, orders: Mapping[Order, int]) -> dict[str, Any]:
    own = {order: count for order, count in orders.items() if len(order) == n}
    names = sorted({name for order in own for name in order})
    place = {name: number for number, name in enumerate(names)}
    counts = np.zeros((len(names), n), dtype=np.int64)
    together = np.zeros((len(names), len(names)), dtype=np.int64)
    for order, count in own.items():
        systems = [place[name] for name in order]
        counts[systems, np.arange(n)] += count
        together[np.ix_(systems, systems)] += count
    listed = {name: counts[place[name]].tolist() for name in names}
    found = {"outputs": n, "rows": sum(own.values()), "systems": listed}
    return found | _test(*uniformity(counts, together))


def uniformity(counts: Ints, together: Ints) -> tuple[float, int]:
    """The statistic and degrees of freedom of uniform positions, for rows of equally many outputs.

    `counts` (S, n) are the rows in which a system was at a position, `together` (S, S) those with both systems. If
    each row's order is drawn at random, the deviations D = counts - rows / n have the covariance A x (I - J / n) with
    A = (diag(rows) - together / n) / (n - 1). The statistic is the trace of D' A+ D, with rank(A) (n - 1) degrees of
    freedom.
    """
    n = counts.shape[1]
    rows = counts.sum(axis=1)
    deviations: Floats = counts - rows[:, None] / n
    covariance = (np.diag(rows) - together / n) / (n - 1)
    rank = int(np.linalg.matrix_rank(covariance))
    return float(np.trace(deviations.T @ np.linalg.pinv(covariance, hermitian=True) @ deviations)), rank * (n - 1)


def _test(statistic: float, freedom: int) -> dict[str, Any]:
    return {"chi2": statistic, "df": freedom, "p": float(chi2.sf(statistic, freedom))}
