"""Boundaries of sequential plans against published tables, and the error that they spend."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from parts.stopping.figures.confidence_sequences import sequence_multiplier, tuned_rho_squared
from parts.stopping.figures.error_spending import spent_by
from parts.stopping.figures.group_boundaries import (
    boundaries_of_spending,
    crossing_probability,
    spending_boundaries,
)

FIFTHS = np.arange(1, 6) / 5


def classical_boundaries(looks, alpha, delta):
    """The boundaries C (k / K)^(delta - 1/2) of Wang and Tsiatis (1987) at K equal looks, (K,).

    `delta` 0 gives O'Brien and Fleming's (1979), 1/2 Pocock's (1977).
    """
    t = np.arange(1, looks + 1) / looks
    shape = t ** (delta - 0.5)
    constant = brentq(lambda c: crossing_probability(c * shape, t) - alpha, 0.5, 8.0, xtol=1e-9)
    return constant * shape


def test_boundaries_of_o_brien_and_fleming_and_of_pocock_are_the_published_ones():
    """Jennison and Turnbull (2000), tables 2.1 and 2.3: constants 2.040 and 2.413 for five looks."""
    assert classical_boundaries(5, 0.05, 0).round(2).tolist() == [4.56, 3.23, 2.63, 2.28, 2.04]
    assert classical_boundaries(5, 0.05, 0.5).round(3).tolist() == [2.413] * 5


@pytest.mark.parametrize(
    ("kind", "published"),
    [
        ("obrien_fleming", [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
        ("pocock", [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
    ],
)
def test_boundaries_of_spending_functions_are_the_published_ones(kind, published):
    """Reboussin, DeMets, Kim and Lan (2000): two-sided, five equal looks."""
    assert spending_boundaries(kind, FIFTHS, 0.05) == pytest.approx(published, abs=2e-4)


@pytest.mark.parametrize("kind", ["obrien_fleming", "pocock"])
@pytest.mark.parametrize("fractions", [[1.0], [0.01, 0.02, 0.5, 0.501, 1.0], [0.3, 0.9, 1.0], [0.1, 0.4]])
def test_boundaries_spend_exactly_what_the_function_says(kind, fractions):
    bounds = spending_boundaries(kind, fractions, 0.05)
    assert crossing_probability(bounds, fractions) == pytest.approx(spent_by(kind, fractions, 0.05)[-1], abs=1e-8)


def test_one_look_is_the_ordinary_test():
    assert spending_boundaries("pocock", [1.0], 0.05) == pytest.approx([norm.isf(0.025)], abs=1e-8)


def test_a_look_without_anything_to_spend_has_no_boundary():
    bounds = boundaries_of_spending([0.0, 0.05], [0.5, 1.0])
    assert np.isinf(bounds[0])
    assert bounds[1] == pytest.approx(norm.isf(0.025), abs=1e-6)


@pytest.mark.parametrize(
    ("kind", "fractions", "alpha"),
    [("haybittle", [1.0], 0.05), ("pocock", [], 0.05), ("pocock", [0.0, 1.0], 0.05), ("pocock", [0.5, 0.5], 0.05),
     ("pocock", [1.0], 0.0), ("pocock", [1.0], 1.0)],
)  # fmt: skip
def test_what_is_no_plan_is_refused(kind, fractions, alpha):
    with pytest.raises(ValueError, match=r"must|unknown"):
        spent_by(kind, fractions, alpha)


def test_a_confidence_sequence_is_narrowest_near_the_number_it_is_tuned_for():
    rho = tuned_rho_squared(400, 0.05)
    width = {n: sequence_multiplier(n, rho, 0.05) / np.sqrt(n) * np.sqrt(400) for n in (20, 400, 8000)}
    elsewhere = sequence_multiplier(400, tuned_rho_squared(4000, 0.05), 0.05)
    assert width[20] > width[400] > norm.isf(0.025)
    assert elsewhere > width[400]
    by_hand = np.sqrt((400 * rho + 1) / (400**2 * rho) * np.log((400 * rho + 1) / 0.05**2)) * np.sqrt(400)
    assert width[400] == pytest.approx(by_hand)
