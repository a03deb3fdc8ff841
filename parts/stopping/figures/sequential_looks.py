"""Looks at a running study: what each may conclude under a plan that was fixed before the first answer.

A look gives each figure a repeated interval, estimate plus or minus boundary times error (Jennison and Turnbull 1989,
J. R. Stat. Soc. B 51:305-361). A plan's alpha is split evenly over its rules, and a rule's part over its figures
(Bonferroni), and each part is spent over the looks. So all intervals of all rules and looks hold together with
probability 1 - alpha, and a plan that stops as soon as intervals are narrow enough, or exclude a value, is wrong with
at most that probability. With few items the boundary is that of Student's t with the same tail (Jennison and Turnbull
2000, sec. 4.4).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.stats import norm, t

from parts.stopping.figures.confidence_sequences import sequence_multiplier, tuned_rho_squared
from parts.stopping.figures.error_spending import SPENDING
from parts.stopping.figures.group_boundaries import spending_boundaries

SEQUENCE = "confidence_sequence"
METHODS = (*SPENDING, SEQUENCE)
LARGEST_LOG = 50.0
LEAST_DEGREES = 4
"""With fewer degrees of freedom a figure has no interval: it would say nothing."""
LEAST_ITEMS = 10
"""With fewer items a look never stops a study: no boundary holds for so few."""


@dataclass(frozen=True)
class SequentialDesign:
    """When looks are taken, in answers, and how their intervals are corrected; `method` is one of METHODS.

    `alpha` is that of the whole plan, which has this many `rules`.
    """

    looks: tuple[int, ...]
    alpha: float
    method: str
    rules: int = 1

    @property
    def most(self) -> int:
        """The number of answers after which the last look is taken."""
        return self.looks[-1]

    def boundary(self, taken: Sequence[int], items: float, targets: int = 1) -> float:
        """How many normal standard errors the intervals of the newest look reach.

        `taken` has the answers at each look so far, the newest last; `items` is the number of independent items of the
        newest. Each rule gets an equal part of alpha, and each of a rule's `targets` an equal part of that.
        """
        alpha = self.alpha / (max(self.rules, 1) * max(targets, 1))
        if self.method == SEQUENCE:
            most = items * self.most / max(taken[-1], 1)
            return sequence_multiplier(items, tuned_rho_squared(most, alpha), alpha) if items else float("inf")
        return _boundaries(self.method, tuple(min(one / self.most, 1.0) for one in taken), alpha)[-1]


@lru_cache(maxsize=256)
def _boundaries(method: str, fractions: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    return tuple(spending_boundaries(method, fractions, alpha).tolist())


def student_boundary(boundary: float, degrees: float) -> float:
    """The boundary of Student's t with the tail that `boundary` has under the normal distribution; may be infinite."""
    if not np.isfinite(boundary) or degrees < LEAST_DEGREES:
        return float("inf")
    return float(t.isf(norm.sf(boundary), degrees))


@dataclass(frozen=True)
class StopTarget:
    """A figure that a rule watches: its name, estimate and error, and the centre of its interval if that differs.

    `groups` are the items that it depends on, at most as many as the jackknife has groups. The interval of a figure of
    at most 1 that is skewed near it, such as alpha, is symmetric `for_logs` ln(1 - value).
    """

    name: tuple[str, ...]
    value: float
    error: float
    groups: int
    centre: float | None = None
    for_logs: bool = False

    def interval(self, reach: float) -> tuple[float, float]:
        """The interval that reaches this many errors to each side."""
        centre = self.value if self.centre is None else self.centre
        if not self.for_logs or centre >= 1:
            return centre - reach * self.error, centre + reach * self.error
        rest, factor = 1 - centre, float(np.exp(min(reach * self.error / (1 - centre), LARGEST_LOG)))
        return 1 - rest * factor, 1 - rest / factor


@dataclass(frozen=True)
class StopRule:
    """Stop when each target's interval is at most `width` wide or, with `null`, excludes that value."""

    width: float | None = None
    null: float | None = None
    low: float = -np.inf
    high: float = np.inf


def judge_look(design: SequentialDesign, rule: StopRule, taken: Sequence[int], items: int,
               targets: Sequence[StopTarget]) -> dict[str, Any]:  # fmt: skip
    """What the newest look concludes, as plain values: {boundary, met, reason, targets: [...]}.

    A target is {name, value, error, interval, width, met}. Figures that are undefined, or do not vary, never stop.
    """
    boundary = design.boundary(taken, items, len(targets))
    rows = [_judged(rule, student_boundary(boundary, one.groups - 1), one) for one in targets]
    enough = items >= LEAST_ITEMS
    reason = "" if enough else f"A look never stops a study with fewer than {LEAST_ITEMS} items."
    if not rows:
        reason = "There is nothing to compute the figure from yet."
    return {
        "boundary": boundary if np.isfinite(boundary) else None,
        "met": enough and bool(rows) and all(row["met"] for row in rows),
        "reason": reason,
        "targets": rows,
    }


def _judged(rule: StopRule, reach: float, target: StopTarget) -> dict[str, Any]:
    row: dict[str, Any] = {"name": list(target.name), "value": _number(target.value), "error": _number(target.error),
                           "interval": None, "width": None, "met": False}  # fmt: skip
    if not (np.isfinite(target.value) and np.isfinite(target.error) and target.error > 0 and np.isfinite(reach)):
        return row
    low, high = target.interval(reach)
    low, high = max(low, rule.low), min(high, rule.high)
    width = high - low
    met = width <= rule.width if rule.width is not None else not low <= (rule.null or 0.0) <= high
    return {**row, "interval": [float(low), float(high)], "width": float(width), "met": bool(met)}


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
