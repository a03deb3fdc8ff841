"""What a look of a stop plan finds. Reads all answers: for workers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agreement.arrays.best_worst_answers import BestWorstAnswers
from agreement.arrays.pair_choices import PairChoices
from agreement.arrays.rankings import Rankings
from agreement.arrays.rating_arrays import Ratings
from agreement.arrays.scored_outputs import (
    scores_of_best_worst,
    scores_of_choices,
    scores_of_rankings,
    scores_of_ratings,
)
from agreement.spans.span_marks import SpanAnswers
from annotation.models import Question, Study
from annotation.questions import question_types
from annotation.studies.snapshots import study_snapshot
from parts.stopping.figures.agreement_targets import (
    best_worst_target,
    masi_target,
    ranking_alpha_target,
    span_target,
)
from parts.stopping.figures.sequential_looks import SequentialDesign, StopRule, StopTarget, judge_look
from parts.stopping.figures.stop_targets import (
    alpha_target,
    best_worst_targets,
    difference_targets,
    score_targets,
    win_targets,
)
from parts.stopping.looking import count_answers
from parts.stopping.plan_spec import OF_SYSTEMS, SCORE, SEPARATED, WIN_RATE, StopCondition, StoppingSpec
from reports.figures.agreement_report import choose
from reports.figures.figures_by_level import LEVELS
from reports.figures.rows import PEOPLE, Choice
from reports.figures.rows.rated_items import RatedItems

EVEN = 0.5
RANK_ALPHAS = ("alpha_masi_rankings", "alpha_ordinal_ranks", "alpha_interval_ranks")


def look_figures(study: Study, spec: StoppingSpec, before: Sequence[int]) -> tuple[int, dict[str, Any]]:
    """The answers now, and what each rule of the plan finds in them: {guidelines, rules: [...]}, as plain values.

    `before` are the answers at the earlier looks. People's answers under the newest guidelines with answers count.
    """
    with study_snapshot(study) as present:
        answers = count_answers(present)
        choice, said = choose(present, PEOPLE, frozenset(), None)
        rated = RatedItems(present)
        design = SequentialDesign(spec.looks, spec.alpha, spec.correction, len(spec.rules))
        rules = [_judge(rated, choice, design, rule, [*before, answers]) for rule in spec.rules]
    return answers, {"guidelines": said["version"], "rules": rules}


def _judge(
    rated: RatedItems, choice: Choice, design: SequentialDesign, condition: StopCondition, taken: Sequence[int]
) -> dict[str, Any]:
    question = rated.study.questions.get(key=condition.question)
    items, targets = _targets(rated, question, choice, condition)
    found = judge_look(design, _rule(condition), taken, items, targets)
    told = {"figure": condition.figure, "question": condition.question, "until": condition.until}
    return {**told, "width": condition.width, "items": items, **found}


def _rule(condition: StopCondition) -> StopRule:
    low, high = {WIN_RATE: (0.0, 1.0), SCORE: (-np.inf, np.inf)}.get(condition.figure, (-np.inf, 1.0))
    if condition.until == SEPARATED:
        return StopRule(null=EVEN if condition.figure == WIN_RATE else 0.0, low=low, high=high)
    return StopRule(width=condition.width, low=low, high=high)


def _targets(
    rated: RatedItems, question: Question, choice: Choice, condition: StopCondition
) -> tuple[int, list[StopTarget]]:
    level = question_types()[question.type].level
    data: Any = LEVELS[level](rated, question, choice).data
    if condition.figure not in OF_SYSTEMS:
        return _alpha(condition.figure, data, level)
    if condition.figure == WIN_RATE:
        return win_targets(data if isinstance(data, PairChoices) else _scores(data))
    if condition.until == SEPARATED:
        return difference_targets(_scores(data))
    return best_worst_targets(data) if isinstance(data, BestWorstAnswers) else score_targets(_scores(data))


def _alpha(name: str, data: Any, level: str) -> tuple[int, list[StopTarget]]:
    """The alpha of this name; `alpha` and `alpha_implied_pairs` are those of values, or of pairs as values."""
    if isinstance(data, BestWorstAnswers):
        return best_worst_target(name, data)
    if isinstance(data, SpanAnswers):
        return span_target(name, data)
    if isinstance(data, Rankings) and name in RANK_ALPHAS:
        return ranking_alpha_target(name, data)
    pairs = data.choices() if isinstance(data, Rankings) else data
    if isinstance(pairs, PairChoices):
        return masi_target(pairs) if name == "alpha_masi" else alpha_target(pairs.ratings(), "nominal")
    if name == "alpha_ordinal":
        return alpha_target(data, "ordinal")
    return alpha_target(data, "interval" if level == "interval" else "nominal")


def _scores(data: Ratings | Rankings | PairChoices | BestWorstAnswers) -> Any:
    """One score for each output; of a yes/no question it is the share of yes."""
    if isinstance(data, PairChoices):
        return scores_of_choices(data)
    if isinstance(data, Rankings):
        return scores_of_rankings(data)
    if isinstance(data, BestWorstAnswers):
        return scores_of_best_worst(data)
    return scores_of_ratings(data, np.full(data.item.size, np.nan))
