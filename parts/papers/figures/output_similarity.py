"""How similar the outputs of two systems for the same items are, how long, and which one a judge prefers.

Liu et al. 2024, InstruSum, tables 12 and 13: means of ROUGE-1 and ROUGE-2 F1 and of words, for summaries with and
without a requirement, and for two ways of decoding, with the win rate of the first (appendix H).
"""

from collections.abc import Mapping

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import Ratios, Shares
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report

UNKNOWN_FOR_ALL = "no item has this value"


def similarity_report(
    values: Mapping[str, Floats], *, shares: Floats | None = None, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """The means of `values` over items, each with `x_ci` and its number of items in `n`.

    `values` has (I,) arrays by name, NaN if unknown, such as rouge_1 and rouge_2 in 0..1, and first_words and
    second_words. `shares` (I, 3) are the first system's win, tie and loss by a judge, NaN if not judged, and become
    win_rate, tie_rate and loss_rate. The report is {items, n: {name: items}, <name>, bootstrap, undefined}.

    Raises ValueError for arrays of different lengths, or without any.
    """
    columns = dict(values)
    if shares is not None:
        columns |= dict(zip(("win_rate", "tie_rate", "loss_rate"), shares.T, strict=True))
    if len({column.shape for column in columns.values()}) != 1:
        raise ValueError("there must be values, with one entry per item each")
    table = np.stack(list(columns.values()), axis=1)
    known = np.isfinite(table)
    of_values = len(values)
    means = [
        kind(
            keys=tuple((name,) for name in list(columns)[own]),
            numerator=np.where(known, table, 0.0)[:, own],
            denominator=known[:, own].astype(np.float64),
            reasons=(UNKNOWN_FOR_ALL,) * len(list(columns)[own]),
        )
        for kind, own in ((Ratios, slice(of_values)), (Shares, slice(of_values, None)))
    ]
    items = table.shape[0]
    report = interval_report(means, items, replicates=replicates, seed=seed)
    return {"items": items, "n": dict(zip(columns, known.sum(axis=0).tolist(), strict=True)), **report}
