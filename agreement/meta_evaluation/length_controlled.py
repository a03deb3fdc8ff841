"""Win rates against a baseline as they would be if both outputs were equally long (Dubois et al. 2024).

For a system m and a baseline b, a logistic regression of the choices between their outputs (a tie is half a win):

    logit P(m wins on item x) = theta_m + phi_m tanh((length_m - length_b) / sd) + psi_m gamma_x

The length-controlled win rate is the mean over the judged pairs of P with the middle term at 0. `sd` is the standard
deviation of the system's differences of length. The difficulty of an item, gamma_x, is fitted first, to the choices of
all *other* systems together with psi = 1, and has mean 0; a system that alone met the baseline has none. Fitted to the
system's own choices, too, gamma would take up part of what its length explains: two systems of equal quality and
unequal length came out at .58 instead of .50.

**Reading:** coefficients have a weak ridge penalty, squares / 200, that keeps them finite if a system always wins; the
difficulties have one of squares / 2. The paper's program uses an L1 penalty chosen by cross-validation and two altered
baselines instead, which only its own baseline has. The interval is of the sandwich estimator over items, on the
logistic scale, and takes gamma as known, which understates it a little.

Source: Dubois, Galambosi, Liang and Hashimoto 2024, *Length-Controlled AlpacaEval*, section 3.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import expit, logit

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import NO_VARIATION
from agreement.intervals.bounded_intervals import ROUNDING
from agreement.intervals.clustered_errors import MeanEstimate, around, sums_of_items, variance_of
from agreement.meta_evaluation.corrected_means import share_mean
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs

RIDGE, RIDGE_OF_DIFFICULTY = 0.01, 1.0
ITERATIONS = 100
NEVER_MET = "no choice is between an output of the system and one of the baseline with known lengths"
ONE_ITEM = "an interval needs two items"
SAME_LENGTH = "all differences of length are 0"


@dataclass(frozen=True)
class LengthControlled:
    """A system against the baseline, over `choices` choices on `items` items.

    `win_rate` is as judged and `controlled` at equal length, both 0..1; `length_effect` is phi: above 0 the longer
    output is preferred. `difficulty` says whether the model has the term of the item.
    """

    choices: int
    items: int
    win_rate: MeanEstimate
    controlled: MeanEstimate
    length_effect: MeanEstimate
    difficulty: bool


@dataclass(frozen=True)
class _BaselineChoices:
    """Choices against the baseline: item, system, y (1 won, 0.5 tied, 0 lost) and the length term, all (R,)."""

    item: Ints
    system: Ints
    y: Floats
    length: Floats


def length_controlled_win_rates(choices: OutputChoices, outputs: Outputs, baseline: str) -> dict[str, LengthControlled]:
    """Every other system's win rates against the system `baseline`, by people's or a judge's choices.

    Raises ValueError if there is no such system.
    """
    if baseline not in outputs.systems:
        raise ValueError(f"no system is called {baseline}")
    rows = _rows(choices, outputs, outputs.systems.index(baseline))
    difficulty = _Difficulties(rows, outputs.items, len(outputs.systems))
    return {
        name: _of_system(rows, np.flatnonzero(rows.system == code), difficulty.without(code))
        for code, name in enumerate(outputs.systems)
        if name != baseline
    }


def _rows(choices: OutputChoices, outputs: Outputs, baseline: int) -> _BaselineChoices:
    systems = outputs.system[choices.first], outputs.system[choices.second]
    difference = outputs.length[choices.first] - outputs.length[choices.second]
    used = ((systems[0] == baseline) != (systems[1] == baseline)) & np.isfinite(difference)
    turned = systems[0][used] == baseline
    system = np.where(turned, systems[1][used], systems[0][used])
    won = np.array([1.0, 0.0, 0.5])[choices.choice[used]]
    difference = np.where(turned, -difference[used], difference[used])
    count = np.maximum(np.bincount(system), 1)
    mean = sum_by(system, difference, count.size) / count
    sd = np.sqrt(sum_by(system, (difference - mean[system]) ** 2, count.size) / count)
    # Differences that are all equal cannot be told from the system's own term, which then counts them.
    scaled = np.divide(difference, sd[system], out=np.zeros(difference.size), where=sd[system] > 0)
    return _BaselineChoices(outputs.item[choices.first[used]], system, np.where(turned, 1 - won, won), np.tanh(scaled))


def _of_system(rows: _BaselineChoices, own: Ints, difficulty: Floats | None) -> LengthControlled:
    item, y, length = rows.item[own], rows.y[own], rows.length[own]
    items = np.unique(item).size
    if not own.size:
        nothing = MeanEstimate(None, reason=NEVER_MET, interval_reason=NEVER_MET)
        return LengthControlled(0, 0, nothing, nothing, nothing, difficulty is not None)
    columns = [np.ones(own.size), length] + ([] if difficulty is None else [difficulty[item]])
    x = np.stack(columns, axis=1)
    beta, hessian = fit_logistic(x, y)
    equal = x.copy()
    equal[:, 1] = 0
    chance = expit(equal @ beta)
    rate = float(chance.mean())
    slope = (chance * (1 - chance)) @ equal / own.size
    scores = x * (y - expit(x @ beta))[:, None]
    steps = np.linalg.solve(hessian, scores.T).T
    influence = np.stack([steps @ slope + (chance - rate) / own.size, steps[:, 1]], axis=1)
    sums = sums_of_items(item, influence)
    effect = _with_interval(float(beta[1]), variance_of(sums[:, 1]), items)
    if not length.any():
        effect = MeanEstimate(None, reason=SAME_LENGTH, interval_reason=SAME_LENGTH)
    return LengthControlled(
        own.size, items, share_mean(y, item), _rate_with_interval(rate, variance_of(sums[:, 0]), items), effect,
        difficulty is not None,
    )  # fmt: skip


def fit_logistic(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Coefficients (P,), and the negative Hessian (P, P), of the ridge logistic regression of y in 0..1 on x (R, P).

    Maximises sum y log p + (1 - y) log(1 - p) - RIDGE / 2 |beta|^2 by Newton's method with halved steps.
    """
    beta = np.zeros(x.shape[1])
    value = _likelihood(x, y, beta)
    for _ in range(ITERATIONS):
        p = expit(x @ beta)
        gradient = x.T @ (y - p) - RIDGE * beta
        hessian = (x * (p * (1 - p))[:, None]).T @ x + RIDGE * np.eye(beta.size)
        step = np.linalg.solve(hessian, gradient)
        if np.abs(step).max() < 1e-10:
            break
        while (new := _likelihood(x, y, beta + step)) < value - 1e-9 * abs(value) and np.abs(step).max() > 1e-10:
            step /= 2
        beta, value = beta + step, new
    return beta, hessian


