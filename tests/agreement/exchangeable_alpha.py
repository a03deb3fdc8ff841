"""Alpha of choices within pairs from its definition, with first and second exchangeable."""

from collections import Counter
from itertools import permutations

SETS = {0: {1}, 1: {2}, 2: {1, 2}}
"""First, second and tie as sets."""
VALUES = (0, 1, 2)


def masi_distance(a, b):
    a, b = SETS[a], SETS[b]
    monotone = 1 if a == b else 2 / 3 if a <= b or b <= a else 1 / 3 if a & b else 0
    return 1 - len(a & b) / len(a | b) * monotone


def nominal_distance(a, b):
    return float(a != b)


def exchangeable_alpha(units, distance=nominal_distance):
    """1 - D_o / D_e of units that are lists of choices; D_e is of the mean shares of first and second."""
    units = [choices for choices in units if len(choices) > 1]
    counts = Counter(choice for choices in units for choice in choices)
    n = counts.total()
    either = (counts[0] + counts[1]) / 2
    shares = {0: either, 1: either, 2: counts[2]}
    observed = sum(distance(a, b) / (len(unit) - 1) for unit in units for a, b in permutations(unit, 2)) / n
    expected = sum(shares[a] * shares[b] * distance(a, b) for a, b in permutations(VALUES, 2)) / (n * (n - 1))
    return 1 - observed / expected
