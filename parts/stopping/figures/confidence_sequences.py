"""Intervals that hold at all looks at once, however many there are and whenever they are taken.

The asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024, Annals of Statistics
52:2613-2640), from Robbins' (1970) normal mixture: after n independent items the mean lies, at all n at once, within

    sigma sqrt((n rho^2 + 1) / (n^2 rho^2) ln((n rho^2 + 1) / alpha^2))

of its estimate with probability 1 - alpha. `rho` says where the interval is narrowest; it is fixed before the first
answer, at the planned end.
"""

import math


def tuned_rho_squared(items: float, alpha: float) -> float:
    """The rho^2 with which the interval is about narrowest after `items` items (their eq. 9)."""
    log = -2 * math.log(alpha)
    return (log + math.log(log + 1)) / items


def sequence_multiplier(items: float, rho_squared: float, alpha: float) -> float:
    """How many standard errors the interval after `items` items reaches to each side."""
    mixed = items * rho_squared + 1
    return math.sqrt(mixed / (items * rho_squared) * math.log(mixed / alpha**2))
