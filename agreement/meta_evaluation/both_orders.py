"""A judge asked about the same pairs in both orders (InstruSum, appendix I and table 14).

Only pairs on which all people agree on an output, and which the judge answered in both orders, count. Accuracy and
alpha are those of the answers in both orders together, because which order of a pair is called the first means nothing;
self-accuracy is the share of pairs for which the judge chose the same output in both orders, self-alpha its alpha with
itself.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.pair_choices import FIRST, SECOND, TIE
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import ItemRatio, Key
from agreement.meta_evaluation.choice_figures import KINDS, PairCounts
from agreement.meta_evaluation.confusion import ConfusionSums, confusion
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs

NOT_ASKED_TWICE = "the judge answered no pair, on which all people agree, in both orders"
ONE_ANSWER = "only one and the same answer was given"


@dataclass(frozen=True)
class BothOrders:
    """People's and the judge's choices in both orders, as counts per item, and the judge's two choices."""

    judged: ConfusionSums
    itself: ConfusionSums

    @property
    def keys(self) -> tuple[Key, ...]:
        return tuple(("both_orders", name) for name in ("accuracy", "alpha", "self_accuracy", "self_alpha"))

    def reason(self, key: Key) -> str:
        return ONE_ANSWER if self.itself.counts.sum() else NOT_ASKED_TWICE

    @property
    def pairs(self) -> int:
        return int(self.itself.counts.sum())

    def at(self, weights: Floats) -> Floats:
        return np.concatenate([_accuracy_and_alpha(sums, weights) for sums in (self.judged, self.itself)], axis=1)

    def ratio(self, key: Key) -> ItemRatio | None:
        """The accuracies are shares of pairs."""
        sums = {"accuracy": self.judged, "self_accuracy": self.itself}.get(key[-1])
        found = None if sums is None else sums.ratio(("accuracy",))
        if found is None or sums is self.itself:
            return found
        return ItemRatio(found.above / 2, found.below / 2, found.ends)


def both_orders(judge: OutputChoices, people: PairCounts, outputs: Outputs) -> BothOrders:
    """The pairs that the judge answered in both orders and on which all of at least two people prefer one output."""
    counts = people.counts
    agreed = (counts.max(axis=1, initial=0) == counts.sum(axis=1)) & (counts.sum(axis=1) > 1) & (counts[:, TIE] == 0)
    place, there = people.find(judge.pair(outputs))
    answers = [_last_answer(judge, place, there, order, people.pair.size) for order in (FIRST, SECOND)]
    used = np.flatnonzero(agreed & (answers[0] >= 0) & (answers[1] >= 0))
    item, best, shape = people.item[used], counts[used].argmax(axis=1).astype(np.int64), (outputs.items, KINDS)
    first, second = (answer[used] for answer in answers)
    return BothOrders(
        confusion(np.tile(item, 2), np.tile(best, 2), np.concatenate([first, second]), shape, sides=outputs.sides),
        confusion(item, first, second, shape, sides=outputs.sides),
    )


def _last_answer(judge: OutputChoices, place: Ints, there: np.ndarray, order: int, pairs: int) -> Ints:
    """The judge's last choice about each pair shown in this order, (P,), -1 if there is none."""
    answer = np.full(pairs, -1, dtype=np.int64)
    rows = np.flatnonzero(there & (judge.shown_first == order))
    answer[place[rows]] = judge.choice[rows]
    return answer


def _accuracy_and_alpha(sums: ConfusionSums, weights: Floats) -> Floats:
    columns = [sums.keys.index((name,)) for name in ("accuracy", "alpha_nominal")]
    return sums.at(weights)[:, columns]
