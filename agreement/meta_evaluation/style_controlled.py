"""Bradley-Terry strengths with the effect of style taken out, and ranks with their uncertainty (Chatbot Arena).

    logit P(i beats j) = theta_i - theta_j + x . beta

x has the differences of F features of the two outputs, such as length or numbers of list items, headers and bold
words. A tie is half a win of each. The strengths have a mean of 0. Each feature is divided by its root mean square, so
that its coefficient is the effect of a typical difference; no mean is subtracted, because which output is first is
arbitrary.

Intervals and ranks are from the score bootstrap (Kline and Santos 2012, Journal of Econometric Methods 1, 23-41): items
are drawn with replacement, and the fit takes one Newton step to the draw. `rank` is 1 plus the number of systems whose
interval lies wholly above, as in Chatbot Arena; `rank_interval` has the 2.5th and 97.5th percentile of the ranks in the
draws.

A finite fit needs systems that all win and lose, or tie, among themselves: the largest such group is compared, and the
other systems are undefined. Features that tell every winner are refused too.

Sources: Chiang et al. 2024, *Chatbot Arena*; Li, Angelopoulos and Chiang 2024, *Does style matter?* (lmsys.org).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from agreement.arrays.pair_choices import FIRST, SECOND
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import CONFIDENCE, SAME, item_weights
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from agreement.systems.bradley_terry import NOT_FITTED, OUTSIDE

ITERATIONS = 50
PRECISION = 1e-9
LARGEST_CONDITION, LEAST_WEIGHT = 1e8, 1e-6
"""Beyond this, the likelihood hardly changes in some direction: it has no maximum there, or two features are one.

A mean weight p (1 - p) below the least means that every winner is told."""
CONSTANT = "all compared outputs are equal in this feature"


@dataclass(frozen=True)
class Strength:
    """The strength theta of a system in log-odds, with 95 % interval and standard error, and its rank, 1 is best.

    None with a `reason` for a system that is not compared; without an interval there are no ranks.
    """

    system: str
    value: float | None
    se: float | None = None
    interval: tuple[float, float] | None = None
    rank: int | None = None
    rank_interval: tuple[int, int] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class StyleEffect:
    """The log-odds by which a typical difference in the feature favours the output that has more; None if constant."""

    feature: str
    value: float | None
    se: float | None = None
    interval: tuple[float, float] | None = None
    reason: str | None = None


@dataclass(frozen=True)
class StyleControlled:
    """Strengths in the order of the systems' names, effects in the order of the features, and what they rest on."""

    strengths: tuple[Strength, ...]
    effects: tuple[StyleEffect, ...]
    judgments: int
    items: int
    reason: str | None = None


def relative_differences(choices: OutputChoices, style: Floats) -> Floats:
    """(a - b) / (a + b) of each feature of the outputs (O, F), (R, F), 0 if both are 0, as in Chatbot Arena."""
    one, other = style[choices.first], style[choices.second]
    total = one + other
    return np.divide(one - other, total, out=np.zeros(total.shape), where=total != 0)


def style_controlled(
    choices: OutputChoices,
    outputs: Outputs,
    differences: Floats,
    features: Sequence[str],
    *,
    replicates: int = 1000,
    seed: int = 1,
) -> StyleControlled:
    """Strengths and effects from choices (R,) and the differences first minus second of their features, (R, F).

    Features without columns give plain strengths. Choices with a difference that is not finite are left out.

    Raises ValueError if `differences` has another shape.
    """
    if differences.shape != (choices.choice.size, len(features)):
        raise ValueError("differences must have a row per choice and a column per feature")
    known = np.flatnonzero(np.isfinite(differences).all(axis=1))
    choices, differences = choices.only(known), differences[known]
    first, second = outputs.system[choices.first], outputs.system[choices.second]
    group = _largest_group(first, second, choices.choice, len(outputs.systems))
    if not group.size:
        return _unfitted(outputs, features, NOT_FITTED)
    place = np.full(len(outputs.systems), -1)
    place[group] = np.arange(group.size)
    keep = (place[first] >= 0) & (place[second] >= 0)
    scale = np.sqrt((differences[keep] ** 2).mean(axis=0))
    varied = np.flatnonzero(scale > 0)
    x = differences[keep][:, varied] / scale[varied]
    y = np.array([1.0, 0.0, 0.5])[choices.choice[keep]]
    fit = _fit(place[first][keep], place[second][keep], x, y, group.size)
    if fit is None:
        return _unfitted(outputs, features, NOT_FITTED)
    _, item = np.unique(outputs.item[choices.first[keep]], return_inverse=True)
    draws = _score_bootstrap(fit, item, replicates, seed)
    return StyleControlled(
        _strengths(outputs, group, fit.coefficients, draws),
        _effects(features, varied, fit.coefficients[group.size :], draws[:, group.size :]),
        int(keep.sum()), int(item.max()) + 1,
    )  # fmt: skip


@dataclass(frozen=True)
class _Fit:
    """Coefficients (S + F,), strengths first, the inverse Hessian, and the rows from which scores are computed."""

    coefficients: Floats
    inverse: Floats
    first: Ints
    second: Ints
    x: Floats
    residual: Floats


