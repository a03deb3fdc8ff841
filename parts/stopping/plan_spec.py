"""The section `stopping` of a study file: when looks are taken, what ends a study, and where third raters are asked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Question, Study
from annotation.protocols import Protocol
from annotation.questions import question_types
from annotation.studies.file_sections import FileFacts
from files.import_problems import FieldInvalidError

STOPPING = "stopping"
KEYS = ("looks", "alpha", "correction", "rules", "third_rater")
RULE_KEYS = ("figure", "question", "until", "width")
THIRD_KEYS = ("questions", "more_than")
ALPHA, WIN_RATE, SCORE = "alpha", "win_rate", "score"
SEVERITY_ALPHA = "severity_alpha"
WIDTH, SEPARATED = "width", "separated"
CORRECTIONS = ("obrien_fleming", "pocock", "confidence_sequence")
LEVELS: Mapping[str, frozenset[str]] = {
    ALPHA: frozenset({"nominal", "interval", "choice"}),
    "alpha_ordinal": frozenset({"interval"}),
    "alpha_masi": frozenset({"choice", "rank"}),
    "alpha_implied_pairs": frozenset({"rank", "extremes"}),
    "alpha_masi_rankings": frozenset({"rank"}),
    "alpha_ordinal_ranks": frozenset({"rank"}),
    "alpha_interval_ranks": frozenset({"rank"}),
    "alpha_best": frozenset({"extremes"}),
    "alpha_worst": frozenset({"extremes"}),
    "span_alpha": frozenset({"span"}),
    SEVERITY_ALPHA: frozenset({"span"}),
    WIN_RATE: frozenset({"interval", "choice", "rank", "extremes"}),
    SCORE: frozenset({"interval", "rank", "extremes"}),
}
"""The levels of measurement of questions that have each figure.

Figures that depend on researchers' verdicts are not among them: who gives the verdicts would decide when to stop.
"""
FIGURES = tuple(LEVELS)
OF_SYSTEMS = frozenset({WIN_RATE, SCORE})
"""Figures that each system or pair of systems has; all others are one number."""
MOST_LOOKS, MOST_RULES, MOST_ANSWERS = 100, 20, 10**8
DEFAULT_ALPHA = 0.05


class StopPlanInvalidError(ValueError):
    """A section `stopping` that cannot be followed; the message names the place and says what must be there."""


@dataclass(frozen=True)
class StopCondition:
    """One rule: stop when the interval of `figure` of a question is at most `width` wide, or separates systems."""

    figure: str
    question: str
    until: str
    width: float | None


@dataclass(frozen=True)
class ThirdRater:
    """A third rater is asked where two disagree: about any of `questions` (all if empty), by more than `more_than`."""

    questions: tuple[str, ...]
    more_than: float


@dataclass(frozen=True)
class StoppingSpec:
    """A checked section. `looks` are numbers of answers; the last one ends the study whatever it shows."""

    looks: tuple[int, ...]
    alpha: float
    correction: str
    rules: tuple[StopCondition, ...]
    third_rater: ThirdRater | None


def stopping_of(study: Study) -> StoppingSpec | None:
    """The study's section, or None if it has none."""
    given = study.options.get(STOPPING)
    return None if given is None else read_stopping(given)


def third_rater_of(study: Study) -> ThirdRater | None:
    """The study's rule for third raters, or None."""
    given = study.options.get(STOPPING)
    return _third(given.get("third_rater")) if isinstance(given, dict) else None


def plan_problems(value: Any, field: str, facts: FileFacts) -> Iterator[FieldInvalidError]:
    """Yield what is wrong with a section for this protocol and these questions."""
    try:
        spec = read_stopping(value)
        for place, rule in enumerate(spec.rules):
            _check_question(rule, f"rules.{place}", facts.protocol, facts.questions)
        for key in spec.third_rater.questions if spec.third_rater else ():
            if key not in facts.keys:
                raise StopPlanInvalidError(f"third_rater.questions names {key}, which is no question of the study")
        if spec.third_rater and not facts.protocol.flow.offers_every_task:
            raise StopPlanInvalidError("third_rater is not possible: this protocol gives each task to one person")
    except StopPlanInvalidError as problem:
        yield FieldInvalidError(field, str(problem))


