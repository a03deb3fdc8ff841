"""Rank correlations of judges with people by model, protocol and dimension, and their averages.

Liu et al. 2024, InstruSum, Table 6: Kendall's tau-b over systems and over the outputs of an item, for each model,
protocol and quality dimension. Figure 2 averages over the dimensions and the protocols that all models have.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agreement.arrays.rating_arrays import Floats
from agreement.intervals.bootstrap import ItemSums, Ratios
from agreement.intervals.interval_report import REPLICATES, SEED, MeanSums, interval_report, under
from agreement.intervals.report_entries import Report, within
from agreement.meta_evaluation.output_answers import Outputs
from agreement.meta_evaluation.score_figures import item_taus, scored_by_both, system_tau, tau_figures


@dataclass(frozen=True)
class JudgedDimension:
    """A judge's scores (O,) of a dimension beside the means (O,) of people's, NaN without one."""

    model: str
    protocol: str
    dimension: str
    people: Floats
    judge: Floats


def protocol_report(
    judged: Sequence[JudgedDimension],
    outputs: Outputs,
    *,
    averaged: Sequence[str] | None = None,
    replicates: int = REPLICATES,
    seed: int = SEED,
) -> Report:
    """`models`, by name: both taus with intervals, of each protocol and dimension, and their averages.

    A model is {system_kendall_tau_b, item_kendall_tau_b, protocols_averaged, protocols}; a protocol {both taus,
    dimensions: {name: {both taus, outputs}}}. A protocol's taus are means over its dimensions, a model's are means over
    the `averaged` protocols that it has; by default, over those that all models have. `undefined` has the reasons.

    Raises ValueError if a model has the same protocol and dimension twice.
    """
    grid: dict[str, dict[str, dict[str, JudgedDimension]]] = {}
    for one in judged:
        of_protocol = grid.setdefault(one.model, {}).setdefault(one.protocol, {})
        if one.dimension in of_protocol:
            raise ValueError(f"{one.model} has {one.protocol} for {one.dimension} twice")
        of_protocol[one.dimension] = one
    common = [set(protocols) for protocols in grid.values()]
    used = set.intersection(*common) if averaged is None and common else set(averaged or ())
    figures: list[ItemSums] = []
    for model, protocols in grid.items():
        means: dict[str, list[ItemSums]] = {}
        for protocol, dimensions in protocols.items():
            path = ("models", model, "protocols", protocol)
            parts = {name: _taus(one, outputs) for name, one in dimensions.items()}
            figures += [under((*path, "dimensions", name), tau) for name, both in parts.items() for tau in both]
            means[protocol] = [MeanSums(tau) for tau in zip(*parts.values(), strict=True)]
            figures += [under(path, mean) for mean in means[protocol]]
        own = [means[protocol] for protocol in protocols if protocol in used]
        figures += [under(("models", model), MeanSums(tau)) for tau in zip(*own, strict=True)]
    report = interval_report(figures, outputs.items, replicates=replicates, seed=seed)
    return _with_counts(report, grid, used)


def _taus(one: JudgedDimension, outputs: Outputs) -> tuple[ItemSums, ItemSums]:
    """Tau-b over systems and within items."""
    scored = scored_by_both(one.people, one.judge)
    both = tau_figures(item_taus(scored, outputs), outputs.items)
    tau = Ratios(both.keys[:1], both.numerator[:, :1], both.denominator[:, :1], both.reasons[:1])
    return system_tau(scored, outputs), tau


def _with_counts(report: Report, grid: dict[str, dict[str, dict[str, JudgedDimension]]], used: set[str]) -> Report:
    """The report with the outputs of each dimension and the names of each model's averaged protocols."""
    report.setdefault("models", {})
    for model, protocols in grid.items():
        own = within(report, ["models", model])
        own["protocols_averaged"] = [name for name in protocols if name in used]
        for name in ("system_kendall_tau_b", "item_kendall_tau_b"):
            if not own["protocols_averaged"]:
                own[name] = own[f"{name}_ci"] = None
                report["undefined"][f"models.{model}.{name}"] = "the model has none of the averaged protocols"
        for protocol, dimensions in protocols.items():
            for name, one in dimensions.items():
                path = ["models", model, "protocols", protocol, "dimensions", name]
                within(report, path)["outputs"] = int(scored_by_both(one.people, one.judge).output.size)
    return report
