"""Figures that are 0 but for rounding errors.

A difference of two numbers near 1 is exact to 16 digits of these, not of itself: alpha of raters who agree exactly as
often as by chance came out as -2.2e-16, and files and sorted tables showed it.
"""

from typing import overload

import numpy as np

from agreement.arrays.rating_arrays import Floats

NOISE = 1e-12
"""Differences of numbers of the size of 1 that are not larger are 0."""


@overload
def without_noise(figure: float) -> float: ...
@overload
def without_noise(figure: Floats) -> Floats: ...
def without_noise(figure: float | Floats) -> float | Floats:
    """The figures, which are differences of numbers of the size of 1, with 0 for what is only rounding errors."""
    cleaned = np.where(np.abs(figure) < NOISE, 0.0, figure)
    return cleaned if isinstance(figure, np.ndarray) else float(cleaned)
