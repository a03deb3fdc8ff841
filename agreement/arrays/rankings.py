"""Rankings of an item's outputs as flat arrays, with the scores and pairs derived from them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE, UNKNOWN, PairChoices
from agreement.arrays.rating_arrays import Floats, Ints


@dataclass(frozen=True)
class Rankings:
    """All current rankings of one question, in the order of their submission.

    Shapes: `item` and `rater` are (N,), one entry per ranking; `ranking`, `system`, `rank`, `position` and `length`
    are (E,), one entry per ranked output, ordered by ranking and then by system, each system at most once. A ranking
    may cover only some of the item's outputs.

    `rank` is 1 or more, 1 is best; ties and gaps are kept as given. `position` is the output's position on the rater's
    page, from 0, or UNKNOWN; `length` is the output's length in any unit, NaN if unknown. `by_name` is that of the
    pairs in the rankings (`PairChoices`).

    Raises ValueError for other shapes, codes or orders.
    """

    item: Ints
    rater: Ints
    ranking: Ints
    system: Ints
    rank: Ints
    position: Ints
    length: Floats
    raters: tuple[str, ...]
    systems: tuple[str, ...]
    by_name: bool = False

    def __post_init__(self) -> None:
        entries = (self.ranking.size,)
        if self.item.shape != self.rater.shape or self.item.shape != (self.item.size,):
            raise ValueError("item and rater must be flat and of one length")
        entry_arrays = (self.ranking, self.system, self.rank, self.position, self.length)
        if any(array.shape != entries for array in entry_arrays):
            raise ValueError("ranking, system, rank, position and length must be flat and of one length")
        for code, end in (
            (self.rater, len(self.raters)),
            (self.ranking, self.item.size),
            (self.system, len(self.systems)),
        ):
            if code.size and (code.min() < 0 or code.max() >= end):
                raise ValueError("a code of a ranking, rater or system is out of range")
        if (np.diff(self.ranking * max(len(self.systems), 1) + self.system) <= 0).any():
            raise ValueError("entries must be ordered by ranking, then by system, with each system once per ranking")
        if not np.issubdtype(self.rank.dtype, np.integer) or (self.rank < 1).any():
            raise ValueError("a rank must be a whole number of 1 or more")

    @property
    def size(self) -> Ints:
        """The number of outputs in each ranking, (N,)."""
        return np.bincount(self.ranking, minlength=self.item.size)

    def scores(self) -> Floats:
        """s_i = N - |{j: r_j < r_i}| of each entry, (E,): N for the best, the same for ties (InstruSum, equation 2)."""
        order = np.lexsort((self.rank, self.ranking))
        ranking, rank = self.ranking[order], self.rank[order]
        start = np.append(True, ranking[1:] != ranking[:-1])[: rank.size]
        new = start.copy()
        new[1:] |= rank[1:] != rank[:-1]
        place = np.arange(rank.size)
        better = np.maximum.accumulate(np.where(new, place, 0)) - np.maximum.accumulate(np.where(start, place, 0))
        scores = np.empty(rank.size)
        scores[order] = self.size[ranking] - better
        return scores

    def latest(self, kind: Ints) -> Ints:
        """The numbers of the rankings that are their rater's last one of their item and `kind`, (N,) codes."""
        key = (self.item * (int(kind.max(initial=0)) + 1) + kind) * max(len(self.raters), 1) + self.rater
        _, last = np.unique(key[::-1], return_index=True)
        return np.sort(key.size - 1 - last)

    def of_items(self, keep: np.ndarray) -> "Rankings":
        """The rankings of the items with a true `keep`, (I,)."""
        return self.only(np.flatnonzero(keep[self.item]))

    def only(self, rankings: Ints) -> "Rankings":
        """The rankings with these ascending numbers."""
        number = np.full(self.item.size, -1)
        number[rankings] = np.arange(rankings.size)
        entry = number[self.ranking] >= 0
        return replace(
            self,
            item=self.item[rankings],
            rater=self.rater[rankings],
            ranking=number[self.ranking[entry]],
            system=self.system[entry],
            rank=self.rank[entry],
            position=self.position[entry],
            length=self.length[entry],
        )

    def ranked(self) -> "Rankings":
        """The same rankings, with only the items that have any, renumbered."""
        _, item = np.unique(self.item, return_inverse=True)
        return replace(self, item=item.astype(np.int64))

    def rows(self, code: Ints) -> Ints:
        """The codes (E,) of each ranking as a sorted row, (N, longest), padded with -1."""
        size = self.size
        table = np.full((self.item.size, int(size.max(initial=0))), -1, dtype=np.int64)
        place = np.arange(self.ranking.size) - (np.cumsum(size) - size)[self.ranking]
        table[self.ranking, place] = code
        return np.sort(table, axis=1)

    def choices(self) -> PairChoices:
        """Each ranking as judgments of its pairs: the better rank wins, equal ranks tie."""
        first, second = self.pairs()
        ranking = self.ranking[first]
        better = np.sign(self.rank[first] - self.rank[second])
        earlier = np.sign(self.position[first] - self.position[second])
        known = (self.position[first] >= 0) & (self.position[second] >= 0) & (earlier != 0)
        systems = len(self.systems)
        key = (self.item[ranking] * systems + self.system[first]) * systems + self.system[second]
        _, example, pair = np.unique(key, return_index=True, return_inverse=True)
        return PairChoices(
            pair=pair.astype(np.int64),
            rater=self.rater[ranking],
            choice=np.choose(better + 1, [FIRST, TIE, SECOND]).astype(np.int64),
            shown_first=np.where(known, np.where(earlier < 0, FIRST, SECOND), UNKNOWN),
            item=self.item[ranking][example],
            first=self.system[first][example],
            second=self.system[second][example],
            length=np.stack([self.length[first][example], self.length[second][example]], axis=1),
            raters=self.raters,
            systems=self.systems,
            by_name=self.by_name,
        )

    def pairs(self) -> tuple[Ints, Ints]:
        """The entries of every unordered pair of outputs in every ranking, in the order of the rankings."""
        return pairs_within(self.size)


