"""Which outputs of an item people and a judge find best, and whether the judge prefers its own family (riSum, table 5).

Winners are all outputs that share the best value. The two agree perfectly if their sets of winners are equal, and
disagree if no output is in both.
"""

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import Shares
from agreement.meta_evaluation.output_answers import Outputs, rounded
from agreement.meta_evaluation.score_figures import ScoredOutputs

NO_ITEMS = "no item has two outputs that both scored"
NO_DISAGREEMENT = "there is no item on whose best output they disagree"
NO_FAMILY = "the study does not say which family the judge and the outputs' systems belong to"


def winner_figures(scored: ScoredOutputs, outputs: Outputs, own_family: np.ndarray | None) -> Shares:
    """Shares of items: perfect agreement, disagreement, and, of the disagreements, the judge's own family winning.

    `own_family` (S,) is true for the systems of the judge's family; None if that is not known.
    """
    item = outputs.item[scored.output]
    people, judge = (_is_best(item, score, outputs.items) for score in (scored.people, scored.judge))
    enough = np.bincount(item, minlength=outputs.items) > 1
    shared = sum_by(item, people & judge, outputs.items) > 0
    other = sum_by(item, people != judge, outputs.items) > 0
    apart = enough & ~shared
    own = np.zeros(outputs.items, dtype=bool)
    if own_family is not None:
        own = sum_by(item, judge & own_family[outputs.system[scored.output]], outputs.items) > 0
    known = own_family is not None
    return Shares(
        keys=(("winners", "perfect_agreement"), ("winners", "disagreement"), ("winners", "prefers_own_family")),
        numerator=np.stack([enough & ~other, apart, apart & own], axis=1).astype(np.float64),
        denominator=np.stack([enough, enough, apart & known], axis=1).astype(np.float64),
        reasons=(NO_ITEMS, NO_ITEMS, NO_DISAGREEMENT if known else NO_FAMILY),
    )


def _is_best(item: Ints, score: Floats, items: int) -> np.ndarray:
    """Whether each score is the greatest of its item."""
    score = rounded(score)
    best = np.full(items, -np.inf)
    np.maximum.at(best, item, score)
    return np.asarray(score == best[item])
