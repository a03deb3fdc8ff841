"""Agreement between people, or people and models, who gave the same turns a label or a rating.

Xu et al. 2024 (KIWI, sections 4.2, 4.3 and 5) report Cohen's kappa of such labels. Here it is given for each pair of
raters over the turns that both labelled, with percent agreement and Krippendorff's nominal alpha over all raters.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations

import numpy as np

from agreement.arrays.rating_arrays import collect
from agreement.arrays.tally import tally
from agreement.intervals.bootstrap import Estimate, ItemSums, Key, estimate
from agreement.intervals.report_entries import Report, place, resampling
from agreement.reliability.alpha import alpha_sums
from agreement.reliability.kappa import PairKappas, kappa_pairs
from agreement.reliability.percent_agreement import percent_agreement

Label = tuple[Hashable, str, str]
"""A turn, the name of a rater, and what they called it."""

KAPPA = "cohen_kappa_pairs"
MOST_RATERS = 10
"""With more raters, single pairs share few turns and are too many to read."""
TOO_MANY_RATERS = f"there are more than {MOST_RATERS} raters"


def label_agreement(labels: Sequence[Label], *, replicates: int = 1000, seed: int = 0) -> Report:
    """Percent agreement, alpha and the kappa of each pair of raters, with intervals that draw turns.

    `labels` are in the order in which they were given: a rater's last label of a turn counts. `pairs` has one entry
    per pair of raters with a shared turn: {raters, turns, percent_agreement, cohen_kappa, cohen_kappa_ci}; None with
    more than ten raters. Undefined figures are None, with the reason under `undefined`.
    """
    values = sorted({value for _, _, value in labels})
    turns, raters = [turn for turn, _, _ in labels], [rater for _, rater, _ in labels]
    given = collect(turns, [None] * len(labels), raters, [values.index(value) for _, _, value in labels], values)
    latest, units = given.latest(), given.item.size
    counted = tally(latest.unit, latest.value, units)
    kappas = kappa_pairs(latest, units, (KAPPA,)) if len(given.raters) <= MOST_RATERS else []
    figures: list[ItemSums] = [
        percent_agreement(counted, latest.item, units),
        alpha_sums(latest.unit, latest.value, latest.item, units, ("nominal",)),
        *kappas,
    ]
    estimates = estimate(figures, units, replicates, seed)
    report: Report = {
        "raters": list(given.raters),
        "labels": int(latest.value.size),
        "turns": units,
        "turns_with_two_or_more": int(np.count_nonzero(counted.m > 1)),
    }
    undefined: dict[str, str] = {}
    place(report, undefined, {key: figure for key, figure in estimates.items() if key[0] != KAPPA})
    report["pairs"], reasons = _pairs(given.raters, kappas, estimates)
    report["bootstrap"] = {**resampling(estimates, units, replicates, seed), "resampled": "turns"}
    report["undefined"] = undefined | reasons
    return report


def _pairs(
    raters: Sequence[str], kappas: Sequence[PairKappas], estimates: Mapping[Key, Estimate]
) -> tuple[list[Report] | None, dict[str, str]]:
    """The entry of each pair of raters that share a turn, and the reasons for undefined kappas."""
    if len(raters) > MOST_RATERS:
        return None, {"pairs": TOO_MANY_RATERS}
    pairs: list[Report] = []
    reasons: dict[str, str] = {}
    for names, kappa in zip(combinations(raters, 2), kappas, strict=True):
        turns = int(kappa.n.sum())
        if not turns:
            continue
        estimated = estimates[kappa.keys[0]]
        entry = {
            "raters": list(names),
            "turns": turns,
            "percent_agreement": 1 - float(kappa.disagreement.sum()) / turns,
            "cohen_kappa": estimated.value,
            "cohen_kappa_ci": None if estimated.interval is None else list(estimated.interval),
        }
        for name, reason in (("cohen_kappa", estimated.reason), ("cohen_kappa_ci", estimated.interval_reason)):
            if reason is not None:
                reasons[f"pairs.{len(pairs)}.{name}"] = reason
        pairs.append(entry)
    return pairs, reasons