def _fit(first: Ints, second: Ints, x: Floats, y: Floats, systems: int) -> _Fit | None:
    """The maximum of the likelihood by Newton's method, None if there is none."""
    size = systems + x.shape[1]
    beta = np.zeros(size)
    for _ in range(ITERATIONS):
        p = expit(beta[first] - beta[second] + x @ beta[systems:])
        residual, weight = y - p, p * (1 - p)
        gradient = np.concatenate(
            [sum_by(first, residual, systems) - sum_by(second, residual, systems), x.T @ residual]
        )
        hessian = _hessian(first, second, x, weight, systems)
        hessian[:systems, :systems] += np.trace(hessian[:systems, :systems]) / systems**2  # fixes the strengths' sum
        if weight.mean() < LEAST_WEIGHT or np.linalg.cond(hessian) > LARGEST_CONDITION:
            return None
        inverse: Floats = np.asarray(np.linalg.inv(hessian), dtype=np.float64)
        if np.abs(gradient).max() <= PRECISION * y.size:
            beta[:systems] -= beta[:systems].mean()
            return _Fit(beta, inverse, first, second, x, residual)
        step = inverse @ gradient
        beta = beta + step * min(1.0, 2.0 / np.abs(step).max())
    return None


def _hessian(first: Ints, second: Ints, x: Floats, weight: Floats, systems: int) -> Floats:
    size = systems + x.shape[1]
    hessian = np.zeros((size, size))
    met = sum_by(first * systems + second, weight, systems**2).reshape(systems, systems)
    met = met + met.T
    hessian[:systems, :systems] = np.diag(met.sum(axis=1)) - met
    for column, feature in enumerate(x.T, systems):
        by_system = sum_by(first, weight * feature, systems) - sum_by(second, weight * feature, systems)
        hessian[:systems, column] = hessian[column, :systems] = by_system
    hessian[systems:, systems:] = (x * weight[:, None]).T @ x
    return hessian


def _score_bootstrap(fit: _Fit, item: Ints, replicates: int, seed: int) -> Floats:
    """Coefficients in draws of items, (B, S + F); no row with fewer than two items."""
    items, systems = int(item.max()) + 1, fit.coefficients.size - fit.x.shape[1]
    scores = np.zeros((items, fit.coefficients.size))
    for sign, system in ((1, fit.first), (-1, fit.second)):
        cells = sum_by(item * systems + system, sign * fit.residual, items * systems)
        scores[:, :systems] += cells.reshape(items, systems)
    for column, feature in enumerate(fit.x.T, systems):
        scores[:, column] = sum_by(item, feature * fit.residual, items)
    if items < 2:
        return np.zeros((0, fit.coefficients.size))
    steps = scores @ fit.inverse
    drawn = [weights @ steps for weights in item_weights(items, replicates, seed)]
    return fit.coefficients + np.concatenate([np.zeros((0, fit.coefficients.size)), *drawn])


def _strengths(outputs: Outputs, group: Ints, value: Floats, draws: Floats) -> tuple[Strength, ...]:
    found = {name: Strength(name, None, reason=OUTSIDE) for name in outputs.systems}
    low, high, se = _spread(draws[:, : group.size])
    order = (draws[:, None, : group.size] > draws[:, : group.size, None]).sum(axis=2) + 1 if draws.size else draws
    for place, code in enumerate(group.tolist()):
        name = outputs.systems[code]
        if not draws.size:
            found[name] = Strength(name, float(value[place]))
            continue
        least, most = np.percentile(order[:, place], [2.5, 97.5], method="closest_observation")
        found[name] = Strength(
            name, float(value[place]), float(se[place]), _ends(low[place], high[place]),
            1 + int((low > high[place]).sum()), (int(least), int(most)),
        )  # fmt: skip
    return tuple(found.values())


def _effects(features: Sequence[str], varied: Ints, value: Floats, draws: Floats) -> tuple[StyleEffect, ...]:
    found = {name: StyleEffect(name, None, reason=CONSTANT) for name in features}
    low, high, se = _spread(draws)
    for place, column in enumerate(varied.tolist()):
        interval = _ends(low[place], high[place]) if draws.size else None
        deviation = float(se[place]) if draws.size else None
        found[features[column]] = StyleEffect(features[column], float(value[place]), deviation, interval)
    return tuple(found.values())


def _ends(low: float, high: float) -> tuple[float, float] | None:
    """An interval; None without variation."""
    return (float(low), float(high)) if high - low > SAME * max(abs(low), abs(high), 1.0) else None


def _spread(draws: Floats) -> tuple[Floats, Floats, Floats]:
    """The ends of the 95 % interval and the standard deviation of each column."""
    if not draws.size:
        return draws[0:0], draws[0:0], draws[0:0]
    tail = 50 * (1 - CONFIDENCE)
    low, high = np.percentile(draws, [tail, 100 - tail], axis=0)
    return low, high, draws.std(axis=0, ddof=1)


def _largest_group(first: Ints, second: Ints, choice: Ints, systems: int) -> Ints:
    """The codes of the largest group of systems that win and lose, or tie, among themselves; empty if there is none."""
    won, lost = choice != SECOND, choice != FIRST
    start, end = np.concatenate([first[won], second[lost]]), np.concatenate([second[won], first[lost]])
    if not start.size:
        return np.zeros(0, dtype=np.int64)
    edges = csr_array((np.ones(start.size), (start, end)), shape=(systems, systems))
    _, label = connected_components(edges, directed=True, connection="strong")
    size = np.bincount(label)
    return np.flatnonzero(label == size.argmax()) if size.max() > 1 else np.zeros(0, dtype=np.int64)


def _unfitted(outputs: Outputs, features: Sequence[str], reason: str) -> StyleControlled:
    return StyleControlled(
        tuple(Strength(name, None, reason=reason) for name in outputs.systems),
        tuple(StyleEffect(name, None, reason=reason) for name in features), 0, 0, reason,
    )  # fmt: skip
