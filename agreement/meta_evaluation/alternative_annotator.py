"""The alternative-annotator test: may a judge take the place of one of the people? (Calderon, Reichart and Dror 2025.)

Leave out one person at a time. On each unit that this person answered, the judge and the person are scored by how well
they fit the answers of the others: for labels and choices by the share of others with the same answer, for scores by
minus the root of the mean squared distance. The one that fits better has the advantage; both have it if they fit
equally well. The judge wins against the person if its advantage rate is above the person's minus epsilon, by a
one-sided paired t-test with the correction of Benjamini and Yekutieli (2001) at a false discovery rate of 0.05. The
winning rate, omega, is the share of people against whom the judge wins; the judge passes from 0.5 on. The advantage
probability, rho, is the mean over people of the judge's advantage rate.

Epsilon is what a person's answers may be better by, since they cost more. The paper's rule of thumb (section 3.3 and
its questions and answers) is 0.2 for experts, 0.15 for skilled people such as trained students, and 0.1 for crowd
workers, and less if people agree little; 0.1, the strictest, is the default here. It asks for three people and for 30
units each, better 50 to 100. The test presupposes people who agree: `replacement_baselines` shows whether they do.

**Reading:** units of one item are not independent, so the test is of the means of items; with one unit per item it is
the paper's. A person with fewer than 30 items is not tested and is in no figure.

Source: *The Alternative Annotator Test for LLM-as-a-Judge*, ACL 2025, 16051-16081.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Estimate, Key, Ratios, estimate

EPSILON_OF_EXPERTS, EPSILON_OF_SKILLED, EPSILON_OF_CROWD = 0.2, 0.15, 0.1
DISCOVERY_RATE = 0.05
PASSING = 0.5
LEAST_PEOPLE, LEAST_ITEMS = 3, 30
NOBODY = "nobody answered a unit that the judge and another person answered"


@dataclass(frozen=True)
class PersonTest:
    """The judge against one person, over `items` items and `units` units.

    `judge_advantage` and `person_advantage` are shares of units, 0..1; `p` is one-sided, `wins` its decision after the
    correction. `p` is None, and `wins` false, with a `reason`.
    """

    person: str
    items: int
    units: int
    judge_advantage: float
    person_advantage: float
    p: float | None
    wins: bool
    reason: str | None = None


@dataclass(frozen=True)
class AlternativeAnnotator:
    """The outcome: `omega` and `rho` in 0..1, None with a `reason`; `passes` is None if the test was not possible.

    `missing` says in sentences what the paper asks for and the data lack.
    """

    people: tuple[PersonTest, ...]
    epsilon: float
    omega: float | None
    rho: Estimate
    passes: bool | None
    missing: tuple[str, ...]
    reason: str | None = None


@dataclass(frozen=True)
class Advantages:
    """How often the judge, and each person, had the advantage: `n`, `judge` and `person` are (I, people).

    `n` are the units of each item that both answered. Of several possible answers of a judge, shares count.
    """

    n: Floats
    judge: Floats
    person: Floats
    raters: Sequence[str]

    def tests(self, epsilon: float) -> list[PersonTest]:
        """The judge against each person with a unit, with decisions."""
        return _corrected(
            [
                _person_test(name, self.n[:, code], self.judge[:, code], self.person[:, code], epsilon)
                for code, name in enumerate(self.raters)
                if self.n[:, code].any()
            ]
        )

    def rates(self, people: Sequence[str]) -> Ratios:
        """The judge's advantage rate against each of these people, over the items with any unit."""
        places = [list(self.raters).index(person) for person in people]
        rows = np.flatnonzero(self.n.any(axis=1))
        keys = tuple(("rate", person) for person in people)
        return Ratios(keys, self.judge[rows][:, places], self.n[rows][:, places], (NOBODY,) * len(keys))


@dataclass(frozen=True)
class _MeanOfPeople:
    """The mean over people of their ratios; people without a unit in a draw are left out of it."""

    ratios: Ratios

    @property
    def keys(self) -> tuple[Key, ...]:
        return (("rho",),)

    def reason(self, key: Key) -> str:
        return NOBODY

    def at(self, weights: Floats) -> Floats:
        rates = self.ratios.at(weights)
        count = (~np.isnan(rates)).sum(axis=1, keepdims=True)
        total = np.nansum(rates, axis=1, keepdims=True)
        return np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)


def alternative_annotator_test(
    unit: Ints,
    rater: Ints,
    value: Floats | Ints,
    judge: Floats,
    item: Ints,
    raters: Sequence[str],
    *,
    scores: bool,
    epsilon: float = EPSILON_OF_CROWD,
    replicates: int = 1000,
    seed: int = 1,
) -> AlternativeAnnotator:
    """Test a judge against a group of people.

    `unit`, `rater` and `value` (R,) are people's answers without repeats, as codes and values; `judge` (U,) is the
    judge's answer about each unit, NaN if it has none; `item` (U,) the item of each unit. With `scores` values are
    numbers and fit by distance, otherwise they are codes of labels or choices, from 0, and fit by equality.

    Raises ValueError if epsilon is not in 0..1.
    """
    if not 0 <= epsilon <= 1:
        raise ValueError("epsilon must be between 0 and 1")
    found = advantages(unit, rater, value, [judge], item, raters, scores=scores)
    tests = found.tests(epsilon)
    rates = found.rates([test.person for test in tests if test.p is not None])
    rho = estimate([_MeanOfPeople(rates)], rates.numerator.shape[0], replicates, seed)["rho",]
    return _outcome(tests, epsilon, rho)


