"""How much of the error probability alpha a sequential plan may have spent at each share of its information.

The functions are those of Lan and DeMets (1983, Biometrika 70:659-663), here for two-sided symmetric designs: each side
spends half of alpha by the one-sided function.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import norm

from agreement.arrays.rating_arrays import Floats

OBRIEN_FLEMING, POCOCK = "obrien_fleming", "pocock"


def _obrien_fleming(t: Floats, alpha: float) -> Floats:
    """4 (1 - Phi(z_(1 - alpha / 4) / sqrt(t))): hardly anything early on."""
    with np.errstate(divide="ignore"):
        return np.asarray(4 * norm.sf(norm.isf(alpha / 4) / np.sqrt(t)))


def _pocock(t: Floats, alpha: float) -> Floats:
    """alpha ln(1 + (e - 1) t): nearly the same at each look."""
    return np.asarray(alpha * np.log1p((np.e - 1) * t))


SPENDING: Mapping[str, Callable[[Floats, float], Floats]] = {OBRIEN_FLEMING: _obrien_fleming, POCOCK: _pocock}


def spent_by(kind: str, fractions: Sequence[float] | Floats, alpha: float) -> Floats:
    """The error spent by each of the information fractions, (K,): alpha at 1 and beyond.

    `kind` is a key of SPENDING. Raises ValueError for an unknown kind, an alpha outside (0, 1), or fractions that do
    not rise from above 0.
    """
    t = np.asarray(fractions, dtype=np.float64)
    if kind not in SPENDING:
        raise ValueError(f"unknown spending function: {kind}")
    if not 0 < alpha < 1:
        raise ValueError("alpha must lie between 0 and 1")
    if t.size == 0 or t[0] <= 0 or (np.diff(t) <= 0).any():
        raise ValueError("information fractions must rise from above 0")
    return SPENDING[kind](np.minimum(t, 1.0), alpha)
