"""How often 95 % intervals of reports hold the true value: `python -m benchmarks.coverage [STUDIES]`.

Simulates studies whose true figures are known, with a seed, and prints the share of intervals that cover them. With
400 studies each, the default, the standard error of a coverage of 95 % is 1.1 points, and all takes some minutes.
"""

import sys
from collections.abc import Iterator

import numpy as np
from scipy.stats import norm

from agreement.intervals.bootstrap import Shares, estimate, item_weights
from agreement.meta_evaluation.score_figures import SystemTauSums
from agreement.reliability.alpha import alpha_sums

DRAWS = 400
RATERS, ALPHA = 3, 0.6
SHARES, ITEMS = (0.05, 0.1, 0.3), (10, 20, 40, 80, 160)
FEW = (3, 6, 10, 15, 25)
"""Ends of the groups of studies by the number of items on which anybody gives the rarer label."""
SYSTEMS, JUDGED_ITEMS = 11, 100
SPREADS = (0.02, 0.05, 0.1, 0.3, 1.0)
"""Standard deviations of the systems' true means, in those of an output's score."""


def main(studies: int) -> None:
    for line in (*alpha_of_a_rare_label(studies), "", *tau_of_systems(studies), "", *shares_near_one(studies)):
        print(line, flush=True)


def labels(rng: np.random.Generator, share: float, items: int) -> np.ndarray:
    """Labels of items by RATERS raters (items, raters), of whom `share` are 1 and whose alpha is ALPHA."""
    error = (1 - np.sqrt(1 - 4 * (1 - ALPHA) * share * (1 - share))) / 2
    truth = rng.random(items) < (share - error) / (1 - 2 * error)
    return (truth[:, None] ^ (rng.random((items, RATERS)) < error)).astype(np.float64)


def alpha_of_a_rare_label(studies: int) -> Iterator[str]:
    """Coverage by share and items, and by the number of items with the rarer label that a study turns out to have."""
    yield f"alpha, {RATERS} raters, true alpha {ALPHA}"
    yield f"{'share':>6} {'items':>6} {'covers':>7} {'none':>6} {'of given':>9}"
    rare, covers = [], []
    for share in SHARES:
        for items in ITEMS:
            rng, held, none = np.random.default_rng(items), 0, 0
            for _ in range(studies):
                given = labels(rng, share, items)
                sums = alpha_sums(
                    np.repeat(np.arange(items), RATERS), given.ravel(), np.arange(items), items, ("nominal",)
                )
                interval = estimate([sums], items, DRAWS, 0)[("alpha_nominal",)].interval
                none += interval is None
                held += (holds := interval is not None and interval[0] <= ALPHA <= interval[1])
                if interval is not None:
                    rare.append(min(given.any(axis=1).sum(), (1 - given).any(axis=1).sum()))
                    covers.append(holds)
            given_one = max(studies - none, 1)
            yield f"{share:6.2f} {items:6} {held / studies:7.3f} {none / studies:6.3f} {held / given_one:9.3f}"
    found, held = np.array(rare), np.array(covers)
    yield f"{'items with the rarer label':26} {'intervals':>9} {'cover':>7}"
    for low, high in zip((0, *FEW), (*FEW, np.inf), strict=True):
        group = (found >= low) & (found < high)
        yield f"{f'{low} to below {high}':26} {group.sum():9} {held[group].mean() if group.any() else np.nan:7.3f}"


def tau_of_systems(studies: int) -> Iterator[str]:
    """Coverage of tau's percentile interval, and of intervals that are corrected for its bias."""
    names = ("percentile", "basic", "shifted", "bias-corrected")
    yield f"tau of {SYSTEMS} systems, {JUDGED_ITEMS} items\n{'spread':>6} {'below':>6} " + " ".join(
        map("{:>14}".format, names)
    )
    for spread in SPREADS:
        rng, held, below = np.random.default_rng(1), np.zeros(len(names)), 0
        for _ in range(studies):
            people, judge = rng.normal(0, spread, (2, SYSTEMS))
            judge = (people + judge) / np.sqrt(2)
            truth = tau(people, judge)
            shape = (JUDGED_ITEMS, SYSTEMS)
            shared = rng.normal(size=shape)
            scores = (mean + 0.6 * shared + 0.8 * rng.normal(size=shape) for mean in (people, judge))
            sums = SystemTauSums(*scores, np.ones(shape))
            point = float(sums.at(np.ones((1, JUDGED_ITEMS)))[0, 0])
            drawn = np.concatenate([sums.at(weights)[:, 0] for weights in item_weights(JUDGED_ITEMS, DRAWS, 0)])
            ends = intervals(point, drawn)
            held += [low - 1e-9 <= truth <= high + 1e-9 for low, high in ends]
            below += ends[0][1] < truth
        yield f"{spread:6.2f} {below / studies:6.3f} " + " ".join(f"{share:14.3f}" for share in held / studies)


def tau(one: np.ndarray, other: np.ndarray) -> float:
    a, b = np.triu_indices(one.size, 1)
    return float(np.mean(np.sign(one[a] - one[b]) * np.sign(other[a] - other[b])))


def intervals(point: float, drawn: np.ndarray) -> list[tuple[float, float]]:
    """The percentile interval, and three that are corrected for bias, within -1..1."""
    low, high = np.percentile(drawn, [2.5, 97.5])
    shift = point - drawn.mean()
    z = norm.ppf(np.clip((drawn < point).mean() + (drawn == point).mean() / 2, 1 / drawn.size, 1 - 1 / drawn.size))
    corrected = np.percentile(drawn, 100 * norm.cdf(2 * z + norm.ppf([0.025, 0.975])))
    made = ((low, high), (2 * point - high, 2 * point - low), (low + shift, high + shift), tuple(corrected))
    return [(max(-1.0, a), min(1.0, b)) for a, b in made]


def shares_near_one(studies: int) -> Iterator[str]:
    """Coverage of the interval of shares, with 3 answers about an item that are often the same."""
    yield f"shares, 3 answers per item\n{'share':>6} {'items':>6} {'covers':>7} {'percentile':>11}"
    for share in (0.8, 0.95, 0.99):
        for items in (10, 30, 100):
            rng, held, plain = np.random.default_rng(items), 0, 0
            for _ in range(studies):
                own = rng.beta(2 * share, 2 * (1 - share), items)  # a correlation of 1/3 between answers of an item
                won = rng.binomial(3, own).astype(np.float64)[:, None]
                sums = Shares((("share",),), won, np.full((items, 1), 3.0), ("",))
                interval = estimate([sums], items, DRAWS, 0)[("share",)].interval
                drawn = np.concatenate([sums.at(weights)[:, 0] for weights in item_weights(items, DRAWS, 0)])
                low, high = np.percentile(drawn, [2.5, 97.5])
                held += interval is not None and interval[0] <= share <= interval[1]
                plain += low <= share <= high
            yield f"{share:6.2f} {items:6} {held / studies:7.3f} {plain / studies:11.3f}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
