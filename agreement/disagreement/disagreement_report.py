"""Where raters of one question disagree, as plain values for JSON."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from agreement.arrays.rating_arrays import Ints, Ratings
from agreement.arrays.tally import sum_by
from agreement.disagreement.item_pull import item_pulls
from agreement.disagreement.peer_distances import NOTHING_SHARED, PeerDistances, PeerLevel, group_rows, peer_distances
from agreement.disagreement.rater_matrix import rater_matrix, value_confusion

MOST_ITEMS = 20
DIGITS = 9
"""Items are ordered after rounding to so many digits: rounding errors depend on the order of the answers."""
RATERS = "rater"
"""The kind of groups that also have a bias."""
ITEMS_OF_GROUP = 5
MOST_GROUPS = 200
"""Groups of one kind in a report: those with the most disagreement."""

Groups = Mapping[str, Ints]
"""The numbers of the ratings of each group, by its name."""


def describe_disagreement(ratings: Ratings, level: PeerLevel, kinds: Mapping[str, Groups]) -> dict[str, Any]:
    """The disagreement of a question as a whole and by each kind of group; `ratings` are without repeats.

    `kinds` has the groups of each kind, such as systems, by numbers of ratings. A rating may be in several groups of a
    kind, or in none.
    """
    peers = peer_distances(ratings, level)
    [whole] = group_rows(peers, {"": np.arange(peers.place.size)})
    return {
        "level": level,
        "all": int(ratings.value.size),
        "raters": int(np.unique(ratings.rater).size),
        "alpha": peers.alpha,
        "whole": whole,
        "by": {kind: _rows(peers, groups, ratings.value.size, kind == RATERS) for kind, groups in kinds.items()},
        "matrix": rater_matrix(ratings, directed=level == "interval"),
        "confusion": value_confusion(ratings),
        "pull": item_pulls(ratings, level, MOST_ITEMS),
        "reason": "" if peers.place.size else NOTHING_SHARED,
    }


def _worst_items(peers: PeerDistances, members: Ints) -> list[int]:
    """The codes of the items with the most disagreement of these ratings in all, the worst first."""
    item, code = np.unique(peers.item[members], return_inverse=True)
    total = sum_by(code, peers.distance[members], item.size)
    total = np.asarray(np.round(total / (total.max(initial=0.0) or 1.0), DIGITS), dtype=np.float64)
    worst = np.argsort(-total, kind="stable")[:ITEMS_OF_GROUP]
    return [int(item[place]) for place in worst if total[place] > 0]


def _rows(peers: PeerDistances, groups: Groups, ratings: int, directed: bool) -> dict[str, Any]:
    """The rows of the groups with a pairable rating, in the order given, and the number of groups left out."""
    number = np.full(ratings, -1, dtype=np.int64)
    number[peers.place] = np.arange(peers.place.size)
    pairable = {name: found for name, own in groups.items() if (found := number[own][number[own] >= 0]).size}
    rows = group_rows(peers, pairable, directed=directed)
    for row in rows:
        row["worst"] = _worst_items(peers, pairable[row["name"]])
    if len(rows) > MOST_GROUPS:
        worst = sorted(rows, key=lambda row: -(row["relative"] or 0.0))[:MOST_GROUPS]
        names = {row["name"] for row in worst}
        return {"rows": [row for row in rows if row["name"] in names], "left_out": len(rows) - MOST_GROUPS}
    return {"rows": rows, "left_out": 0}
