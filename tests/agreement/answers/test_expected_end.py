"""The expected end of a study, from the answers of its last days."""

import random

import pytest

from agreement.answers.expected_end import (
    NO_ANSWERS,
    NO_PLACES,
    NOTHING_LEFT,
    TOO_FAR,
    TOO_SHORT,
    ExpectedEnd,
    expected_end,
)


def test_a_steady_pace_ends_when_division_says():
    assert expected_end([10] * 7, 95, 200) == ExpectedEnd(10, 10, 10)
    assert expected_end([10] * 7, 100, 200) == ExpectedEnd(10, 10, 10)


def test_an_uneven_pace_has_an_interval_around_the_median():
    end = expected_end([0, 0, 30, 5, 25, 0, 10], 400, 1000)
    assert end.early < end.days < end.late
    assert end.days == pytest.approx(400 / 10, abs=3)


def test_quantiles_are_those_of_a_plain_simulation():
    counts, drawn = [0, 3, 8, 1, 0, 12], random.Random(7)
    days = []
    for _ in range(4000):
        left, day = 60, 0
        while left > 0:
            left -= drawn.choice(counts)
            day += 1
        days.append(day)
    days.sort()
    end = expected_end(counts, 60, 100)
    assert end.days == pytest.approx(days[2000], abs=1)
    assert end.early == pytest.approx(days[400], abs=1)
    assert end.late == pytest.approx(days[3600], abs=1)


@pytest.mark.parametrize(
    ("counts", "left", "total", "reason"),
    [
        ([1, 2, 3], 0, 0, NO_PLACES),
        ([1, 2, 3], 0, 10, NOTHING_LEFT),
        ([1, 2], 5, 10, TOO_SHORT),
        ([0, 0, 0], 5, 10, NO_ANSWERS),
        ([1, 0, 0], 10_000, 10_000, TOO_FAR),
        ([1, 0, 0], 2000, 2000, TOO_FAR),
    ],
)
def test_an_undefined_end_says_why(counts, left, total, reason):
    assert expected_end(counts, left, total) == ExpectedEnd(None, reason=reason)


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="negative"):
        expected_end([1, -1, 2], 3, 5)
