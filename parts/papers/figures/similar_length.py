"""Wins, ties and losses between outputs of similar length, so that length cannot decide (InstruSum, table 11).

For each pair of systems, the items with the smallest differences in words are kept: those up to the 20th percentile of
the pair's differences. Items that tie with the last one are kept too (reading: the shares in the paper's table are
those of 20 to 22 of its 100 items).
"""

from collections.abc import Sequence

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from parts.papers.figures.system_outcomes import OUTCOMES, SystemOutcomes, mean_words, outcome_shares

SHARE = 0.2


def similar_length_report(
    outcomes: SystemOutcomes,
    *,
    baseline: str | None = None,
    share: float = SHARE,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`pairs`: one entry per pair of systems, or per system against the baseline if one is given.

    An entry is {systems: [first, second], items, of, most_words_apart, win, tie, loss, words: [first's, second's]}:
    the items kept, `of` the judged items with two known lengths; shares from the first system's side with `x_ci`;
    means of words over the items kept. Intervals draw all items and keep the same ones.

    Raises ValueError for an unknown baseline.
    """
    judged = outcomes if baseline is None else outcomes.against(baseline)
    judged = judged.only(np.asarray(np.isfinite(judged.words).all(axis=1)))
    code, group = np.unique(judged.first * max(len(judged.systems), 1) + judged.second, return_inverse=True)
    apart = np.abs(judged.words[:, 0] - judged.words[:, 1])
    limit = _limits(apart, group, code.size, share)
    kept = judged.only(apart <= limit[group])
    own = group[apart <= limit[group]].astype(np.int64)
    shares = outcome_shares(kept, own, [("pairs", str(number)) for number in range(code.size)])
    report = interval_report([shares], judged.items, replicates=replicates, seed=seed)
    entries = [
        {
            "systems": _names(pair, judged.systems),
            "items": int((own == number).sum()),
            "of": int((group == number).sum()),
            "most_words_apart": float(limit[number]),
            **{name: report["pairs"][str(number)][name] for outcome in OUTCOMES for name in (outcome, f"{outcome}_ci")},
            "words": mean_words(kept.only(own == number)),
        }
        for number, pair in enumerate(code.tolist())
    ]
    return {**report, "baseline": baseline, "share": share, "pairs": entries}


def _limits(apart: Floats, group: Ints, groups: int, share: float) -> Floats:
    """The percentile of each group's differences, (groups,), as one of the differences."""
    limits = [np.percentile(apart[group == number], 100 * share, method="lower") for number in range(groups)]
    return np.array(limits, dtype=np.float64)


def _names(pair: int, systems: Sequence[str]) -> list[str]:
    return [systems[code] for code in divmod(pair, len(systems))]
