"""Outputs of a model against the versions that people edited them into (Liu et al. 2024, InstruSum, table 10).

Identical texts tie. Otherwise the one with the higher mean score is better, and equal means tie.
"""

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Ratios, Shares
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.output_answers import Outputs, choice_of, rounded

NO_PAIR = "no edited output and its initial one were both scored, and none are identical"


def edited_report(
    scores: Floats,
    pairs: Ints,
    identical: np.ndarray,
    outputs: Outputs,
    *,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """How often the initial output is better, how often the edited one, and how often they tie.

    `scores` is (O,), such as people's mean s_i, or 1 for an output without a confirmed span and 0 for others, NaN if
    unknown; `pairs` is (P, 2), the codes of each initial output and of its edited version; `identical`, (P,), is true
    if their texts are the same.

    The report is {pairs, identical, left_out, initial, tie, edited, edited_minus_initial, initial_words, edited_words,
    bootstrap, undefined}. Shares and their difference have `x_ci`; `left_out` counts different texts without two
    scores; words are means over the pairs that count.

    Raises ValueError for other shapes, or for a pair of two items.
    """
    if pairs.shape != (identical.size, 2):
        raise ValueError("pairs must have two outputs each, and identical one entry per pair")
    first, second = pairs.T
    if (outputs.item[first] != outputs.item[second]).any():
        raise ValueError("an output and its edited version must be of the same item")
    known = np.isfinite(scores[first]) & np.isfinite(scores[second])
    better = choice_of(*rounded(np.nan_to_num(scores[pairs])).T)
    better = np.where(identical, TIE, better)
    used = known | identical
    item = outputs.item[first[used]]
    columns = [better[used] == FIRST, better[used] == TIE, better[used] == SECOND]
    signed = columns[2].astype(np.float64) - columns[0]
    count = np.bincount(item, minlength=outputs.items).astype(np.float64)
    won = np.stack([sum_by(item, column, outputs.items) for column in columns], axis=1)
    keys = (("initial",), ("tie",), ("edited",))
    shares = Shares(keys, won, np.repeat(count[:, None], 3, axis=1), (NO_PAIR,) * 3)
    difference = Ratios(
        (("edited_minus_initial",),), sum_by(item, signed, outputs.items)[:, None], count[:, None], (NO_PAIR,)
    )
    report = interval_report([shares, difference], outputs.items, replicates=replicates, seed=seed)
    for name, codes in (("initial_words", first[used]), ("edited_words", second[used])):
        words = outputs.length[codes]
        report[name] = float(words.mean()) if words.size and np.isfinite(words).all() else None
        if report[name] is None:
            report["undefined"][name] = NO_PAIR if not words.size else "the length of an output is unknown"
    counts = {"pairs": int(used.sum()), "identical": int(identical.sum()), "left_out": int((~used).sum())}
    return {**counts, **report}
