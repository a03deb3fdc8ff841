"""Means of systems from few people's answers and many of a judge: people alone, the judge alone, and both together.

*Prediction-powered* (Angelopoulos, Duchi and Zrnic 2023, PPI++): the judge's mean over outputs that people have not
answered, corrected by people's mean difference from the judge where both answered:

    theta = mean(y - lambda f) over answered outputs + lambda mean(f) over the others

Lambda, between 0 and 1, minimises the variance, so that a useless judge costs nothing. *Corrected by sensitivity and
specificity* (Rogan and Gladen 1978), for yes/no questions, from the judge's share of yes, p, over all outputs:

    theta = (p + specificity - 1) / (sensitivity + specificity - 1)

Assumptions: the outputs that people answered were drawn at random, by item, from all of a system's outputs; the judge
saw none of them as an example. Then both are consistent, not exactly unbiased. Rogan and Gladen's also needs a judge
better than chance. The judge's own mean has no such guarantee: its interval covers the draw of outputs, not its errors.

Intervals treat outputs of an item as dependent. **Reading:** lambda is that of the clustered variance; without clusters
it differs from PPI++ only in pooling. **Reading:** in sensitivity, specificity and p one or two hits and misses are
added, as Lang and Reiczigel (2014) do, and count as items of their own, so that no errors among few outputs are not
taken for no errors at all; they move the interval, not the value. Values are clipped to 0..1. The means of people alone
and of the judge alone have Agresti and Coull's interval (1998) for yes/no questions.
"""

from dataclasses import replace

import numpy as np
from scipy import stats

from agreement.arrays.large_figures import TOO_LARGE
from agreement.arrays.rating_arrays import Floats, Ints
from agreement.arrays.tally import sum_by
from agreement.intervals.bootstrap import SHARE
from agreement.intervals.bounded_intervals import clustered_mean
from agreement.intervals.clustered_errors import MeanEstimate, around, sums_of_items, variance_of
from agreement.intervals.report_entries import Report
from agreement.meta_evaluation.compared_answers import majority_is_yes
from agreement.meta_evaluation.output_answers import Outputs
from agreement.reliability.alpha import largest

NO_ANSWERS = "nobody answered about an output of the system"
NO_JUDGMENTS = "the judge answered about no output of the system"
ONE_ITEM = "an interval needs two items"
ALL_THE_SAME = "answers do not vary, so they do not say how sure their mean is"
NOT_BOTH = "the method needs outputs of two items that both answered"
NOTHING_MORE = "the judge answered no output that people have not answered"
ONE_LABEL = "people answered only yes, or only no, where the judge answered"
NO_BETTER_THAN_CHANCE = "the judge's sensitivity and specificity add up to no more than 1"
NEAR_CHANCE = "the judge's sensitivity and specificity are not clearly above 1 together"
METHODS = ("people", "judge", "prediction_powered", "sensitivity_specificity")
PSEUDO = 1.0
"""Hits and misses added to each of sensitivity and specificity."""
Z = 1.959963984540054


def plain_mean(value: Floats, item: Ints, reason: str = NO_ANSWERS) -> MeanEstimate:
    """The mean of values (N,), NaN if there is none, of units of `item` (N,); `reason` if all are NaN."""
    known = ~np.isnan(value)
    value, item = value[known], item[known]
    if not value.size:
        return MeanEstimate(None, reason=reason, interval_reason=reason)
    scale = largest(value)  # squares of what a judge may say would overflow
    value = value / scale
    mean = float(value.mean())
    sums = sums_of_items(item, ((value - mean) / value.size)[:, None])[:, 0]
    return _scaled(_estimate(mean, variance_of(sums), sums.size, value.size), scale)


def share_mean(value: Floats, item: Ints, reason: str = NO_ANSWERS) -> MeanEstimate:
    """As `plain_mean`, of values in 0..1, with the interval of shares (`agreement.intervals.bounded_intervals`)."""
    found, known = plain_mean(value, item, reason), ~np.isnan(value)
    value, item = value[known], item[known]
    items, code = np.unique(item, return_inverse=True)
    if found.value is None or items.size < 2:
        return found
    above, below = sum_by(code, value, items.size), np.bincount(code).astype(np.float64)
    return replace(found, interval=clustered_mean(found.value, above, below, SHARE), interval_reason=None)


