"""Figures of judgments of pairs: how often systems win, and how much position and length sway the choices."""

from typing import Any

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN, PairChoices
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Balances, Ratios, Shares

NOT_JUDGED = "no output of the system was judged"
NOT_RANKED = "no output of the system was ranked"
ORDER_UNKNOWN = "the order on the page is not known for any judgment"
LENGTH_UNKNOWN = "no judgment compares outputs of known and unequal length"


def win_or_tie_rate(choices: PairChoices, items: int) -> Shares:
    """The share of a system's judgments that it won or tied, including repeats."""
    won = np.concatenate([choices.choice != SECOND, choices.choice != FIRST])
    item = np.tile(choices.item[choices.pair], 2)
    system = np.concatenate([choices.first[choices.pair], choices.second[choices.pair]])
    rates = _by_system("system_win_or_tie_rate", item, system, won, items, choices.systems, NOT_JUDGED)
    return Shares(rates.keys, rates.numerator, rates.denominator, rates.reasons)


def system_score(rankings: Rankings, items: int) -> Ratios:
    """A system's mean s_i = N - |{j: r_j < r_i}| over all its rankings (InstruSum, equation 2)."""
    item = rankings.item[rankings.ranking]
    scores = rankings.scores()
    return _by_system("system_score", item, rankings.system, scores, items, rankings.systems, NOT_RANKED)


def _by_system(
    name: str, item: Ints, system: Ints, figure: Floats, items: int, systems: tuple[str, ...], reason: str
) -> Ratios:
    cell, shape = item * len(systems) + system, (items, len(systems))
    return Ratios(
        keys=tuple((name, system) for system in systems),
        numerator=sum_by(cell, figure, items * len(systems)).reshape(shape),
        denominator=sum_by(cell, np.ones(cell.size), items * len(systems)).reshape(shape),
        reasons=(reason,) * len(systems),
    )


def position_bias(choices: PairChoices, items: int) -> Balances:
    """P(the output shown first is chosen) - P(the other is), over judgments with a known order, including ties."""
    known = (choices.shown_first != UNKNOWN).astype(np.float64)
    sign = np.where(choices.choice == choices.shown_first, 1.0, -1.0)
    return _bias("position_bias", choices, sign, known, items, ORDER_UNKNOWN)


def length_bias_rate(choices: PairChoices, items: int) -> Balances:
    """P(the longer output is chosen) - P(the shorter is), over judgments of outputs of unequal length.

    Ties between the two count in the denominator (Lyu et al. 2024, HREF, 5.1).
    """
    length = choices.length[choices.pair]
    longer = np.where(length[:, 0] > length[:, 1], FIRST, SECOND)
    known = (np.isfinite(length).all(axis=1) & (length[:, 0] != length[:, 1])).astype(np.float64)
    sign = np.where(choices.choice == longer, 1.0, -1.0)
    return _bias("length_bias_rate", choices, sign, known, items, LENGTH_UNKNOWN)


def _bias(name: str, choices: PairChoices, sign: Floats, known: Floats, items: int, reason: str) -> Balances:
    item = choices.item[choices.pair]
    sign = np.where(choices.choice == TIE, 0.0, sign) * known
    return Balances(
        keys=((name,),),
        numerator=sum_by(item, sign, items)[:, None],
        denominator=sum_by(item, known, items)[:, None],
        reasons=(reason,),
    )


def win_tie_loss(choices: PairChoices) -> dict[str, dict[str, dict[str, int]]]:
    """Wins, ties and losses of each system against every other that it met: {system: {other: {win, tie, loss}}}."""
    systems = len(choices.systems)
    met = choices.first[choices.pair] * systems + choices.second[choices.pair]
    pair, code = np.unique(met, return_inverse=True)
    counts = np.bincount(code * 3 + choices.choice, minlength=pair.size * 3).reshape(pair.size, 3)
    table: dict[str, Any] = {}
    for key, (won, lost, tied) in zip(pair.tolist(), counts.tolist(), strict=True):
        a, b = (choices.systems[system] for system in divmod(key, systems))
        table.setdefault(a, {})[b] = {"win": won, "tie": tied, "loss": lost}
        table.setdefault(b, {})[a] = {"win": lost, "tie": tied, "loss": won}
    return dict(sorted(table.items()))


def score_by_position(rankings: Rankings) -> list[dict[str, float | int]]:
    """The mean s_i, and the number, of the outputs shown at each position of the page, in order from 0."""
    known = rankings.position >= 0
    position, scores = rankings.position[known], rankings.scores()[known]
    n = np.bincount(position)
    total = sum_by(position, scores, n.size)
    return [
        {"position": place, "n": int(n[place]), "score": float(total[place] / n[place])}
        for place in np.flatnonzero(n).tolist()
    ]
