"""Every figure of one rating question, with intervals, as plain values for JSON."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from agreement.arrays.large_figures import TOO_LARGE
from agreement.arrays.rating_arrays import NO_SYSTEM, Ints, Ratings
from agreement.arrays.tally import Tally, tally
from agreement.comparisons.mean_comparisons import mean_comparisons
from agreement.intervals.bootstrap import ItemSums, estimate
from agreement.intervals.interval_coverage import alpha_notice, items_with_other_answers
from agreement.intervals.report_entries import Report, place, resampling, within
from agreement.reliability.alpha import Level, alpha_sums
from agreement.reliability.intraclass import intraclass_sums
from agreement.reliability.kappa import kappas, rater_pairs
from agreement.reliability.leave_one_out import leave_one_out
from agreement.reliability.local_alpha import LEFT_OUT, LocalAlpha, LocalLevel, local_alpha
from agreement.reliability.percent_agreement import percent_agreement
from agreement.systems.aggregates import Aggregate, aggregates
from agreement.systems.system_means import system_mean, unit_means

ALPHAS: dict[str, tuple[Level, ...]] = {"nominal": ("nominal",), "interval": ("nominal", "ordinal", "interval")}
KAPPAS: dict[str, tuple[str, ...]] = {
    "nominal": ("cohen_kappa_pairs",),
    "interval": ("cohen_kappa_pairs", "kappa_linear_pairs", "kappa_quadratic_pairs"),
}
LOCAL: dict[str, LocalLevel] = {"nominal": "nominal", "interval": "interval"}
NO_RATINGS = "there are no ratings"
NO_OUTPUTS = "the question is not about single outputs"
NO_MEAN = "the values are categories, which have no mean"
NO_SCALE = "the question has no scale"
CLOSE = 1e-9
"""How far from a whole number of steps a value may be, because of rounding."""
TOO_FEW = "a standard error needs at least two values"


@np.errstate(over="ignore", invalid="ignore")  # figures too large for a float say so themselves
def describe(
    ratings: Ratings,
    *,
    level: Literal["nominal", "interval"],
    scale: tuple[float, float] | None,
    step: float | None = 1.0,
    with_icc: bool = False,
    replicates: int = 1000,
    seed: int = 0,
) -> Report:
    """All figures of one question at its level of measurement, as `catalogue.FIGURES` describes them.

    `scale` is the question's (min, max), (0, 1) for a binary question, None without a scale; `step` is how far apart
    its values are, None if all between its ends are values; `with_icc` adds the intraclass correlation. The result has
    only plain floats, ints, strings, lists, dicts and None. An undefined figure is None, with the reason under
    `undefined` by its dotted name. `x_ci` is the 95 % interval [low, high] of `x`. Raises ValueError for another level
    or for a scale out of order.
    """
    if level not in ALPHAS:
        raise ValueError(f"unknown level of measurement: {level}")
    ratings = _items_with_ratings(ratings)
    items = int(ratings.item.max(initial=-1)) + 1
    latest = ratings.latest()
    counted = tally(latest.unit, latest.value, latest.item.size)
    local = local_alpha(latest, items, LOCAL[level])
    by_chance, about_kappas = kappas(latest, counted, items, _categories(ratings, scale, step), KAPPAS[level])
    of_systems, about_systems = _of_systems(ratings, items, scale)
    figures: list[ItemSums] = [
        *_among_raters(latest, counted, items, level, with_icc),
        *local.sums(),
        *by_chance,
        *([] if "system_mean" in about_systems else [system_mean(ratings, items, is_share=_yes_or_no(ratings, scale))]),
        *(sums for aggregate in of_systems for sums in (aggregate.score, aggregate.rank)),
    ]
    estimates = estimate(figures, items, replicates, seed)
    report: Report = {"level": level, **_counts(ratings, counted, latest.item, scale)}
    undefined: dict[str, str] = {**about_systems, **about_kappas}
    place(report, undefined, estimates)
    report |= {**alpha_notice(report), "kappa_raters": rater_pairs(latest)}
    _complete_local(report, undefined, local)
    for name in (*about_systems, *about_kappas):
        report[name] = None
    report["comparisons"] = None
    if "system_mean" not in about_systems:
        report["comparisons"], reasons = mean_comparisons(*unit_means(ratings), ratings.systems)
        undefined |= reasons
    _complete_aggregates(report, undefined, ratings, of_systems)
    report["bootstrap"] = resampling(estimates, items, replicates, seed)
    report["undefined"] = undefined
    return report


def _among_raters(latest: Ratings, counted: Tally, items: int, level: str, with_icc: bool) -> list[ItemSums]:
    """The figures of agreement among all raters of each unit."""
    unit, value, item = latest.unit, latest.value, latest.item
    return [
        percent_agreement(counted, item, items),
        leave_one_out(counted, item, items),
        alpha_sums(unit, value, item, items, ALPHAS[level]),
        *([intraclass_sums(unit, value, item, items)] if with_icc else []),
    ]


def _counts(ratings: Ratings, counted: Tally, item: Ints, scale: tuple[float, float] | None) -> Report:
    return {
        "ratings": ratings.value.size,
        "repeats": ratings.value.size - int(counted.m.sum()),
        "raters": int(np.unique(ratings.rater).size),
        "items": int(item.max(initial=-1)) + 1,
        "units": int(np.count_nonzero(counted.m)),
        "units_with_two_or_more": int(np.count_nonzero(counted.m > 1)),
        "items_with_other_answers": items_with_other_answers(counted, item),
        "off_scale": _off_scale(ratings, scale),
    }


def _items_with_ratings(ratings: Ratings) -> Ratings:
    """The same ratings, with only the items and units that have any, renumbered: these are resampled."""
    rated, unit = np.unique(ratings.unit, return_inverse=True)
    _, item = np.unique(ratings.item[rated], return_inverse=True)
    return replace(ratings, unit=unit.astype(np.int64), item=item.astype(np.int64), system=ratings.system[rated])


def _of_systems(
    ratings: Ratings, items: int, scale: tuple[float, float] | None
) -> tuple[tuple[Aggregate, ...], Mapping[str, str]]:
    """The aggregates, or the reasons why figures of systems are undefined altogether."""
    for applies, reason in (
        (not ratings.value.size, NO_RATINGS),
        (bool(ratings.categories), NO_MEAN),
        (not (ratings.system != NO_SYSTEM).any(), NO_OUTPUTS),
    ):
        if applies:
            return (), {"system_mean": reason, "aggregates": reason}
    if scale is None:
        return (), {"aggregates": NO_SCALE}
    return aggregates(ratings, items, scale), {}


def _categories(ratings: Ratings, scale: tuple[float, float] | None, step: float | None) -> int:
    """The number of values to choose from: the categories, or the steps of the scale and any values off them.

    Without steps it is the number of values that were chosen.
    """
    if ratings.categories:
        return len(ratings.categories)
    values = np.unique(ratings.value)
    if scale is None or step is None:
        return int(values.size)
    steps = round((scale[1] - scale[0]) / step) + 1
    place = (values - scale[0]) / step
    on_steps = (values >= scale[0]) & (values <= scale[1]) & (np.abs(place - np.rint(place)) < CLOSE)
    return steps + int(np.count_nonzero(~on_steps))


def _yes_or_no(ratings: Ratings, scale: tuple[float, float] | None) -> bool:
    """Whether all values are 0 and 1, so that their means are shares."""
    return scale == (0, 1) and bool(np.isin(ratings.value, (0, 1)).all())


def _off_scale(ratings: Ratings, scale: tuple[float, float] | None) -> int | None:
    if scale is None:
        return None
    return int(np.count_nonzero((ratings.value < scale[0]) | (ratings.value > scale[1])))


def _complete_local(report: Report, undefined: dict[str, str], local: LocalAlpha) -> None:
    n, se = int(local.used.size), local.standard_error()
    report["local_alpha"] = {
        "level": local.level,
        "n": n,
        **report["local_alpha"],
        "se": se,
        "histogram": local.histogram(),
    }
    if se is None:
        undefined["local_alpha.se"] = TOO_FEW if n else LEFT_OUT


def _complete_aggregates(
    report: Report, undefined: dict[str, str], ratings: Ratings, of_systems: tuple[Aggregate, ...]
) -> None:
    for aggregate in of_systems:
        for code, system in enumerate(ratings.systems):
            row = within(report, ["aggregates", aggregate.method, system])
            row["n"], row["items"] = int(aggregate.n[code]), int(aggregate.items[code])
            for name, errors in (("score_se", aggregate.score_se), ("rank_se", aggregate.rank_se)):
                row[name] = float(errors[code]) if np.isfinite(errors[code]) else None
                if row[name] is None:
                    reason = TOO_FEW if row["n"] < 2 or row["items"] < 2 else TOO_LARGE
                    undefined[f"aggregates.{aggregate.method}.{system}.{name}"] = reason