def prediction_powered_mean(
    people: Floats, judge: Floats, item: Ints, *, weight: float | None = None
) -> tuple[MeanEstimate, float | None]:
    """The prediction-powered mean, and lambda, from people's and the judge's answers (N,), NaN if there is none.

    `weight` fixes lambda; None chooses it.
    """
    both, more = ~np.isnan(people) & ~np.isnan(judge), np.isnan(people) & ~np.isnan(judge)
    items = np.unique(item[both]).size
    if items < 2 or not more.any():
        reason = NOT_BOTH if items < 2 else NOTHING_MORE
        return MeanEstimate(None, reason=reason, interval_reason=reason, labels=int(both.sum())), None
    scale = largest(judge[~np.isnan(judge)])
    y, f, rest = people[both], judge[both] / scale, judge[more] / scale
    of_people = np.zeros(people.size)
    of_people[both] = (y - y.mean()) / y.size
    of_judge = np.zeros(people.size)
    of_judge[both] = (f - f.mean()) / f.size
    of_judge[more] = -(rest - rest.mean()) / rest.size
    sums = sums_of_items(item, np.stack([of_people, of_judge], axis=1))
    power = float((sums[:, 1] ** 2).sum())
    best = float((sums[:, 0] * sums[:, 1]).sum() / power) if power > 0 else 0.0
    scaled = min(max(best, 0.0), scale) if weight is None else weight * scale  # lambda for the scaled answers
    mean = float((y - scaled * f).mean() + scaled * rest.mean())
    found = _estimate(mean, variance_of(sums[:, 0] - scaled * sums[:, 1]), items, int(both.sum()))
    return found, scaled / scale


def rogan_gladen_mean(people: Floats, judge: Floats, item: Ints) -> MeanEstimate:
    """The corrected share of yes, from labels 1 or 0 (0.5 counts half as each) and the judge's 1 or 0, (N,)."""
    both, seen = ~np.isnan(people) & ~np.isnan(judge), ~np.isnan(judge)
    yes, no = np.where(both, people, 0.0), np.where(both, 1 - people, 0.0)
    says = np.where(seen, judge, 0.0)
    labels = int(both.sum())
    if not yes.sum() or not no.sum():
        reason = ONE_LABEL if labels else NOT_BOTH
        return MeanEstimate(None, reason=reason, interval_reason=reason, labels=labels)
    sensitivity, specificity = float((yes * says).sum() / yes.sum()), float((no * (1 - says)).sum() / no.sum())
    better = sensitivity + specificity - 1
    if better <= 0:
        reason = NO_BETTER_THAN_CHANCE
        return MeanEstimate(None, reason=reason, interval_reason=reason, labels=labels)
    value = float(np.clip((says.sum() / seen.sum() + specificity - 1) / better, 0, 1))
    return _with_uncertainty(value, yes, no, says, seen, item, labels)


def _with_uncertainty(
    value: float, yes: Floats, no: Floats, says: Floats, seen: np.ndarray, item: Ints, labels: int
) -> MeanEstimate:
    """The interval, from influences of the items and of the added hits and misses."""
    positive, negative = yes.sum() + 2 * PSEUDO, no.sum() + 2 * PSEUDO
    outputs = seen.sum() + Z**2
    sensitivity = ((yes * says).sum() + PSEUDO) / positive
    specificity = ((no * (1 - says)).sum() + PSEUDO) / negative
    p = (says.sum() + Z**2 / 2) / outputs
    better = sensitivity + specificity - 1
    if better <= 0:
        return MeanEstimate(value, labels=labels, interval_reason=NEAR_CHANCE)
    theta = float(np.clip((p + specificity - 1) / better, 0, 1))
    parts = np.stack(
        [
            seen * (says - p) / outputs,
            yes * (says - sensitivity) / positive,
            no * ((1 - says) - specificity) / negative,
        ],
        axis=1,
    )
    sums = sums_of_items(item, parts)
    variance = variance_of((sums @ np.array([1.0, -theta, 1 - theta])) / better)
    added = np.array([Z**2 / 2, PSEUDO * theta**2, PSEUDO * (1 - theta) ** 2])
    spread = np.array([p, sensitivity, specificity])
    sizes = np.array([outputs, positive, negative])
    variance += float((added * (spread**2 + (1 - spread) ** 2) / sizes**2).sum() / better**2)
    chance = variance_of(sums @ np.array([0.0, 1.0, 1.0]))
    chance += float((PSEUDO * (spread[1:] ** 2 + (1 - spread[1:]) ** 2) / sizes[1:] ** 2).sum())
    if np.isnan(variance):
        return MeanEstimate(value, labels=labels, interval_reason=ONE_ITEM)
    if better < Z * np.sqrt(chance):
        return MeanEstimate(value, float(np.sqrt(variance)), labels=labels, interval_reason=NEAR_CHANCE)
    half = float(stats.norm.ppf(0.975)) * np.sqrt(variance)
    low, high = max(0.0, min(value, theta - half)), min(1.0, max(value, theta + half))
    return MeanEstimate(value, float(np.sqrt(variance)), (float(low), float(high)), labels)


