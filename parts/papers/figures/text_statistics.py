"""How long texts are, by group: documents by source, requirements, or outputs by system.

Source: Skopek et al. 2023, riSum, Table 1 (minimum, median and maximum of words by data source); Liu et al. 2024,
InstruSum, Table 2 (mean words of articles, requirements and summaries).
"""

from collections.abc import Sequence

import numpy as np

from agreement.arrays.rating_arrays import Floats, Ints
from agreement.intervals.report_entries import Report

NO_TEXT = "the group has no text with such a count"
ONE_TEXT = "a standard error needs two texts"
ALL = "all"
FIGURES = ("min", "median", "mean", "mean_se", "max")


def text_statistics(group: Ints, words: Floats, names: Sequence[str], *, sentences: Floats | None = None) -> Report:
    """`groups` by name, and `all` texts together: {texts, words, sentences}, the last if counts of them are given.

    `group`, `words` and `sentences` are (N,), one entry per text: the place of its group in `names`, and its counts,
    NaN if unknown. The entry of a count is {n, min, median, mean, mean_se, max}, over the `n` texts with a known count;
    `mean_se` is the sample standard deviation over the square root of n. `undefined` has the reasons by dotted name.

    Raises ValueError for arrays of different lengths, or a group out of range.
    """
    counts = {"words": words} if sentences is None else {"words": words, "sentences": sentences}
    if any(count.shape != group.shape for count in counts.values()):
        raise ValueError("group, words and sentences must have one entry per text")
    if group.size and (group.min() < 0 or group.max() >= len(names)):
        raise ValueError("a group is out of range")
    undefined: dict[str, str] = {}

    def entry(path: str, own: np.ndarray) -> Report:
        found: Report = {"texts": int(own.sum())}
        for name, count in counts.items():
            found[name], reasons = _five_numbers(count[own & np.isfinite(count)])
            undefined.update({f"{path}.{name}.{key}": reason for key, reason in reasons.items()})
        return found

    groups = {name: entry(f"groups.{name}", group == code) for code, name in enumerate(names)}
    return {"groups": groups, ALL: entry(ALL, np.ones(group.size, dtype=bool)), "undefined": undefined}


def _five_numbers(values: Floats) -> tuple[Report, dict[str, str]]:
    """The entry of one count, (n,), and the reasons for its undefined figures."""
    if not values.size:
        return {"n": 0, **dict.fromkeys(FIGURES)}, dict.fromkeys(FIGURES, NO_TEXT)
    several = values.size > 1
    found: Report = {
        "n": int(values.size),
        "min": float(values.min()),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
        "mean_se": float(values.std(ddof=1) / np.sqrt(values.size)) if several else None,
        "max": float(values.max()),
    }
    return found, {} if several else {"mean_se": ONE_TEXT}
