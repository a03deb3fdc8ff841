"""Rankings of the outputs of an item as flat arrays, and what they become: scores, pairs, units."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.choices import FIRST, SECOND, TIE, UNKNOWN, Choices
from agreement.data import Floats, Ints


@dataclass(frozen=True)
class Rankings:
    """All current rankings of one question, in the order of their submission.

    Shapes: `item` and `rater` are (N,), one entry a ranking; `ranking`, `system`, `rank`, `position` and
    `length` are (E,), one entry a ranked output, ordered by ranking and within it by system, each at most
    once. A ranking may be of some of the item's outputs only.

    `rank` is 1 or more, 1 the best; ties and gaps are kept as given. `position` is where the output stood on
    the rater's page from 0, or UNKNOWN; `length` the output's length in any unit, NaN where unknown.

    Raises ValueError where shapes, codes or the order are not so.
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
            raise ValueError("entries must be ordered by ranking, then by system, each system once a ranking")
        if not np.issubdtype(self.rank.dtype, np.integer) or (self.rank < 1).any():
            raise ValueError("a rank is not a whole number from 1 on")

    @property
    def size(self) -> Ints:
        """How many outputs each ranking ranks, (N,)."""
        return np.bincount(self.ranking, minlength=self.item.size)

    def scores(self) -> Floats:
        """s_i = N - |{j: r_j < r_i}| of each entry, (E,): N for the best, ties alike (InstruSum, equation 2)."""
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
        """The rankings (numbers) that are their rater's last of their item and `kind`, (N,) codes."""
        key = (self.item * (int(kind.max(initial=0)) + 1) + kind) * max(len(self.raters), 1) + self.rater
        _, last = np.unique(key[::-1], return_index=True)
        return np.sort(key.size - 1 - last)

    def of_items(self, keep: np.ndarray) -> "Rankings":
        """The rankings of the items whose `keep`, (I,) of booleans, is true."""
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
        """The same rankings with items renumbered to those that have any."""
        _, item = np.unique(self.item, return_inverse=True)
        return replace(self, item=item.astype(np.int64))

    def rows(self, code: Ints) -> Ints:
        """The codes (E,) of each ranking as a sorted row, (N, longest), filled up with -1."""
        size = self.size
        table = np.full((self.item.size, int(size.max(initial=0))), -1, dtype=np.int64)
        place = np.arange(self.ranking.size) - (np.cumsum(size) - size)[self.ranking]
        table[self.ranking, place] = code
        return np.sort(table, axis=1)

    def choices(self) -> Choices:
        """Each ranking as judgments of its pairs: the better rank wins, the same rank is a tie."""
        first, second = self.pairs()
        ranking = self.ranking[first]
        better = np.sign(self.rank[first] - self.rank[second])
        earlier = np.sign(self.position[first] - self.position[second])
        known = (self.position[first] >= 0) & (self.position[second] >= 0) & (earlier != 0)
        systems = len(self.systems)
        key = (self.item[ranking] * systems + self.system[first]) * systems + self.system[second]
        _, example, pair = np.unique(key, return_index=True, return_inverse=True)
        return Choices(
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
        )

    def pairs(self) -> tuple[Ints, Ints]:
        """The entries of every unordered pair of outputs of every ranking, in the order of the rankings."""
        return pairs_within(self.size)


def pairs_within(size: Ints) -> tuple[Ints, Ints]:
    """All pairs i < j of places in consecutive groups of `size` (N,) places, two arrays of one length.

    Costs one array of pairs, in the order of the first of each.
    """
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
    """Rankings from columns of one length, a row a ranking, in the order of submission.

    `ranks` holds {output id: rank}, `shown` the ids in the order in which they stood or None, `lengths` the
    length of outputs by item and id. Items are numbered as they first appear, raters and systems sorted.

    Raises ValueError where the columns differ in length or a rank is not a whole number from 1 on.
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
                raise ValueError("a rank is not a whole number from 1 on")
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
