"""Paired randomisation tests of systems over the items that they share, corrected by Holm.

If two systems do not differ, the sign of each item's difference d_i is as likely + as -. The p-value is the share of
all assignments of signs whose |sum| is at least the observed one (Fisher 1935, The Design of Experiments, section 21;
Noreen 1989 for evaluation by items). Items without a difference change nothing and are left out.

With n differences: all 2^n signs up to MOST_SIGNS of them; then DRAWS random signs with p = (1 + hits) / (1 + draws),
so that no p is 0; beyond MOST_DRAWN, the normal distribution with the variance sum d_i^2, to which the sum over so many
signs tends.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import norm

from agreement.arrays.rating_arrays import Floats
from agreement.arrays.scored_outputs import ScoresOfOutputs
from agreement.catalogue.p_values import RANDOMISATION, keys_of
from agreement.comparisons.holm import add_holm
from agreement.comparisons.mean_comparisons import NO_DIFFERENCE

MOST_SIGNS = 14
MOST_DRAWN = 1000
DRAWS = 20_000
ROWS_AT_ONCE = 1000
MOST_SYSTEMS = 40
TOO_MANY_SYSTEMS = f"there are more than {MOST_SYSTEMS} systems"
NOTHING_SHARED = "the two systems share no item"
CLOSE = 1e-9
"""Sums closer than this to the observed one, relative to the sum of all |d_i|, count as equal to it."""


def randomisation_p(differences: Sequence[Floats], seed: int = 0) -> list[float | None]:
    """The two-sided p-value of each array of paired differences, (n,) each; None if all of them are 0."""
    nonzero = [_scaled(one) for one in differences]
    found: list[float | None] = [None] * len(nonzero)
    drawn = []
    for place, one in enumerate(nonzero):
        if not one.size:
            continue
        if one.size <= MOST_SIGNS:
            found[place] = _exact(one)
        elif one.size <= MOST_DRAWN:
            drawn.append(place)
        else:
            found[place] = float(2 * norm.sf(abs(one.sum()) / np.sqrt((one * one).sum())))
    for place, p in zip(drawn, _drawn([nonzero[place] for place in drawn], seed), strict=True):
        found[place] = p
    return found


def _scaled(differences: Floats) -> Floats:
    """The differences other than 0 and rounding errors, scaled to a sum of absolute values of 1."""
    largest = np.abs(differences).max(initial=0.0)
    scaled = np.round(differences / (largest or 1.0), 12)
    kept = scaled[scaled != 0]
    return kept / (np.abs(kept).sum() or 1.0)


def _exact(differences: Floats) -> float:
    signs = (np.arange(2**differences.size)[:, None] >> np.arange(differences.size) & 1) * 2.0 - 1.0
    return float((np.abs(signs @ differences) >= abs(differences.sum()) - CLOSE).mean())


def _drawn(differences: Sequence[Floats], seed: int) -> list[float]:
    """The p-values from random signs, which all pairs share: each test by itself is the same."""
    if not differences:
        return []
    longest = max(one.size for one in differences)
    columns = np.zeros((longest, len(differences)))
    for column, one in enumerate(differences):
        columns[: one.size, column] = one
    observed = np.abs(columns.sum(axis=0)) - CLOSE
    hits, rng = np.zeros(len(differences), dtype=np.int64), np.random.default_rng(seed)
    for _ in range(0, DRAWS, ROWS_AT_ONCE):
        bits = np.frombuffer(rng.bytes(ROWS_AT_ONCE * -(-longest // 8)), dtype=np.uint8).reshape(ROWS_AT_ONCE, -1)
        signs = np.unpackbits(bits, axis=1, count=longest) * 2.0 - 1.0
        hits += (np.abs(signs @ columns) >= observed).sum(axis=0)
    return [float(p) for p in (1 + hits) / (1 + DRAWS)]


def randomisation_tests(scores: ScoresOfOutputs, seed: int = 0) -> list[dict[str, Any]]:
    """The test of each pair of systems, in the systems' order.

    A row is {systems: [a, b], items, mean_difference (a minus b, over shared items), p, p_holm, undefined}. Both p are
    None, with the reason as `undefined`, if the systems share no item or never differ. Raises ValueError with more than
    MOST_SYSTEMS systems, for which DRAWS would be too few.
    """
    if len(scores.systems) > MOST_SYSTEMS:
        raise ValueError(TOO_MANY_SYSTEMS)
    table = scores.table()
    pairs = list(combinations(range(len(scores.systems)), 2))
    differences = []
    for a, b in pairs:
        difference = table[:, a] - table[:, b]
        differences.append(difference[~np.isnan(difference)])
    rows = []
    for (a, b), difference, p in zip(pairs, differences, randomisation_p(differences, seed), strict=True):
        rows.append({
            "systems": [scores.systems[a], scores.systems[b]], "items": int(difference.size),
            "mean_difference": float(difference.mean()) if difference.size else None, "p": p,
            "undefined": "" if p is not None else NO_DIFFERENCE if difference.size else NOTHING_SHARED,
        })  # fmt: skip
    add_holm(rows, keys_of(RANDOMISATION))
    return rows
