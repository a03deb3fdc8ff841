"""How often a stop rule is wrong when it is followed, by simulation with the very code that takes the looks.

A simulated study answers item after item and is looked at as planned. Its result is wrong if an interval excludes the
true value when the study stops or ends (rules on a width), or if the study stops though there is nothing to find (rules
on separated systems). Of a plan with several rules the result is wrong if that of any rule is. Uncorrected looks, at
z = 1.96 each time, are simulated beside them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.stats import norm

from agreement.arrays.rating_arrays import Floats, Ints, Ratings
from agreement.arrays.scored_outputs import ScoresOfOutputs, scores_of_ratings
from parts.stopping.figures.sequential_looks import SequentialDesign, StopRule, StopTarget, judge_look
from parts.stopping.figures.stop_targets import alpha_target, difference_targets, score_targets, win_targets

Targets = tuple[int, list[StopTarget]]


@dataclass(frozen=True)
class SimulatedStudy:
    """A kind of study whose truth is known: `draw(rng, items)` gives the data, `targets(data, items)` the figures of
    the first of them, and `truth` the true value of each figure by name. `raters` answers are given per item.
    """

    name: str
    raters: int
    draw: Callable[[np.random.Generator, int], Any]
    targets: Callable[[Any, int], Targets]
    truth: Callable[[tuple[str, ...]], float]
    rule: StopRule = field(default_factory=StopRule)


@dataclass(frozen=True)
class UncorrectedDesign(SequentialDesign):
    """Looks whose intervals are those of a study without looks: what the corrections are compared with."""

    def boundary(self, taken: Sequence[int], items: float, targets: int = 1) -> float:
        return float(norm.isf(self.alpha / 2))


def simulate_stops(study: SimulatedStudy, design: SequentialDesign, runs: int, seed: int) -> dict[str, Any]:
    """Follow the rule in `runs` studies: {runs, wrong, stopped, mean_answers}."""
    return simulate_plans([study], design, runs, seed)


def simulate_plans(
    questions: Sequence[SimulatedStudy], design: SequentialDesign, runs: int, seed: int, *, is_split: bool = True
) -> dict[str, Any]:
    """Follow a plan with one rule for each of `questions`, all of which must be met: {runs, wrong, stopped, ...}.

    Questions are answered independently, so that their errors add up. Without `is_split`, each rule has all of alpha.
    """
    design = replace(design, rules=len(questions) if is_split else 1)
    wrong = stopped = answers = 0
    for run in range(runs):
        rng = np.random.default_rng((seed, run))
        data = [one.draw(rng, -(-design.most // one.raters)) for one in questions]
        was_wrong, was_stopped, used = _follow(questions, design, data)
        wrong, stopped, answers = wrong + was_wrong, stopped + was_stopped, answers + used
    return {"runs": runs, "wrong": wrong, "stopped": stopped, "mean_answers": answers / runs}


def _follow(
    questions: Sequence[SimulatedStudy], design: SequentialDesign, data: Sequence[Any]
) -> tuple[bool, bool, int]:
    taken: list[int] = []
    for planned in design.looks:
        taken.append(planned)
        pairs = list(zip(questions, data, strict=True))
        looks = [
            judge_look(design, one.rule, taken, *one.targets(given, planned // one.raters)) for one, given in pairs
        ]
        met = all(look["met"] for look in looks)
        if met or planned == design.most:
            return any(map(_is_wrong, questions, looks)), met, planned
    raise AssertionError("a design has a last look")


def _is_wrong(study: SimulatedStudy, look: dict[str, Any]) -> bool:
    """Whether any interval of the last look excludes the truth. Undefined figures claim nothing."""
    return any(
        row["interval"] is not None and not row["interval"][0] <= study.truth(tuple(row["name"])) <= row["interval"][1]
        for row in look["targets"]
    )


def two_systems(rate: float, rule: StopRule) -> SimulatedStudy:
    """Pairs of outputs of two systems, of which the first wins at this rate; a win rate."""

    def draw(rng: np.random.Generator, items: int) -> Floats:
        return (rng.random(items) < rate).astype(np.float64)

    def targets(won: Floats, items: int) -> Targets:
        item = np.repeat(np.arange(items), 2)
        system, score = np.tile([0, 1], items), np.stack([won[:items], 1 - won[:items]], axis=1).ravel()
        return win_targets(ScoresOfOutputs(item, system, score, np.full(2 * items, np.nan), ("a", "b"), items))

    return SimulatedStudy(f"win rate {rate:g}", 1, draw, targets, lambda _: rate, rule)


def scored_systems(means: Sequence[float], rule: StopRule) -> SimulatedStudy:
    """Outputs of systems rated on a scale from 1 to 5 by three raters; items differ in how high all are rated."""
    names = tuple(f"system-{place}" for place in range(len(means)))
    exact = dict(zip(names, (_mean_of_scale(mean) for mean in means), strict=True))

    def draw(rng: np.random.Generator, items: int) -> Floats:
        level = np.asarray(means)[None, :, None] + rng.normal(0, 0.6, (items, 1, 1))
        return np.clip(np.rint(level + rng.normal(0, 0.8, (items, len(means), 3))), 1, 5)

    def targets(rated: Floats, items: int) -> Targets:
        data = _as_ratings(rated[:items], names)
        scores = scores_of_ratings(data, np.full(data.item.size, np.nan))
        return difference_targets(scores) if rule.null is not None else score_targets(scores)

    def truth(name: tuple[str, ...]) -> float:
        return exact[name[0]] - exact[name[1]] if len(name) == 2 else exact[name[0]]

    return SimulatedStudy(f"scores {', '.join(f'{mean:g}' for mean in means)}", 3, draw, targets, truth, rule)


def _mean_of_scale(mean: float) -> float:
    """The mean of a rounded and clipped normal answer around `mean`: of 0.6 between and 0.8 within items."""
    edges = norm.cdf((np.arange(1.5, 5.0) - mean) / 1.0)
    return float(np.sum(np.arange(1, 6) * np.diff(edges, prepend=0.0, append=1.0)))


def agreeing_raters(accuracy: float, rule: StopRule) -> SimulatedStudy:
    """Yes/no answers of two raters, each right with this probability, about items of which half are true."""
    agree = accuracy**2 + (1 - accuracy) ** 2
    truth = 1 - (1 - agree) / 0.5

    def draw(rng: np.random.Generator, items: int) -> Floats:
        true = rng.random((items, 1, 1)) < 0.5
        return (true ^ (rng.random((items, 1, 2)) > accuracy)).astype(np.float64)

    def targets(rated: Floats, items: int) -> Targets:
        return alpha_target(_as_ratings(rated[:items], ("a",)), "nominal")

    return SimulatedStudy(f"alpha {truth:.2f}", 2, draw, targets, lambda _: truth, rule)


def _as_ratings(rated: Floats, systems: tuple[str, ...]) -> Ratings:
    """Ratings of a table of items, systems and raters, (I, S, m)."""
    items, outputs, raters = rated.shape
    unit: Ints = np.repeat(np.arange(items * outputs), raters)
    return Ratings(
        unit, np.tile(np.arange(raters), items * outputs), rated.ravel(), np.repeat(np.arange(items), outputs),
        np.tile(np.arange(outputs), items), tuple(f"rater-{one}" for one in range(raters)), systems,
    )  # fmt: skip
