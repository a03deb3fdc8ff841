"""Expected win rates of two systems side by side, such as one model's greedy and sampled outputs (HREF, 4.2).

HREF evaluates models with greedy decoding, after it found a correlation of 0.98 (Spearman) and 0.99 (Pearson) with the
rates of outputs sampled at temperature 1.
"""

from collections.abc import Sequence

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import ItemSums, Ratios, Shares
from agreement.intervals.interval_report import REPLICATES, SEED, DifferenceSums, interval_report
from agreement.intervals.report_entries import Report
from parts.papers.figures.item_set_correlation import SetCorrelations
from parts.papers.figures.win_rates import NOT_JUDGED, PreferenceTable


def paired_rate_report(
    table: PreferenceTable, pairs: Sequence[tuple[str, str]], *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """`pairs`: one {first, second, difference} per pair of systems, by its place; `pearson` and `spearman` over pairs.

    A rate is over the system's own items; the difference is the first minus the second. `x_ci` is beside each figure,
    from the same draws of items. Raises ValueError for a system that is not in the table.
    """
    total, count = table.sums
    one, other = (np.array([table.systems.index(pair[side]) for pair in pairs], dtype=np.int64) for side in (0, 1))

    def rates(column: np.ndarray, name: str) -> Ratios:
        keys = tuple(("pairs", str(number), name) for number in range(len(pairs)))
        return Shares(keys, total[:, column], count[:, column], (NOT_JUDGED,) * len(pairs))

    first, second = rates(one, "first"), rates(other, "second")
    differences = tuple(("pairs", str(number), "difference") for number in range(len(pairs)))
    sums: tuple[tuple[Floats, Floats], tuple[Floats, Floats]] = (
        (total[:, one], total[:, other]), (count[:, one], count[:, other])
    )  # fmt: skip
    figures: list[ItemSums] = [
        first, second, DifferenceSums(first, second, differences), SetCorrelations(*sums)
    ]  # fmt: skip
    return interval_report(figures, total.shape[0], replicates=replicates, seed=seed)
