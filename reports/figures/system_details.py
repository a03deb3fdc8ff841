"""Systems as people and each judge see them: strengths and ranks, win rates at equal length, and without style."""

from collections.abc import Mapping, Sequence

import numpy as np

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.length_controlled import LengthControlled, length_controlled_win_rates
from agreement.meta_evaluation.output_answers import OutputChoices, Outputs
from agreement.meta_evaluation.style_controlled import Strength, StyleControlled, relative_differences, style_controlled
from reports.figures.judge_details import REPLICATES, SEED, put


def system_details(
    choices: OutputChoices, outputs: Outputs, styles: Floats, features: Sequence[str], baseline: str | None,
    replicates: int = REPLICATES,
) -> Report:  # fmt: skip
    """The entries `strengths`, `style_controlled` and, if there is a `baseline`, `length_controlled`.

    `choices` are a judge's or people's between two outputs; `styles` (O, F) are the outputs' `features`.
    """
    plain = style_controlled(choices, outputs, np.zeros((choices.choice.size, 0)), (), replicates=replicates, seed=SEED)
    report: Report = {"judgments": plain.judgments, "items": plain.items, "strengths": _strengths(plain.strengths)}
    differences = relative_differences(choices, styles)
    report["style_controlled"] = _controlled(
        style_controlled(choices, outputs, differences, features, replicates=replicates, seed=SEED)
    )
    if baseline is not None:
        rates = length_controlled_win_rates(choices, outputs, baseline)
        report["length_controlled"] = {name: _rates(one) for name, one in rates.items()}
    return report


def baseline_of(systems: Mapping[str, Mapping[str, object]], names: Sequence[str]) -> str | None:
    """The system that the study calls its baseline, otherwise the first; None if nobody is to be compared with it."""
    if len(names) <= 1:
        return None
    return next((name for name in names if systems.get(name, {}).get("baseline")), names[0])


def _controlled(found: StyleControlled) -> Report:
    effects: Report = {}
    for one in found.effects:
        entry: Report = {"value": one.value, "value_ci": None if one.interval is None else list(one.interval)}
        effects[one.feature] = entry | {"undefined": {"value": one.reason} if one.reason else {}}
    return {"strengths": _strengths(found.strengths), "effects": effects}


def _strengths(found: Sequence[Strength]) -> Report:
    return {
        one.system: {
            "value": one.value,
            "value_ci": None if one.interval is None else list(one.interval),
            "rank": one.rank,
            "rank_ci": None if one.rank_interval is None else list(one.rank_interval),
            "undefined": {"value": one.reason} if one.reason else {},
        }
        for one in found
    }


def _rates(one: LengthControlled) -> Report:
    report: Report = {"choices": one.choices, "items": one.items, "difficulty": one.difficulty}
    undefined: dict[str, str] = {}
    for name in ("win_rate", "controlled", "length_effect"):
        put(report, undefined, name, getattr(one, name))
    return report | {"undefined": undefined}
