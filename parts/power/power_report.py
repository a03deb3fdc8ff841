"""Items, raters, minutes and money for a width or a power, by seeded simulation. Reads answers: for workers."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Floats, Ratings
from agreement.arrays.scored_outputs import scores_of_ratings
from agreement.arrays.tally import sum_by
from agreement.systems.win_matrix import meetings_of_choices
from annotation.models import Study
from annotation.pools import main_items
from annotation.questions import question_types
from annotation.studies.snapshots import study_snapshot
from parts.power.figures.needed_items import plan_sizes, size_as_planned
from parts.power.figures.simulated_samples import AssumedValues
from parts.power.figures.stated_costs import StatedCosts
from parts.stopping.figures.stop_targets import alpha_target, difference_targets
from reports.figures.agreement_report import choose
from reports.figures.figures_by_level import LEVELS
from reports.figures.rows import PEOPLE, ChoiceInvalidError
from reports.figures.rows.rated_items import RatedItems

RATERS = (1, 2, 3, 5)
TOLD = ("figure", "aim", "goal", "question", "seed", "runs", "most_items", "currency")
NO_PILOT = "The question has too few answers to take values from."


def power_report(study: Study, choices: Mapping[str, Any]) -> dict[str, Any]:
    """The sizes that reach the goal: {figure, aim, goal, assumed, costs, currency, seed, runs, planned, sizes}.

    `planned` is what the study's own items and raters per task reach; None if they are too few to say. With a
    `question`, what it is assumed comes from its answers so far. Raises ChoiceInvalidError.
    """
    assumed, costs = AssumedValues(**choices["assumed"]), StatedCosts(**choices["costs"])
    if choices["question"]:
        assumed = AssumedValues(**{**asdict(assumed), **_pilot(study, choices["question"])})
    try:
        sizes = plan_sizes(
            choices["figure"], choices["aim"], choices["goal"], assumed, RATERS, most_items=choices["most_items"],
            runs=choices["runs"], seed=choices["seed"], costs=costs,
        )  # fmt: skip
        planned = size_as_planned(
            choices["figure"], choices["aim"], assumed, main_items(study).count(), study.redundancy,
            runs=choices["runs"], seed=choices["seed"], costs=costs,
        )  # fmt: skip
    except ValueError as problem:
        raise ChoiceInvalidError(str(problem)) from None
    told = {key: choices[key] for key in TOLD}
    return {**told, "assumed": asdict(assumed), "costs": asdict(costs), "planned": planned, "sizes": sizes}


def _pilot(study: Study, key: str) -> dict[str, float]:
    """The values of a question's answers so far, as far as its level has them. Raises ChoiceInvalidError."""
    with study_snapshot(study) as present:
        question = present.questions.filter(key=key).first()
        level = question_types()[question.type].level if question else ""
        if question is None or level not in ("nominal", "interval", "choice"):
            raise ChoiceInvalidError(NO_PILOT)
        choice, _ = choose(present, PEOPLE, frozenset(), None)
        data: Any = LEVELS[level](RatedItems(present), question, choice).data
    found = _of_choices(data) if isinstance(data, PairChoices) else _of_ratings(data)
    if not found:
        raise ChoiceInvalidError(NO_PILOT)
    return found


def _of_choices(data: PairChoices) -> dict[str, float]:
    """The values of the two systems that are furthest apart, and the alpha of all pairs."""
    met = meetings_of_choices(data)
    if met.won.size < 2:
        return {}
    pairs, code = np.unique(met.first * len(met.systems) + met.second, return_inverse=True)
    n = np.bincount(code)
    gap = np.abs(sum_by(code, met.won, pairs.size) / n - 0.5)
    widest = code == np.lexsort((n, np.round(gap, 12)))[-1]
    return {
        "share": 0.5 + float(gap.max()), **_correlation(met.won[widest], data.pair[widest]), **_alpha(data.ratings()),
    }  # fmt: skip


def _of_ratings(data: Ratings | Rankings) -> dict[str, float]:
    if isinstance(data, Rankings) or data.value.size < 2:
        return {}
    latest = data.latest()
    found = {**_correlation(latest.value, latest.unit), **_alpha(latest)}
    if data.categories:
        return {"share": float(latest.value.mean()), **found} if len(data.categories) <= 2 else found
    _, gaps = difference_targets(scores_of_ratings(latest, np.full(latest.item.size, np.nan)))
    known = [one for one in gaps if np.isfinite(one.value)]
    widest = max(known, key=lambda one: abs(one.value), default=None)
    more = {"difference": abs(widest.value)} if widest else {}
    return {"deviation": float(latest.value.std(ddof=1)), **found, **more}


def _alpha(data: Ratings) -> dict[str, float]:
    _, targets = alpha_target(data, "nominal")
    known = [one.value for one in targets if np.isfinite(one.value)]
    return {"alpha": float(np.clip(known[0], 0.0, 1.0))} if known else {}


def _correlation(value: Floats, unit: Any) -> dict[str, float]:
    """The intraclass correlation of one-way analysis of variance (Shrout and Fleiss 1979, ICC(1)), from 0 to 0.99."""
    known, code = np.unique(unit, return_inverse=True)
    m = np.bincount(code)
    if known.size < 2 or m.max() < 2:
        return {}
    means = sum_by(code, value, known.size) / m
    between = float((m * (means - value.mean()) ** 2).sum()) / (known.size - 1)
    within = float(((value - means[code]) ** 2).sum()) / max(value.size - known.size, 1)
    size = (value.size - (m * m).sum() / value.size) / (known.size - 1)
    total = between + (size - 1) * within
    return {"correlation": float(np.clip((between - within) / total, 0.0, 0.99))} if total > 0 else {}