def pairs_within(size: Ints) -> tuple[Ints, Ints]:
    """All pairs i < j of places within consecutive groups of `size` (N,) places, as two arrays, ordered by i."""
    after = np.arange(int(size.sum()))
    group_end = np.repeat(np.cumsum(size), size)
    partners = group_end - after - 1
    first = np.repeat(after, partners)
    run = np.arange(first.size) - np.repeat(np.cumsum(partners) - partners, partners)
    return first, first + 1 + run


def collect_rankings(
    items: Sequence[Hashable],
    raters: Sequence[str],
    ranks: Sequence[Mapping[str, int]],
    shown: Sequence[Sequence[str] | None] | None = None,
    lengths: Mapping[tuple[Hashable, str], float] | None = None,
) -> Rankings:
    """Rankings from columns of equal length, one row per ranking, in the order of submission.

    `ranks` has {output id: rank}, `shown` the ids in the order in which they were shown or None, `lengths` the length
    of outputs by item and id. Items are numbered in the order in which they appear, raters and systems by name.

    Raises ValueError if the columns differ in length or a rank is not a whole number of 1 or more.
    """
    orders = [None] * len(items) if shown is None else shown
    if len({len(items), len(raters), len(ranks), len(orders)}) > 1:
        raise ValueError("the columns differ in length")
    rater_names = tuple(sorted(set(raters)))
    system_names = tuple(sorted({output for row in ranks for output in row}))
    rater_code = {name: code for code, name in enumerate(rater_names)}
    system_code = {name: code for code, name in enumerate(system_names)}
    item_code: dict[Hashable, int] = {}
    known = lengths or {}
    entries: list[tuple[int, int, int, int]] = []
    length: list[float] = []
    for row, (item, given, order) in enumerate(zip(items, ranks, orders, strict=True)):
        item_code.setdefault(item, len(item_code))
        place = {output: position for position, output in enumerate(order or ())}
        for output in sorted(given):
            if isinstance(given[output], bool) or not isinstance(given[output], int):
                raise ValueError("a rank must be a whole number of 1 or more")
            entries.append((row, system_code[output], given[output], place.get(output, UNKNOWN)))
            length.append(known.get((item, output), np.nan))
    table = np.array(entries, dtype=np.int64).reshape(len(entries), 4)
    return Rankings(
        item=np.array([item_code[item] for item in items], dtype=np.int64),
        rater=np.array([rater_code[name] for name in raters], dtype=np.int64),
        ranking=table[:, 0],
        system=table[:, 1],
        rank=table[:, 2],
        position=table[:, 3],
        length=np.array(length, dtype=np.float64),
        raters=rater_names,
        systems=system_names,
    )
