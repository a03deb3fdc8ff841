"""What the leaderboard says of one judge: may it replace a person, biases, calibration, corrected means."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agreement.catalogue.meta_catalogue import BEYOND_AGREEMENT
from agreement.catalogue.report_catalogue import Figure
from reports.pages.display.plot_data import PlotData, PlotPoint
from reports.pages.display.plots import CalibrationPlot, calibration_plot
from reports.pages.display.printed_figures import UNIT, PrintedFigure, axis_around, number, p_value, printed

Json = Mapping[str, Any]
YES, NO, UNKNOWN = "yes", "no", "cannot be said"
METHODS = ("people", "judge", "prediction_powered", "sensitivity_specificity")


@dataclass(frozen=True)
class PersonTested:
    """The test against one person, as text."""

    name: str
    items: int
    judge_advantage: str
    person_advantage: str
    p: str
    verdict: str


@dataclass(frozen=True)
class ReplacementTest:
    """The answer to *may it replace a person?*, with the winning rate and the advantage probability.

    `constant` and `shuffled` are the winning rates of judges that know nothing, `alpha` is people's.
    """

    name: str
    verdict: str
    omega: str
    rho: PrintedFigure
    constant: str
    shuffled: str
    alpha: PrintedFigure
    epsilon: str
    by: str
    missing: list[str]
    reason: str
    people: list[PersonTested]


@dataclass(frozen=True)
class BiasLine:
    figure: Figure
    judge: PrintedFigure
    people: PrintedFigure | None
    difference: PrintedFigure | None
    verdict: str
    sentence: str


@dataclass(frozen=True)
class ShownCalibration:
    plot: CalibrationPlot
    bins: list[tuple[str, int, str, str]]
    figures: list[PrintedFigure]
    data: PlotData


@dataclass(frozen=True)
class CorrectedRow:
    """A system's means: by people alone, by the judge alone, and by both, with the worth of the last."""

    system: str
    labels: int
    outputs: int
    means: list[PrintedFigure]
    worth: str


@dataclass(frozen=True)
class JudgeCard:
    """All that opens for one judge; `summary` is one line of what matters, `prefix` begins the keys of its tables."""

    anchor: str
    name: str
    summary: str
    biases: list[BiasLine]
    calibration: ShownCalibration | None
    methods: list[Figure]
    corrected: list[CorrectedRow]
    on_scale: bool
    examples_left_out: int
    runs: list[tuple[int, str]]
    prefix: str = ""


def replacement_test(name: str, found: Json) -> ReplacementTest:
    """The alternative-annotator test of a judge."""
    passes, undefined, baselines = found["passes"], found["undefined"], found["baselines"]
    return ReplacementTest(
        name=name,
        verdict=UNKNOWN if passes is None else YES if passes else NO,
        omega=_rate(found["omega"]),
        constant=_rate(baselines["constant"]["omega"]),
        shuffled=_rate(baselines["shuffled"]["omega"]),
        alpha=_printed(found, "people_alpha", "alternative_annotator.alpha"),
        rho=_printed(found, "rho", "alternative_annotator.rho"),
        epsilon=f"{found['epsilon']:g}",
        by=found["by"],
        missing=found["missing"],
        reason=undefined.get("passes", ""),
        people=[_person(person, one) for person, one in found["people"].items()],
    )


def _rate(omega: float | None) -> str:
    return "" if omega is None else number(omega, "share")


def _person(name: str, one: Json) -> PersonTested:
    tested = one["p"] is not None
    return PersonTested(
        name, one["items"], number(one["judge_advantage"], "share"), number(one["person_advantage"], "share"),
        p_value(one["p"]) if tested else "", ("wins" if one["wins"] else "does not win") if tested else one["reason"],
    )  # fmt: skip


