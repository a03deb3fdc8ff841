"""Seeded samples of turns to label, and the shares of the labels in a sample with their intervals.

Source: Xu et al. 2024, *KIWI*, section 4.3 and appendix A: 20 turns with an information instruction, rated neutral or
bad, examined for what retrieval found (sufficient passages for 50 %, some for 20 %, none for 30 %); 30 failed turns, 10
per model, grouped into categories of errors. Intervals are those of Clopper and Pearson (1934), which never cover less
than 95 %: the sample was drawn from many more turns (reading: the paper gives none).
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from hashlib import sha256

from scipy.stats import binomtest

from agreement.report_entries import Report
from agreement.turn_figures import GOOD, TurnRow, share

CONFIDENCE = 0.95
NOT_LABELLED = "no turn of the sample has a label"

TurnKey = tuple[str, int]
"""A session and the number of one of its turns."""


def sampled_turns(
    turns: Sequence[TurnRow], size: int, *, seed: int, kind: str | None = None, failed: bool = False,
    per_model: bool = False,
) -> list[TurnKey]:  # fmt: skip
    """Up to `size` turns, or `size` of each model, in a seeded order: those of a smaller sample come first.

    With `kind`, only turns with such an instruction; with `failed`, only turns rated neutral or bad. The order of
    `turns` makes no difference.
    """
    fitting = [turn for turn in turns if kind in (None, turn.kind) and (not failed or turn.rating not in (None, GOOD))]
    ordered = sorted(fitting, key=lambda turn: sha256(f"{seed} {turn.number} {turn.session}".encode()).digest())
    if not per_model:
        return [(turn.session, turn.number) for turn in ordered[:size]]
    models = sorted({turn.model for turn in ordered})
    of_models = [[turn for turn in ordered if turn.model == model][:size] for model in models]
    return [(turn.session, turn.number) for own in of_models for turn in own]


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
