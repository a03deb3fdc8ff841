"""Choices of the best and the worst of several outputs (best-worst scaling, or MaxDiff), as flat arrays.

Louviere, Flynn and Marley 2015, Best-Worst Scaling; Kiritchenko and Mohammad 2017, Best-Worst Scaling More Reliable
than Rating Scales (ACL).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.arrays.rating_arrays import NO_SYSTEM, Floats, Ints, Ratings
from agreement.arrays.tally import sum_by


@dataclass(frozen=True)
class BestWorstAnswers:
    """All current answers to one question, in the order of their submission.

    A set is the outputs of an item that were shown together. Shapes: `set_shown`, `rater`, `best` and `worst` are (R,),
    one entry per answer; `item` is (S,), one entry per set; `member_set` and `member` are (M,), one entry per output
    of a set, ordered by set, with the code of its system. `best` and `worst` are codes of systems in the answer's set.

    Raises ValueError for other shapes or codes.
    """

    set_shown: Ints
    rater: Ints
    best: Ints
    worst: Ints
    item: Ints
    member_set: Ints
    member: Ints
    raters: tuple[str, ...]
    systems: tuple[str, ...]

    def __post_init__(self) -> None:
        answers = (self.set_shown.size,)
        if any(array.shape != answers for array in (self.set_shown, self.rater, self.best, self.worst)):
            raise ValueError("set_shown, rater, best and worst must be flat and of one length")
        if self.member_set.shape != self.member.shape or (np.diff(self.member_set) < 0).any():
            raise ValueError("member_set and member must be of one length and ordered by set")
        if (self.best == self.worst).any():
            raise ValueError("the best and the worst must be different outputs")
        own = self.member_set * max(len(self.systems), 1) + self.member
        for chosen in (self.best, self.worst):
            if not np.isin(self.set_shown * max(len(self.systems), 1) + chosen, own).all():
                raise ValueError("the best and the worst must be in the set shown")

    def of_items(self, keep: np.ndarray) -> "BestWorstAnswers":
        """The answers about the items with a true `keep`, (I,)."""
        return self.only(keep[self.item[self.set_shown]])

    def only(self, kept: np.ndarray) -> "BestWorstAnswers":
        """The answers with a true `kept`, (R,)."""
        return replace(
            self,
            set_shown=self.set_shown[kept],
            rater=self.rater[kept],
            best=self.best[kept],
            worst=self.worst[kept],
        )

    def answered(self) -> "BestWorstAnswers":
        """The same answers, with only the sets and items that have any, renumbered."""
        sets, code = np.unique(self.set_shown, return_inverse=True)
        _, item = np.unique(self.item[sets], return_inverse=True)
        kept = np.isin(self.member_set, sets)
        return replace(
            self,
            set_shown=code.astype(np.int64),
            item=item.astype(np.int64),
            member_set=np.searchsorted(sets, self.member_set[kept]),
            member=self.member[kept],
        )

    def latest(self) -> "BestWorstAnswers":
        """The answers without repeats: the last one per rater and set."""
        key = self.set_shown * max(len(self.raters), 1) + self.rater
        _, last = np.unique(key[::-1], return_index=True)
        kept = np.zeros(key.size, dtype=bool)
        kept[key.size - 1 - last] = True
        return self.only(kept)

    def shown(self) -> tuple[Ints, Ints]:
        """The answer (N,) and the system (N,) of every output that an answer is about, in the order of the answers."""
        size = np.bincount(self.member_set, minlength=self.item.size)
        start = np.cumsum(size) - size
        own = size[self.set_shown]
        answer = np.repeat(np.arange(self.set_shown.size), own)
        place = np.arange(answer.size) - np.repeat(np.cumsum(own) - own, own)
        return answer, self.member[start[self.set_shown][answer] + place]

    def points(self) -> tuple[Ints, Ints, Floats]:
        """What `shown` gives, with 1 for the best output, -1 for the worst and 0 for the others, (N,)."""
        answer, system = self.shown()
        return answer, system, (system == self.best[answer]) * 1.0 - (system == self.worst[answer])

    def implied_pairs(self) -> tuple[Ints, Ints, Ints]:
        """The answer, the better and the worse system of every pair of outputs whose order an answer implies.

        The best is better than all others, and all others are better than the worst; of two outputs that are neither,
        nothing is known. Of n outputs shown these are 2n - 3 pairs.
        """
        answer, system = self.shown()
        below = system != self.best[answer]
        above = below & (system != self.worst[answer])
        return (
            np.concatenate([answer[below], answer[above]]),
            np.concatenate([self.best[answer[below]], system[above]]),
            np.concatenate([system[below], self.worst[answer[above]]]),
        )

    def chosen(self, system: Ints) -> Ratings:
        """Ratings of sets by a system per answer, (R,): its best or its worst."""
        return Ratings(
            unit=self.set_shown,
            rater=self.rater,
            value=system.astype(np.float64),
            item=self.item,
            system=np.full(self.item.size, NO_SYSTEM),
            raters=self.raters,
            systems=(),
        )

    def mean_points(self) -> tuple[Ints, Ints, Floats]:
        """Item, system and mean points of each output."""
        answer, system, points = self.points()
        systems = max(len(self.systems), 1)
        key, code = np.unique(self.item[self.set_shown[answer]] * systems + system, return_inverse=True)
        item, own = np.divmod(key, systems)
        return item, own, sum_by(code, points, key.size) / np.maximum(np.bincount(code, minlength=key.size), 1)


def collect_best_worst(
    items: Sequence[Hashable],
    raters: Sequence[str],
    best: Sequence[str],
    worst: Sequence[str],
    shown: Sequence[Sequence[str]],
) -> BestWorstAnswers:
    """Answers from columns of equal length, one row per answer, in the order of submission.

    `shown` has the ids of the outputs shown, in any order. Items and sets are numbered in the order in which they
    appear, raters and systems by name. Raises ValueError if the columns differ in length.
    """
    if len({len(items), len(raters), len(best), len(worst), len(shown)}) > 1:
        raise ValueError("the columns differ in length")
    rater_names = tuple(sorted(set(raters)))
    system_names = tuple(sorted({output for outputs in shown for output in outputs}))
    rater_code = {name: code for code, name in enumerate(rater_names)}
    system_code = {name: code for code, name in enumerate(system_names)}
    item_code: dict[Hashable, int] = {}
    sets: dict[tuple[int, tuple[int, ...]], int] = {}
    set_shown = []
    for item, outputs in zip(items, shown, strict=True):
        codes = tuple(sorted({system_code[output] for output in outputs}))
        set_shown.append(sets.setdefault((item_code.setdefault(item, len(item_code)), codes), len(sets)))
    return BestWorstAnswers(
        set_shown=np.array(set_shown, dtype=np.int64),
        rater=np.array([rater_code[name] for name in raters], dtype=np.int64),
        best=np.array([system_code.get(name, NO_SYSTEM) for name in best], dtype=np.int64),
        worst=np.array([system_code.get(name, NO_SYSTEM) for name in worst], dtype=np.int64),
        item=np.array([item for item, _ in sets], dtype=np.int64),
        member_set=np.repeat(np.arange(len(sets)), [len(codes) for _, codes in sets]).astype(np.int64),
        member=np.array([code for _, codes in sets for code in codes], dtype=np.int64),
        raters=rater_names,
        systems=system_names,
    )