def judge_card(
    anchor: str, name: str, figures: Json, runs: Sequence[tuple[int, str]] = (), prefix: str = ""
) -> JudgeCard:
    """The card of a judge of one question; `anchor` is unique on the page, `runs` are keys and names of its runs."""
    biases = [_bias(key, one) for key, one in figures["bias"].items()]
    corrected = figures["corrected"]
    systems: Json = corrected["systems"]
    methods = [one for one in METHODS if any(one in system for system in systems.values())]
    if not corrected["on_scale"]:
        methods.remove("judge")
    return JudgeCard(
        anchor=anchor,
        name=name,
        summary=_summary(biases),
        biases=biases,
        calibration=_calibration(figures["calibration"], prefix, name) if "calibration" in figures else None,
        methods=[BEYOND_AGREEMENT[f"corrected_means.{one}"] for one in methods],
        corrected=_corrected(systems, methods),
        on_scale=corrected["on_scale"],
        examples_left_out=corrected["examples_left_out"],
        runs=list(runs),
        prefix=prefix,
    )


def _summary(biases: Sequence[BiasLine]) -> str:
    matters = [line.figure.title.lower() for line in biases if line.verdict == YES]
    if matters:
        return f"what matters: {', '.join(matters)}"
    known = any(line.verdict == NO for line in biases)
    return "no bias that clearly matters" if known else "no bias could be measured"


def _bias(key: str, one: Json) -> BiasLine:
    name = f"bias_card.{key}"
    matters = one["matters"]
    return BiasLine(
        figure=BEYOND_AGREEMENT[name],
        judge=_printed(one, "judge", name),
        people=_printed(one, "people", name) if "people" in one else None,
        difference=_printed(one, "difference", name) if "difference" in one else None,
        verdict=UNKNOWN if matters is None else YES if matters else NO,
        sentence=one["sentence"],
    )


def _printed(report: Json, key: str, name: str, axis: tuple[float, float] | None = None) -> PrintedFigure:
    figure = BEYOND_AGREEMENT[name]
    around = axis or axis_around(figure.unit, [report[key]], None)
    reason = report["undefined"].get(key, "")
    return printed(name, figure, report[key], report.get(f"{key}_ci"), reason, around)


def _calibration(found: Json, prefix: str, judge: str) -> ShownCalibration:
    points = []
    for place, one in enumerate(found["bins"], 1):
        low, high = one["share_ci"] or (None, None)
        points.append(PlotPoint(f"bin {place}", one["share"], low, high, at=one["probability"], n=one["n"]))
    names = ("error", "brier", "brier_of_people")
    return ShownCalibration(
        plot=calibration_plot([(one["probability"], one["share"], one["share_ci"]) for one in found["bins"]]),
        bins=[
            (
                f"{number(one['low'], 'share')} to {number(one['high'], 'share')}",
                one["n"], number(one["probability"], "share"), number(one["share"], "share"),
            )
            for one in found["bins"]
        ],
        figures=[_printed(found, name, f"calibration.{name}") for name in names],
        data=PlotData(
            f"{prefix}-calibration", "calibration", f"Calibration of {judge}", "share of people", UNIT, tuple(points)
        ),
    )  # fmt: skip


def _corrected(systems: Json, methods: Sequence[str]) -> list[CorrectedRow]:
    """A row per system, all intervals on one axis."""
    ends = [
        end
        for one in systems.values()
        for method in methods
        for end in (one.get(f"{method}_ci") or [one.get(method)])
        if end is not None
    ]
    axis = (float(math.floor(min(ends))), float(math.ceil(max(ends)))) if ends else None
    axis = axis if axis and axis[0] < axis[1] else None
    rows = []
    for system, one in systems.items():
        worths = [one.get(f"{method}_worth") for method in ("prediction_powered", "sensitivity_specificity")]
        known = [f"{worth:.0f}" for worth in worths if worth is not None]
        means = [_printed(one, method, f"corrected_means.{method}", axis) for method in methods]
        rows.append(CorrectedRow(system, one["labels"], one["outputs"], means, " / ".join(known)))
    return rows
