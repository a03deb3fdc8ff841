"""When a study will have all its answers, from the answers of the last days.

Each coming day is taken to bring what one of the past days brought, drawn at random with replacement, until nothing is
left. The number of days is counted in many such courses: its median is the expected end, and the 10 % and 90 %
quantiles are the interval. Days without answers count, so that weekends are in it. Days are drawn one by one, so the
interval knows no trend and no rhythm of the week.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

COURSES = 2000
LONGEST = 3650
"""Days after which a course is given up."""
LEAST_DAYS = 3
NOTHING_LEFT = "every place has its answer"
NO_PLACES = "there are no places for answers"
TOO_SHORT = f"it needs at least {LEAST_DAYS} whole days since the first answer"
NO_ANSWERS = "there were no answers in the last days"
TOO_FAR = "at this pace it takes more than ten years"


@dataclass(frozen=True)
class ExpectedEnd:
    """Days until the end: the median and the 10 % and 90 % quantiles (`late` None: later than LONGEST); or a reason."""

    days: int | None
    early: int | None = None
    late: int | None = None
    reason: str = ""


def expected_end(counts: Sequence[int], left: int, total: int, seed: int = 0) -> ExpectedEnd:
    """The end of a study with `left` of `total` places open, from the `counts` of whole past days since its first.

    Raises ValueError for a negative count.
    """
    daily = np.asarray(counts, dtype=np.int64)
    if (daily < 0).any() or left < 0:
        raise ValueError("a count must not be negative")
    for applies, reason in (
        (not total, NO_PLACES), (not left, NOTHING_LEFT), (daily.size < LEAST_DAYS, TOO_SHORT),
        (not daily.any(), NO_ANSWERS), (left > int(daily.max(initial=0)) * LONGEST, TOO_FAR),
    ):  # fmt: skip
        if applies:
            return ExpectedEnd(None, reason=reason)
    rng = np.random.default_rng(seed)
    horizon = min(LONGEST, int(4 * left / daily.mean()) + 8 * daily.size)
    days = np.full(COURSES, LONGEST + 1, dtype=np.int64)
    for course in range(COURSES):
        days[course] = _course(rng, daily, left, horizon)
    early, middle, late = (int(one) for one in np.quantile(days, [0.1, 0.5, 0.9], method="inverted_cdf"))
    if middle > LONGEST:
        return ExpectedEnd(None, reason=TOO_FAR)
    return ExpectedEnd(middle, early, None if late > LONGEST else late)


def _course(rng: np.random.Generator, daily: np.ndarray, left: int, horizon: int) -> int:
    """The number of drawn days until `left` answers are there, LONGEST + 1 if they never are."""
    done = 0
    while done < LONGEST:
        reached = np.cumsum(daily[rng.integers(0, daily.size, size=horizon)])
        found = int(np.searchsorted(reached, left))
        if found < horizon:
            return min(done + found + 1, LONGEST + 1)
        left, done = left - int(reached[-1]), done + horizon
    return LONGEST + 1
