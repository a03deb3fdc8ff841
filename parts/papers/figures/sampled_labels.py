"""The shares of the labels in a seeded sample of turns, with their intervals.

Source: Xu et al. 2024, *KIWI*, section 4.3 and appendix A: 20 turns with an information instruction, rated neutral or
bad, examined for what retrieval found (sufficient passages for 50 %, some for 20 %, none for 30 %); 30 failed turns, 10
per model, grouped into categories of errors. Intervals are those of Clopper and Pearson (1934), which never cover less
than 95 %: the sample was drawn from many more turns (reading: the paper gives none).
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from scipy.stats import binomtest

from agreement.intervals.report_entries import Report
from agreement.turns.turn_figures import share

CONFIDENCE = 0.95
NOT_LABELLED = "no turn of the sample has a label"


def sampled_shares(sample: Sequence[Hashable], labels: Mapping[Hashable, str], names: Sequence[str] = ()) -> Report:
    """`labels`, by name: {n, of, share, share_ci} of the labelled turns of the sample; `unlabelled` counts the others.

    `labels` has the label of each turn, `names` labels that are reported even if they never occur.
    """
    found = Counter(labels[turn] for turn in sample if turn in labels)
    of = found.total()
    entries = {name: _entry(found[name], of) for name in [*names, *sorted(set(found) - set(names))]}
    undefined = (
        {} if of else {f"labels.{name}.{key}": NOT_LABELLED for name in entries for key in ("share", "share_ci")}
    )
    return {"sample": len(sample), "unlabelled": len(sample) - of, "labels": entries, "undefined": undefined}


def _entry(n: int, of: int) -> Report:
    interval = binomtest(n, of).proportion_ci(CONFIDENCE) if of else None
    return {**share(n, of), "share_ci": None if interval is None else [float(interval.low), float(interval.high)]}
