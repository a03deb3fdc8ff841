"""Figures of one rater's care, each with an interval, or with the reason why there are too few answers to say.

Shares of checks that were passed have Wilson's interval (1927), means of shares and ratios of medians a percentile
bootstrap over the rater's own answers (Efron and Tibshirani 1993, ch. 13).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from agreement.meta_evaluation.bias_card import wilson
from agreement.rating_arrays import Floats, Ints

LEAST_CHECKS = 5
"""With fewer checks of a kind, nothing is said."""
LEAST_ANSWERS = 10
"""With fewer answers, nothing is said about agreement, time and answers in a row."""
REPLICATES = 1000
ENDS = (2.5, 97.5)
Figure = dict[str, Any]
"""{n, value, low, high, reason}: value and interval are None with a reason."""


def passed_share(passed: int, n: int, least: int = LEAST_CHECKS) -> Figure:
    """The share of `n` trials that were passed, with Wilson's 95 % interval."""
    if n < least:
        return _unsaid(n, least)
    low, high = wilson(passed, n)
    return {"n": n, "value": passed / n, "low": low, "high": high, "reason": None}


def mean_share(shares: Sequence[float], seed: int, least: int = LEAST_CHECKS) -> Figure:
    """The mean of shares in 0..1, one per check, with a percentile interval over the checks."""
    values = np.asarray(shares, dtype=np.float64)
    if values.size < least:
        return _unsaid(int(values.size), least)
    return _figure(values.size, float(values.mean()), _draws(values, seed).mean(axis=1))


def clustered_mean(values: Floats, cluster: Ints, seed: int, least: int = LEAST_ANSWERS) -> Figure:
    """The mean of `values` (N,), with an interval over the items (N,) that they are about, drawn with replacement."""
    if values.size < least:
        return _unsaid(int(values.size), least)
    _, code = np.unique(cluster, return_inverse=True)
    sums, counts = np.bincount(code, weights=values), np.bincount(code)
    drawn = np.random.default_rng(seed).integers(0, sums.size, size=(REPLICATES, sums.size))
    return _figure(values.size, float(values.mean()), sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1))


def time_ratio(seconds: Sequence[float], group: float | None, seed: int, least: int = LEAST_ANSWERS) -> Figure:
    """The rater's median seconds per task as a multiple of the `group`'s median."""
    values = np.asarray(seconds, dtype=np.float64)
    if values.size < least:
        return _unsaid(int(values.size), least)
    if not group:
        return {"n": int(values.size), "value": None, "low": None, "high": None, "reason": "the group has no times"}
    drawn = np.median(_draws(values, seed), axis=1) / group
    return _figure(values.size, float(np.median(values)) / group, drawn)


def same_in_a_row(values: Sequence[Sequence[float]], least: int = LEAST_ANSWERS) -> Figure:
    """The share of answers equal to the one before to the same question; `values` has each question's, in order."""
    pairs = [(one, other) for row in values for one, other in pairwise(row)]
    return passed_share(sum(one == other for one, other in pairs), len(pairs), least)


def _draws(values: Floats, seed: int) -> Floats:
    drawn: Floats = values[np.random.default_rng(seed).integers(0, values.size, size=(REPLICATES, values.size))]
    return drawn


def _figure(n: int, value: float, drawn: Floats) -> Figure:
    low, high = np.percentile(drawn, ENDS)
    return {"n": int(n), "value": value, "low": float(low), "high": float(high), "reason": None}


def _unsaid(n: int, least: int) -> Figure:
    return {"n": n, "value": None, "low": None, "high": None, "reason": f"too few to say: {n} of at least {least}"}