def read_stopping(value: Any) -> StoppingSpec:
    """Check a section without its study. Raises StopPlanInvalidError."""
    body = _mapping(value, KEYS, "it")
    looks, rules = body.get("looks"), body.get("rules")
    third = _third(body.get("third_rater"))
    if looks is None and rules is None and third is not None:
        return StoppingSpec((), DEFAULT_ALPHA, CORRECTIONS[0], (), third)
    if not isinstance(looks, list) or not 1 <= len(looks) <= MOST_LOOKS:
        raise StopPlanInvalidError(f"looks must be a list of 1 to {MOST_LOOKS} numbers of answers")
    if any(type(one) is not int or not 1 <= one <= MOST_ANSWERS for one in looks) or sorted(set(looks)) != looks:
        raise StopPlanInvalidError("looks must be whole numbers that rise from look to look")
    alpha = body.get("alpha", DEFAULT_ALPHA)
    if type(alpha) not in (int, float) or not 0.0001 <= alpha <= 0.5:
        raise StopPlanInvalidError("alpha must be a number from 0.0001 to 0.5")
    correction = body.get("correction", CORRECTIONS[0])
    if correction not in CORRECTIONS:
        raise StopPlanInvalidError(f"correction must be one of {', '.join(CORRECTIONS)}")
    if not isinstance(rules, list) or not 1 <= len(rules) <= MOST_RULES:
        raise StopPlanInvalidError(f"rules must be a list of 1 to {MOST_RULES} rules")
    checked = tuple(_rule(rule, f"rules.{place}") for place, rule in enumerate(rules))
    return StoppingSpec(tuple(looks), float(alpha), str(correction), checked, third)


def _mapping(value: Any, keys: Sequence[str], place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise StopPlanInvalidError(f"{place} must be a mapping of keys to values")
    for key in value:
        if key not in keys:
            raise StopPlanInvalidError(f"{place} has the unknown key {key}; known are {', '.join(keys)}")
    return value


def _rule(value: Any, place: str) -> StopCondition:
    body = _mapping(value, RULE_KEYS, place)
    figure, question, until = (body.get(key) for key in ("figure", "question", "until"))
    if figure not in FIGURES:
        raise StopPlanInvalidError(f"{place}.figure must be one of {', '.join(FIGURES)}")
    if not isinstance(question, str):
        raise StopPlanInvalidError(f"{place}.question must be the key of a question")
    if until not in (WIDTH, SEPARATED):
        raise StopPlanInvalidError(f"{place}.until must be {WIDTH} or {SEPARATED}")
    width: Any = body.get("width")
    if until == SEPARATED:
        if figure not in OF_SYSTEMS or width is not None:
            raise StopPlanInvalidError(f"{place}: only a win rate or a score separates systems, and without a width")
        return StopCondition(figure, question, until, None)
    if type(width) not in (int, float) or not 0 < width < float("inf"):
        raise StopPlanInvalidError(f"{place}.width must be a number above 0: how wide the whole interval may be")
    return StopCondition(figure, question, until, float(width))


def _third(value: Any) -> ThirdRater | None:
    if value is None:
        return None
    body = _mapping(value, THIRD_KEYS, "third_rater")
    questions, more = body.get("questions", []), body.get("more_than", 0)
    if not isinstance(questions, list) or not all(isinstance(one, str) for one in questions):
        raise StopPlanInvalidError("third_rater.questions must be a list of keys of questions")
    if type(more) not in (int, float) or not 0 <= more < float("inf"):
        raise StopPlanInvalidError("third_rater.more_than must be a number, 0 or more")
    return ThirdRater(tuple(questions), float(more))


def _check_question(rule: StopCondition, place: str, protocol: Protocol, questions: Sequence[Question]) -> None:
    asked = next((question for question in questions if question.key == rule.question), None)
    if asked is None:
        raise StopPlanInvalidError(f"{place}.question is {rule.question}, which is no question of the study")
    kind = question_types()[asked.type]
    level, is_yes_no = kind.level, kind.from_form(["true"], asked.spec) is True
    has_figure = level in LEVELS[rule.figure] or (rule.figure in OF_SYSTEMS and is_yes_no)
    if not has_figure or (rule.figure == SEVERITY_ALPHA and not asked.spec.get("severities")):
        raise StopPlanInvalidError(f"{place}: a question of type {asked.type} has no {rule.figure}")
