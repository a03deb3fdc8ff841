"""Figures of one rater's care, each with an interval, or with the reason why there are too few answers to say.

Shares have Wilson's interval and means of shares one of the same form (`bounded_intervals`). Ratios of medians have a
percentile bootstrap over the rater's own answers (Efron and Tibshirani 1993, ch. 13). The longest row of same forms is
the long string index (Johnson 2005, Journal of Research in Personality 39, 103-129; Meade and Craig 2012, Psychological
Methods 17, 437-455).
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import places_by_code
from agreement.intervals.bounded_intervals import mean_interval, wilson

LEAST_CHECKS = 5
"""With fewer checks of a kind, nothing is said."""
LEAST_ANSWERS = 10
"""With fewer answers, nothing is said about agreement, time and same forms."""
REPLICATES, ORDERS = 1000, 200
"""Draws of answers, and orders of forms."""
ENDS = (2.5, 97.5)
Figure = dict[str, Any]
"""{n, value, low, high, reason}: value and interval are None with a reason."""


def passed_share(passed: int, n: int, least: int = LEAST_CHECKS) -> Figure:
    """The share of `n` trials that were passed, with Wilson's 95 % interval."""
    if n < least:
        return _unsaid(n, least)
    low, high = wilson(passed, n)
    return {"n": n, "value": passed / n, "low": low, "high": high, "reason": None}


def mean_share(shares: Sequence[float]) -> Figure:
    """The mean of shares in 0..1, one per check."""
    return clustered_mean(np.asarray(shares, dtype=np.float64), None, LEAST_CHECKS)


def clustered_mean(values: Floats, cluster: Ints | None, least: int = LEAST_ANSWERS) -> Figure:
    """The mean of `values` (N,) in 0..1, which are about the items `cluster` (N,), or independent without it."""
    if values.size < least:
        return _unsaid(int(values.size), least)
    low, high = mean_interval(values, cluster)
    return {"n": int(values.size), "value": float(values.mean()), "low": low, "high": high, "reason": None}


def time_ratio(seconds: Sequence[float], group: float | None, seed: int) -> Figure:
    """The rater's median seconds per task as a multiple of `group`, the median of the others."""
    values = np.asarray(seconds, dtype=np.float64)
    if values.size < LEAST_ANSWERS:
        return _unsaid(int(values.size), LEAST_ANSWERS)
    if not group:
        return {"n": int(values.size), "value": None, "low": None, "high": None, "reason": "the others have no times"}
    drawn = np.median(_draws(values, seed), axis=1) / group
    return _figure(values.size, float(np.median(values)) / group, drawn)


def medians_of_others(values: Floats, rater: Ints, raters: int) -> list[float | None]:
    """For each rater the median of the `values` (N,) of all others, None if there are none; `rater` (N,) has codes."""
    order = np.argsort(values, kind="stable")
    ordered, found = values[order], []
    for own in places_by_code(rater[order], raters):
        left = values.size - own.size
        middle = np.array([(left - 1) // 2, left // 2])
        # The t-th value that is not one's own comes after those of one's own values with at most t others before them.
        places = middle + np.searchsorted(own - np.arange(own.size), middle, side="right")
        found.append(float(ordered[places].mean()) if left else None)
    return found


def longest_run(forms: Sequence[Hashable], seed: int) -> Figure:
    """How many forms in a row were the same at most.

    `low` and `high` hold the middle 95 % of what the same forms give in random order: a longer row is no chance.
    """
    if len(forms) < LEAST_ANSWERS:
        return _unsaid(len(forms), LEAST_ANSWERS)
    known = {form: code for code, form in enumerate(dict.fromkeys(forms))}
    codes, random = np.array([known[form] for form in forms]), np.random.default_rng(seed)
    drawn = np.array([_longest(random.permutation(codes)) for _ in range(ORDERS)])
    return _figure(codes.size, float(_longest(codes)), drawn)


def same_share(forms: Sequence[Hashable]) -> Figure:
    """The share of the form that the rater gave most often."""
    most = max(Counter(forms).values(), default=0)
    return passed_share(most, len(forms), LEAST_ANSWERS)


def _longest(codes: Ints) -> int:
    changes = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    return int(np.diff(np.concatenate(([0], changes, [codes.size]))).max())


def _draws(values: Floats, seed: int) -> Floats:
    drawn: Floats = values[np.random.default_rng(seed).integers(0, values.size, size=(REPLICATES, values.size))]
    return drawn


def _figure(n: int, value: float, drawn: Floats) -> Figure:
    low, high = np.percentile(drawn, ENDS)
    return {"n": int(n), "value": value, "low": float(low), "high": float(high), "reason": None}


def _unsaid(n: int, least: int) -> Figure:
    return {"n": n, "value": None, "low": None, "high": None, "reason": f"too few to say: {n} of at least {least}"}