def _likelihood(x: Floats, y: Floats, beta: Floats) -> float:
    eta = x @ beta
    return float((y * eta - np.logaddexp(0, eta)).sum() - RIDGE / 2 * (beta @ beta))


class _Difficulties:
    """The difficulty of items as all systems but one find it, with theta and phi per system.

    Newton's method on the whole Hessian, in which the block of the items is diagonal and is eliminated first. Each fit
    starts at that of all systems.
    """

    def __init__(self, rows: _BaselineChoices, items: int, systems: int) -> None:
        self.rows, self.items, self.systems = rows, items, systems
        self.beta, self.gamma = np.zeros(2 * systems), np.zeros(items)
        if np.unique(rows.system).size > 2:
            self.beta, self.gamma = self._fitted(np.ones(rows.y.size, dtype=bool))

    def without(self, system: int) -> Floats | None:
        """gamma (I,) from the other systems' choices, 0 for items without any; None if there is no other system."""
        others = self.rows.system != system
        if not others.any():
            return None
        _, gamma = self._fitted(others)
        met = np.bincount(self.rows.item[others], minlength=self.items) > 0
        return np.where(met, gamma - gamma[met].mean(), 0.0)

    def _fitted(self, used: np.ndarray) -> tuple[Floats, Floats]:
        """theta and phi of each system (2 S,), and gamma (I,), of the choices with a true `used` (R,)."""
        item, system, y, length = (
            column[used] for column in (self.rows.item, self.rows.system, self.rows.y, self.rows.length)
        )
        s, n = self.systems, y.size
        place = np.concatenate([np.arange(n), np.arange(n)]), np.concatenate([system, system + s])
        x = csr_array((np.concatenate([np.ones(n), length]), place), shape=(n, 2 * s))
        of_item = csr_array((np.ones(n), (np.arange(n), item)), shape=(n, self.items))
        beta, gamma = self.beta.copy(), self.gamma.copy()
        for _ in range(ITERATIONS):
            p = expit(x @ beta + gamma[item])
            weight = p * (1 - p)
            of_beta = x.T @ (y - p) - RIDGE * beta
            of_gamma = sum_by(item, y - p, self.items) - RIDGE_OF_DIFFICULTY * gamma
            weighted = x.multiply(weight[:, None]).tocsr()
            diagonal = sum_by(item, weight, self.items) + RIDGE_OF_DIFFICULTY
            between = (weighted.T @ of_item).tocsr()
            reduced = (weighted.T @ x).toarray() - (between.multiply(1 / diagonal) @ between.T).toarray()
            reduced += RIDGE * np.eye(2 * s)
            step = np.linalg.solve(reduced, of_beta - between @ (of_gamma / diagonal))
            step_of_gamma = (of_gamma - between.T @ step) / diagonal
            longest = max(np.abs(step).max(initial=0.0), np.abs(step_of_gamma).max(initial=0.0))
            shorter = min(1.0, 2.0 / max(longest, 1e-300))
            beta, gamma = beta + shorter * step, gamma + shorter * step_of_gamma
            if longest < 1e-9:
                break
        return beta, gamma


def _with_interval(value: float, variance: float, items: int) -> MeanEstimate:
    if np.isnan(variance) or variance <= ROUNDING:
        return MeanEstimate(value, interval_reason=ONE_ITEM if np.isnan(variance) else NO_VARIATION)
    se = float(np.sqrt(variance))
    return MeanEstimate(value, se, around(value, se, items))


def _rate_with_interval(rate: float, variance: float, items: int) -> MeanEstimate:
    """The interval on the logistic scale, so that it stays within 0..1."""
    if np.isnan(variance) or variance <= ROUNDING:
        return MeanEstimate(rate, interval_reason=ONE_ITEM if np.isnan(variance) else NO_VARIATION)
    se = float(np.sqrt(variance))
    low, high = around(float(logit(rate)), se / (rate * (1 - rate)), items)
    return MeanEstimate(rate, se, (float(expit(low)), float(expit(high))))
