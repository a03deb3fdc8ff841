"""Could a judge that knows nothing replace a person, too? Baselines of the alternative-annotator test.

The test presupposes people who agree. If they do not, any answer fits the others as well as a person's does, and noise
passes. So the same test is made of a judge that always says the same, and of the judge's own answers shuffled over the
units; and the verdict *yes* is withheld if either passes, or if the interval of people's alpha is not above 0.

A constant judge says *tie*, the middle of the scale, or, without either, each side or label with equal probability: the
expectation over both. Shuffled answers keep how often the judge ties; between first and second, which mean nothing from
pair to pair, they take the expectation, too. Units are shuffled in an order that follows from the items and from
people's answers, so that names of systems and raters change nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE
from agreement.arrays.pair_sides import Sides
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import NO_VARIATION, Estimate, estimate
from agreement.meta_evaluation.alternative_annotator import PASSING, Advantages, AlternativeAnnotator, advantages
from agreement.reliability.alpha import Level, alpha_sums

SHUFFLES = 100
CONSTANT_PASSES = "a judge that always gives the same answer passes, too"
SHUFFLED_PASSES = "the judge's answers pass even when they are shuffled"
NO_AGREEMENT = "people do not agree beyond chance: the interval of their alpha is not above 0"
NO_ALPHA = "whether people agree beyond chance cannot be said"


@dataclass(frozen=True)
class ReplacementInputs:
    """People's answers and the judge's, as `alternative_annotator_test` takes them, and what they are.

    `by` is scores, labels or choices; `constants` are the answers that a constant judge gives with equal probability;
    `level` is people's level of measurement, `sides` as in `agreement.arrays.pair_sides`.
    """

    unit: Ints
    rater: Ints
    value: Floats
    judge: Floats
    item: Ints
    raters: Sequence[str]
    by: str
    constants: tuple[float, ...]
    level: Level
    sides: Sides | None = None

    @property
    def scores(self) -> bool:
        return self.by == "scores"

    def advantages(self, judges: Sequence[Floats]) -> Advantages:
        return advantages(self.unit, self.rater, self.value, judges, self.item, self.raters, scores=self.scores)


@dataclass(frozen=True)
class Baseline:
    """The winning rate `omega` and the advantage probability `rho`, 0..1, None if nobody could be tested."""

    omega: float | None
    rho: float | None

    @property
    def passes(self) -> bool:
        return self.omega is not None and self.omega >= PASSING


@dataclass(frozen=True)
class ReplacementBaselines:
    """What a verdict is read with: both baselines, and people's alpha at their level."""

    constant: Baseline
    shuffled: Baseline
    alpha: Estimate

    def withheld(self) -> str | None:
        """Why a verdict of *yes* would say nothing, or None."""
        if self.constant.passes:
            return CONSTANT_PASSES
        if self.shuffled.passes:
            return SHUFFLED_PASSES
        if self.alpha.interval is not None:
            return NO_AGREEMENT if self.alpha.interval[0] <= 0 else None
        agree = self.alpha.interval_reason == NO_VARIATION and (self.alpha.value or 0) > 0
        return None if agree else NO_ALPHA


def replacement_baselines(
    inputs: ReplacementInputs, *, epsilon: float, replicates: int, seed: int
) -> ReplacementBaselines:
    """Both baselines, and people's alpha over draws of items."""
    items = int(inputs.item.max()) + 1 if inputs.item.size else 0
    sums = alpha_sums(inputs.unit, inputs.value, inputs.item, items, (inputs.level,), inputs.sides)
    answered = ~np.isnan(inputs.judge)
    constants = [np.where(answered, constant, np.nan) for constant in inputs.constants]
    units = _order(inputs)
    units = units[answered[units]]
    rng = np.random.default_rng(seed)
    pool = np.sort(_known_sides(inputs)[units])
    shuffled = [_outcome(inputs, _shuffled(inputs, units, rng.permutation(pool)), epsilon) for _ in range(SHUFFLES)]
    return ReplacementBaselines(
        constant=_outcome(inputs, constants, epsilon),
        shuffled=_mean(shuffled),
        alpha=estimate([sums], items, replicates, seed)[f"alpha_{inputs.level}",],
    )


def with_baselines(found: AlternativeAnnotator, beside: ReplacementBaselines) -> AlternativeAnnotator:
    """The outcome without a *yes* that would say nothing."""
    reason = beside.withheld() if found.passes else None
    return found if reason is None else replace(found, passes=None, reason=reason)


def _outcome(inputs: ReplacementInputs, judges: Sequence[Floats], epsilon: float) -> Baseline:
    found = inputs.advantages(judges)
    tested = [test for test in found.tests(epsilon) if test.p is not None]
    if not tested:
        return Baseline(None, None)
    return Baseline(
        float(np.mean([test.wins for test in tested])), float(np.mean([test.judge_advantage for test in tested]))
    )


def _mean(outcomes: Sequence[Baseline]) -> Baseline:
    omegas, rhos = ([getattr(one, name) for one in outcomes] for name in ("omega", "rho"))
    if not outcomes or None in omegas:
        return Baseline(None, None)
    return Baseline(float(np.mean(omegas)), float(np.mean(rhos)))


def _order(inputs: ReplacementInputs) -> Ints:
    """The units with an answer: by item, then by people's answers, then by who answered first."""
    unit, n = inputs.unit, inputs.item.size
    m = np.bincount(unit, minlength=n)
    value = inputs.value
    if inputs.by == "choices":
        ties = sum_by(unit, (value == TIE).astype(np.float64), n)
        one, two = ties, np.abs(sum_by(unit, (value == FIRST) * 1.0 - (value == SECOND) * 1.0, n))
    else:
        one, two = sum_by(unit, value, n), sum_by(unit, value**2, n)
    first = np.full(n, unit.size)
    np.minimum.at(first, unit, np.arange(unit.size))
    order = np.lexsort((first, two, one, m, inputs.item))
    return order[m[order] > 0]


def _known_sides(inputs: ReplacementInputs) -> Floats:
    """The judge's answers, with SECOND as FIRST where the two are exchangeable."""
    if inputs.by != "choices":
        return inputs.judge
    return np.where(inputs.judge == SECOND, float(FIRST), inputs.judge)


def _shuffled(inputs: ReplacementInputs, units: Ints, answers: Floats) -> list[Floats]:
    """The answers of these units, once, or with each side where it may be either."""
    judge = np.full(inputs.judge.size, np.nan)
    judge[units] = answers
    if inputs.by != "choices":
        return [judge]
    return [judge, np.where(judge == FIRST, float(SECOND), judge)]