def corrected_means(people: Floats, judge: Floats, outputs: Outputs, *, yes_or_no: bool = False) -> Report:
    """Each system's mean by METHODS, each with `_se`, `_ci`, and `labels` and `worth` of people's answers.

    `people` and `judge` (O,) are people's mean answer about each output and the judge's, NaN if there is none; leave
    out of both what the judge was shown as an example. With `yes_or_no`, people's answer is their majority and the
    judge's call is yes above 0.5; the prediction-powered mean uses the judge's values as they are.

    `worth` is the number of outputs that people alone would have to answer for the same standard error.
    """
    if yes_or_no:
        people = majority_is_yes(people)
    return {
        name: _of_system(people, judge, outputs.item, outputs.system == code, yes_or_no)
        for code, name in enumerate(outputs.systems)
    }


def _of_system(people: Floats, judge: Floats, item: Ints, own: np.ndarray, yes_or_no: bool) -> Report:
    people, judge, item = people[own], judge[own], item[own]
    mean_of = share_mean if yes_or_no else plain_mean
    alone, (powered, weight) = mean_of(people, item), prediction_powered_mean(people, judge, item)
    call = np.where(np.isnan(judge), np.nan, (judge > 0.5).astype(np.float64)) if yes_or_no else judge
    found = {"people": alone, "judge": mean_of(call, item, NO_JUDGMENTS), "prediction_powered": powered}
    if yes_or_no:
        found["sensitivity_specificity"] = rogan_gladen_mean(people, call, item)
    report: Report = {"labels": alone.labels, "outputs": int((~np.isnan(judge)).sum()), "lambda": weight}
    undefined: dict[str, str] = {} if weight is not None else {"lambda": str(powered.reason)}
    for name, one in found.items():
        report |= {name: one.value, f"{name}_se": one.se, f"{name}_ci": one.interval and list(one.interval)}
        if name not in ("people", "judge"):
            report[f"{name}_worth"] = _worth(alone, one)
        if one.reason:
            undefined[name] = one.reason
        if one.interval is None:
            undefined[f"{name}_ci"] = one.interval_reason or ONE_ITEM
    return report | {"undefined": undefined}


def _worth(alone: MeanEstimate, other: MeanEstimate) -> float | None:
    if alone.se is None or not other.se:
        return None
    return alone.labels * (alone.se / other.se) ** 2


def _scaled(found: MeanEstimate, scale: float) -> MeanEstimate:
    """The estimate in the unit of the answers, without what is too large for a float."""
    with np.errstate(over="ignore"):
        value, se, *ends = (np.multiply(one, scale) for one in (found.value, found.se or 0.0, *(found.interval or ())))
    if not np.isfinite(value):
        return replace(found, value=None, se=None, interval=None, reason=TOO_LARGE, interval_reason=TOO_LARGE)
    if not np.isfinite([se, *ends]).all():
        return replace(found, value=float(value), se=None, interval=None, interval_reason=TOO_LARGE)
    interval = (float(ends[0]), float(ends[1])) if ends else None
    return replace(found, value=float(value), se=None if found.se is None else float(se), interval=interval)


def _estimate(mean: float, variance: float, items: int, labels: int) -> MeanEstimate:
    if np.isnan(variance):
        return MeanEstimate(mean, labels=labels, interval_reason=ONE_ITEM)
    se = float(np.sqrt(variance))
    if se <= 1e-12 * max(1.0, abs(mean)):
        return MeanEstimate(mean, labels=labels, interval_reason=ALL_THE_SAME)
    return MeanEstimate(mean, se, around(mean, se, items), labels)
