"""Several judges as one: the majority of their choices, the mean of their scores (Verga et al. 2024, PoLL).

Only what every judge answered has an answer of the panel. Choices without one most common answer are a tie. Scores are
averaged as they are, so judges of a panel should use the same scale; rankings are averaged as s_i. The panel's first
rerun combines the judges' first reruns, and so on: it has as many as the judge with the fewest.

A pair that all judges answered in the same orders has an answer of the panel for each order. Otherwise every judge has
one vote per pair, the majority of its own answers, and the order counts as unknown.

Source: Verga et al. 2024, *Replacing Judges with Juries*.
"""

from collections.abc import Sequence

import numpy as np

from agreement.arrays.pair_choices import CHOICES, TIE, UNKNOWN
from agreement.arrays.rating_arrays import Ints
from agreement.meta_evaluation.choice_figures import NO_MAJORITY, majority_of
from agreement.meta_evaluation.compared_answers import Judge, Rerun, rerun_of_choices, rerun_of_scores
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, OutputScores

KINDS = len(CHOICES)


def panel_of(name: str, judges: Sequence[Judge], outputs: Outputs) -> Judge:
    """The panel as a judge, of the family of any of its judges; that is unknown if one of theirs is.

    `about` has the judges' names under `panel`, and under `left_out` the outputs or pairs that only some of them
    answered, of the first rerun.

    Raises ValueError without judges, or for judges that answered in different shapes.
    """
    shapes = {rerun.shape for judge in judges for rerun in judge.reruns}
    if len(shapes) != 1:
        raise ValueError("a panel needs judges that all answered in the same shape")
    choosing = shapes == {"choice"}
    combined, left_out = [], []
    for together in zip(*(judge.reruns for judge in judges), strict=False):
        rerun, missing = (_of_choices if choosing else _of_scores)(name, together, outputs)
        combined.append(rerun)
        left_out.append(missing)
    families = [judge.own_family for judge in judges]
    known = [family for family in families if family is not None]
    own = np.any(known, axis=0) if len(known) == len(families) else None
    return Judge(name, combined, own, {"panel": [judge.name for judge in judges], "left_out": left_out[0]})


def _of_scores(name: str, reruns: Sequence[Rerun], outputs: Outputs) -> tuple[Rerun, int]:
    means = np.stack([rerun.scores.means(outputs) for rerun in reruns])
    scored = ~np.isnan(means)
    output = np.flatnonzero(scored.all(axis=0))
    value = means[:, output].mean(axis=0)
    scores = OutputScores(output, np.zeros(output.size, dtype=np.int64), value, (name,))
    return rerun_of_scores(outputs, scores, reruns[0].shape), int(scored.any(axis=0).sum()) - output.size


def _of_choices(name: str, reruns: Sequence[Rerun], outputs: Outputs) -> tuple[Rerun, int]:
    pair = np.concatenate([rerun.choices.pair(outputs) for rerun in reruns])
    order = np.concatenate([rerun.choices.shown_first for rerun in reruns])
    choice = np.concatenate([rerun.choices.choice for rerun in reruns])
    judge = np.repeat(np.arange(len(reruns)), [rerun.choices.choice.size for rerun in reruns])
    pairs, pair = np.unique(pair, return_inverse=True)
    asked = pair * 3 + order + 1
    (of_asked, _), votes = _votes(asked, judge, choice, len(reruns))
    complete = np.bincount(of_asked, minlength=3 * pairs.size) == len(reruns)
    some = np.bincount(of_asked, minlength=3 * pairs.size) > 0
    in_orders = (complete == some).reshape(-1, 3).all(axis=1)

    kept, result = _majorities(of_asked, votes, 3 * pairs.size)
    separate = in_orders[kept // 3]
    place, shown, answer = kept[separate] // 3, kept[separate] % 3 - 1, result[separate]

    (of_pair, _), votes = _votes(pair, judge, choice, len(reruns))
    answered = np.bincount(of_pair, minlength=pairs.size) == len(reruns)
    kept, result = _majorities(of_pair, votes, pairs.size)
    pooled = answered[kept] & ~in_orders[kept]
    place, answer = np.concatenate([place, kept[pooled]]), np.concatenate([answer, result[pooled]])
    shown = np.concatenate([shown, np.full(int(pooled.sum()), UNKNOWN)])

    first, second = np.divmod(pairs[place], max(outputs.size, 1))
    choices = OutputChoices(first, second, np.zeros(place.size, dtype=np.int64), answer, shown, (name,))
    return rerun_of_choices(outputs, choices), pairs.size - np.unique(place).size


def _votes(group: Ints, judge: Ints, choice: Ints, judges: int) -> tuple[tuple[Ints, Ints], Ints]:
    """Each judge's one vote about each group that it answered: group and judge, ascending, and the choice."""
    own, vote = _majorities(group * judges + judge, choice, (int(group.max(initial=-1)) + 1) * judges)
    return (own // judges, own % judges), vote


def _majorities(group: Ints, choice: Ints, groups: int) -> tuple[Ints, Ints]:
    """The groups with a choice, ascending, and the most common choice of each, TIE if there is not one."""
    counts = np.bincount(group * KINDS + choice, minlength=groups * KINDS).reshape(-1, KINDS).astype(np.float64)
    there = np.flatnonzero(counts.any(axis=1))
    most = majority_of(counts[there])
    return there, np.where(most == NO_MAJORITY, TIE, most)
