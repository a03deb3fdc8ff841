"""Alphas that stop rules watch beside those of single values: of rankings, of best-worst answers and of spans.

Each uses only what two raters judged, so that `items` counts the items from which the figure is computed.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from agreement.arrays.best_worst_answers import BestWorstAnswers
from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rankings import Rankings
from agreement.intervals.bootstrap import ItemSums
from agreement.question_figures.best_worst_report import choice_figures, implied_alpha
from agreement.question_figures.pair_report import alpha_of_sets
from agreement.reliability.ranked_sets import of_whole_rankings, shared
from agreement.spans.severity_figures import severity_figures
from agreement.spans.span_figures import by_character
from agreement.spans.span_marks import SpanAnswers, cut
from parts.stopping.figures.jackknife import jackknife
from parts.stopping.figures.sequential_looks import StopTarget

Targets = tuple[int, list[StopTarget]]


def ranking_alpha_target(name: str, rankings: Rankings) -> Targets:
    """alpha_masi_rankings, alpha_ordinal_ranks or alpha_interval_ranks, by its name."""
    compared = shared(rankings)[0].ranked()
    items = int(compared.item.max(initial=-1)) + 1
    return _target(name, of_whole_rankings(compared, items)[0] if items else [], items)


def masi_target(choices: PairChoices) -> Targets:
    """Alpha of pairs with MASI, a tie being both outputs."""
    latest = choices.ratings().latest()
    kept = np.bincount(latest.unit, minlength=latest.item.size)[latest.unit] > 1
    known, code = np.unique(latest.item[latest.unit[kept]], return_inverse=True)
    item = np.zeros(latest.item.size, dtype=np.int64)
    item[latest.unit[kept]] = code
    several = replace(latest, unit=latest.unit[kept], rater=latest.rater[kept], value=latest.value[kept], item=item)
    return _target("alpha_masi", [alpha_of_sets(several, known.size)] if known.size else [], known.size)


def best_worst_target(name: str, answers: BestWorstAnswers) -> Targets:
    """alpha_best, alpha_worst or alpha_implied_pairs, by its name."""
    latest = answers.latest()
    several = np.bincount(latest.set_shown, minlength=latest.item.size)[latest.set_shown] > 1
    compared = latest.only(several).answered()
    items = int(compared.item.max(initial=-1)) + 1
    if not items:
        return 0, []
    figures: list[ItemSums] = [implied_alpha(compared, items)]
    if name == "alpha_best":
        figures = choice_figures(compared, "best", compared.best, items)
    elif name == "alpha_worst":
        figures = choice_figures(compared, "worst", compared.worst, items)
    return _target(name, figures, items)


def span_target(name: str, spans: SpanAnswers) -> Targets:
    """span_alpha or severity_alpha, by its name."""
    latest = spans.latest()
    several = np.bincount(latest.text, minlength=latest.item.size)[latest.text] > 1
    compared = latest.only(np.flatnonzero(several))
    known, code = np.unique(compared.item[compared.text], return_inverse=True)
    if not known.size:
        return 0, []
    item = np.zeros_like(compared.item)
    item[compared.text] = code
    compared = replace(compared, item=item)
    if name == "span_alpha":
        return _target(name, by_character(compared, cut(compared), known.size), known.size)
    return _target(name, severity_figures(compared, compared, known.size), known.size)


def _target(name: str, figures: Sequence[ItemSums], items: int) -> Targets:
    """The one of `figures` with this name, with its jackknife error."""
    for sums in figures:
        if (name,) in sums.keys:
            found, at = jackknife(sums, items), sums.keys.index((name,))
            value, error, groups = float(found.value[at]), float(found.error[at]), int(found.groups[at])
            return items, [StopTarget((name,), value, error, groups, for_logs=True)]
    return items, []
