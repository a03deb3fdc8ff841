"""Agreement in pairwise comparison of a judge, people and an oracle that prefers more words (InstruSum, Table 9).

Each comparison is Krippendorff's alpha with MASI distances between two raters, over the same judgments (reading: the
paper's values go below 0, so they are corrected for chance). People prefer the output with the higher mean score, such
as the mean s_i; equal means tie. The oracle ties outputs of equal length.
"""

from dataclasses import dataclass

import numpy as np

from agreement.arrays.pair_choices import CHOICES
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.bootstrap import ItemSums, Key
from agreement.intervals.interval_report import REPLICATES, SEED, interval_report
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.confusion import MASI_OF_PAIRS, ConfusionSums, confusion
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs, choice_of, rounded

NOTHING_SHARED = "the judge answered no pair with two known lengths and two scores by people"
ONE_CHOICE = "both made one and the same choice throughout"
COMPARED = (("people", "oracle"), ("judge", "oracle"), ("judge", "people"))


def length_oracle_report(
    people: Floats, judge: OutputChoices, outputs: Outputs, *, replicates: int = REPLICATES, seed: int = SEED
) -> Report:
    """`people_oracle`, `judge_oracle` and `judge_people`: alphas with MASI, each with `x_ci`.

    `people` (O,) is people's mean score of each output, NaN without one. Each of the judge's choices counts, so a pair
    judged in both orders counts twice. Choices about outputs of unknown length or without scores are left out.
    {judgments, pairs, left_out, the three alphas, bootstrap, undefined}.
    """
    known = np.isfinite(people) & np.isfinite(outputs.length)
    used = known[judge.first] & known[judge.second]
    kept = judge.only(used)
    item = outputs.item[kept.first]
    columns = {
        "people": _preferred(people, kept),
        "oracle": _preferred(outputs.length, kept),
        "judge": kept.choice,
    }
    shape = (outputs.items, len(CHOICES))
    figures: list[ItemSums] = [
        PairedAlpha(
            f"{left}_{right}",
            confusion(item, columns[left], columns[right], shape, distances=MASI_OF_PAIRS, sides=outputs.sides),
        )
        for left, right in COMPARED
    ]
    report = interval_report(figures, outputs.items, replicates=replicates, seed=seed)
    counts = {"judgments": kept.choice.size, "pairs": np.unique(kept.pair(outputs)).size}
    return {**counts, "left_out": int((~used).sum()), **report}


def _preferred(score: Floats, choices: OutputChoices) -> Ints:
    """The choice that a rater with these scores makes about each pair."""
    score = rounded(score)
    return choice_of(score[choices.first], score[choices.second])


@dataclass(frozen=True)
class PairedAlpha:
    """Only the alpha with MASI of two columns of choices, called `name`."""

    name: str
    sums: ConfusionSums

    @property
    def keys(self) -> tuple[Key, ...]:
        return ((self.name,),)

    def at(self, weights: Floats) -> Floats:
        return self.sums.at(weights)[:, [self.sums.keys.index(("alpha_masi",))]]

    def reason(self, key: Key) -> str:
        return ONE_CHOICE if self.sums.counts.sum() else NOTHING_SHARED