def advantages(
    unit: Ints,
    rater: Ints,
    value: Floats | Ints,
    judges: Sequence[Floats],
    item: Ints,
    raters: Sequence[str],
    *,
    scores: bool,
) -> Advantages:
    """Who had the advantage, from answers as `alternative_annotator_test` takes them.

    `judges` has one answer of the judge per unit (U,), or several between which it chooses with equal probability;
    those are missing for the same units.
    """
    m = np.bincount(unit, minlength=item.size)
    used = (m[unit] > 1) & ~np.isnan(judges[0][unit])
    unit, rater, answer = unit[used], rater[used], np.asarray(value, dtype=np.float64)[used]
    items = int(item.max()) + 1 if item.size else 0
    cell, shape = item[unit] * len(raters) + rater, (items, len(raters))
    leads = [(_lead_in_distance if scores else _lead_in_agreement)(unit, answer, judge) for judge in judges]
    of_judge, of_person = (
        np.mean([ahead(lead) for lead in leads], axis=0) for ahead in (lambda lead: lead >= 0, lambda lead: lead <= 0)
    )
    n, judge_best, person_best = (
        sum_by(cell, column, items * len(raters)).reshape(shape) for column in (np.ones(unit.size), of_judge, of_person)
    )
    return Advantages(n, judge_best, person_best, raters)


def _outcome(tests: Sequence[PersonTest], epsilon: float, rho: Estimate) -> AlternativeAnnotator:
    """The winning rate and the verdict, or what is missing for them."""
    tested, missing = [test for test in tests if test.p is not None], _missing(tests)
    if not tested:
        reason = f"nobody answered {LEAST_ITEMS} items with the judge and another person" if tests else NOBODY
        return AlternativeAnnotator(tuple(tests), epsilon, None, rho, None, missing, reason)
    omega = float(np.mean([test.wins for test in tested]))
    if len(tested) < LEAST_PEOPLE:
        reason = f"the test needs {LEAST_PEOPLE} people with {LEAST_ITEMS} items each"
        return AlternativeAnnotator(tuple(tests), epsilon, omega, rho, None, missing, reason)
    return AlternativeAnnotator(tuple(tests), epsilon, omega, rho, omega >= PASSING, missing)


def _lead_in_agreement(unit: Ints, value: Floats, judge: Floats) -> Floats:
    """How many more of the others gave the judge's answer than gave the person's own, (R,)."""
    label = value.astype(np.int64)
    answer = np.where(np.isnan(judge), 0, judge).astype(np.int64)
    kinds = int(max(label.max(initial=0), answer.max(initial=0))) + 1
    counts = np.bincount(unit * kinds + label, minlength=judge.size * kinds).reshape(judge.size, kinds)
    others_like_person = counts[unit, label] - 1
    others_like_judge = counts[unit, answer[unit]] - (label == answer[unit])
    return (others_like_judge - others_like_person).astype(np.float64)


def _lead_in_distance(unit: Ints, value: Floats, judge: Floats) -> Floats:
    """How much farther the person is from the others than the judge, in summed squares, (R,); 0 if equally far.

    With d the person's and g the judge's distance from the mean of all m people, the sums of squared distances from
    the others differ by (d - g) ((m - 1) (d + g) + 2 d).
    """
    m = np.bincount(unit, minlength=judge.size)
    mean = sum_by(unit, value, judge.size) / np.maximum(m, 1)
    person, own = value - mean[unit], judge[unit] - mean[unit]
    lead = (person - own) * ((m[unit] - 1) * (person + own) + 2 * person)
    size = np.maximum(np.abs(value), np.abs(judge[unit]))
    return np.where(np.abs(lead) <= 1e-12 * m[unit] * (size**2 + size), 0.0, lead)


def _person_test(name: str, n: Floats, judge_best: Floats, person_best: Floats, epsilon: float) -> PersonTest:
    own = n > 0
    units, items = float(n.sum()), int(own.sum())
    rates = float(judge_best.sum() / units), float(person_best.sum() / units)
    if items < LEAST_ITEMS:
        reason = f"{items} items with the judge and another person, {LEAST_ITEMS} are needed"
        return PersonTest(name, items, int(units), *rates, None, False, reason)
    difference = (person_best[own] - judge_best[own]) / n[own] - epsilon
    if np.ptp(difference) < 1e-12:
        p = 0.0 if difference[0] < -1e-12 else 1.0
    else:
        p = float(stats.ttest_1samp(difference, 0, alternative="less").pvalue)
    return PersonTest(name, items, int(units), *rates, p, False)


def _corrected(tests: Sequence[PersonTest]) -> list[PersonTest]:
    """The tests with their decisions by Benjamini and Yekutieli."""
    known = np.array([test.p for test in tests if test.p is not None])
    adjusted = iter(stats.false_discovery_control(known, method="by") if known.size else known)
    return [
        test if test.p is None else PersonTest(**(vars(test) | {"wins": bool(next(adjusted) <= DISCOVERY_RATE)}))
        for test in tests
    ]


def _missing(tests: Sequence[PersonTest]) -> tuple[str, ...]:
    found = [] if len(tests) >= LEAST_PEOPLE else [f"{LEAST_PEOPLE} people are needed; {len(tests)} answered."]
    found += [f"{test.person}: {test.reason}." for test in tests if test.reason is not None]
    return tuple(found)
