"""Where a judge and people disagree about a unit, by one rule for each shape of the judge's answer.

| the judge gives | people's answer | they disagree if |
| a score on the question's scale | the mean of their scores of the output | it is at least one step away |
| a choice | the most frequent choice of the pair, or the better mean score or mean rank | another one is better |
| a ranking | the best mean rank, or the best mean score | another output is best |
| a label | the most frequent label | the label is another one |

A step is 1, and on a scale from 0 to 1 a half. Without people's answers, or if none is the most frequent, nothing is
compared.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.blinding import names_of
from annotation.models import JudgeRun, Question, Rater, Rating, Study
from annotation.questions import question_types
from annotation.questions.best_worst import is_best_worst
from annotation.questions.preference import TIE
from config.background.rows import Status
from judges.judgment_list import shown_judgments
from judges.models import Judgment

AT_ONCE = 200
MOST_STEPS = 25
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """A person's current answer, under the rater's name in the study; `outputs` are the keys that it is about."""

    rater: str
    outputs: tuple[str, ...]
    value: Any
    number: float | None
    explanation: str
    at: datetime | None


@dataclass(frozen=True)
class PeopleComparison:
    """What people say together, as a value, and whether the judge differs from it; None if nothing is compared."""

    people: Any = None
    differs: bool | None = None


NOTHING_COMPARED = PeopleComparison()


def people_s_answers(study: Study, judgments: Sequence[Judgment]) -> dict[int, list[PersonAnswer]]:
    """Return people's current answers about the outputs of each judgment, by its primary key, in one or two queries."""
    asked = {(one.item_id, one.question_id, one.variant) for one in judgments if one.question_id is not None}
    if not asked:
        return {one.pk: [] for one in judgments}
    items, questions = {item for item, _, _ in asked}, {question for _, question, _ in asked}
    rows = Rating.objects.filter(
        study=study, item__in=items, question__in=questions, rater__kind=Rater.Kind.HUMAN, is_current=True
    ).order_by("submitted_at", "pk")
    found: dict[tuple[int, int, str], list[PersonAnswer]] = defaultdict(list)
    names = names_of(study)
    for item, question, variant, *answer in rows.values_list(
        "item_id", "question_id", "variant", "rater__name", "output__key", "other_output__key", "value", "number",
        "explanation", "submitted_at", "level",
    ):  # fmt: skip
        rater, output, other, value, number, explanation, at, level = answer
        outputs = tuple(names.shown(key) for key in (output, other) if key is not None)
        value = names.value(level, value)
        found[item, question, variant].append(PersonAnswer(rater, outputs, value, number, explanation or "", at))
    return {
        one.pk: _about(found.get((one.item_id, one.question_id or 0, one.variant), []), set(one.order or ()))
        for one in judgments
    }


def _about(answers: Sequence[PersonAnswer], outputs: Collection[str]) -> list[PersonAnswer]:
    """Return the answers that are about some of these outputs only, or about the whole task."""
    return [one for one in answers if set(one.outputs) <= set(outputs) or not outputs]


def compare(question: Question | None, judgment: Judgment, answers: Sequence[PersonAnswer]) -> PeopleComparison:
    """Return what people say about a judgment's unit, and whether the judge differs from it."""
    if question is None or judgment.outcome != Judgment.Outcome.VALID or not answers:
        return NOTHING_COMPARED
    value, shown = (judgment.reading or {})["value"], judgment.order or ()
    if isinstance(value, dict):
        return _of_ranking(value, answers)
    if judgment.other_output_id is not None:
        return _of_choice(value, shown, answers)
    kind = question_types()[question.type]
    scale = kind.scale(question.spec)
    if scale is not None and isinstance(value, int | float):
        return _of_score(float(value), scale, kind.far_apart(question.spec), answers)
    if isinstance(value, str):
        return _of_label(value, answers)
    return NOTHING_COMPARED


def _of_score(
    value: float, scale: tuple[float, float], far: float, answers: Sequence[PersonAnswer]
) -> PeopleComparison:
    numbers = [one.number for one in answers if one.number is not None and len(one.outputs) < 2]
    if not numbers:
        return NOTHING_COMPARED
    mean = math.fsum(numbers) / len(numbers)
    if not scale[0] <= value <= scale[1]:
        return PeopleComparison(mean)
    return PeopleComparison(mean, abs(value - mean) >= far - TOLERANCE)


def _of_label(value: str, answers: Sequence[PersonAnswer]) -> PeopleComparison:
    most = _most_frequent([one.value for one in answers if isinstance(one.value, str)])
    return NOTHING_COMPARED if most is None else PeopleComparison(most, value != most)


def _of_choice(value: str, pair: Sequence[str], answers: Sequence[PersonAnswer]) -> PeopleComparison:
    chosen = [one.value for one in answers if set(one.outputs) == set(pair) and one.value in (*pair, TIE)]
    if chosen:
        most = _most_frequent(chosen)
        return NOTHING_COMPARED if most is None else PeopleComparison(most, value != most)
    merits = _merits(answers, pair)
    if not set(pair) <= set(merits):
        return NOTHING_COMPARED
    best = _best({key: merits[key] for key in pair})
    people = best[0] if len(best) == 1 else TIE
    return PeopleComparison(people, value != people)


def _of_ranking(ranks: Mapping[str, int], answers: Sequence[PersonAnswer]) -> PeopleComparison:
    merits = {key: merit for key, merit in _merits(answers, ranks).items() if key in ranks}
    if set(merits) != set(ranks):
        return NOTHING_COMPARED
    people = {key: 1 + sum(other > merit for other in merits.values()) for key, merit in merits.items()}
    first = {key for key, rank in ranks.items() if rank == min(ranks.values())}
    return PeopleComparison(people, first != set(_best(merits)))


def _merits(answers: Sequence[PersonAnswer], judged: Collection[str]) -> dict[str, float]:
    """Return the mean of each output, higher is better: of ranks if people ranked, otherwise of scores.

    People who named the best and the worst give 1, -1 and 0 to the outputs `judged`; if both are others, nothing.
    """
    ranks, scores = defaultdict(list), defaultdict(list)
    for one in answers:
        if is_best_worst(one.value):
            points = {one.value["best"]: 1.0, one.value["worst"]: -1.0}
            for key in judged if set(points) & set(judged) else ():
                ranks[key].append(points.get(key, 0.0))
        elif isinstance(one.value, dict) and all(isinstance(rank, int) for rank in one.value.values()):
            for key, rank in one.value.items():
                ranks[key].append(-float(rank))
        elif len(one.outputs) == 1 and one.number is not None:
            scores[one.outputs[0]].append(one.number)
    return {key: math.fsum(found) / len(found) for key, found in (ranks or scores).items()}


def _best(merits: Mapping[str, float]) -> list[str]:
    most = max(merits.values())
    return [key for key, merit in merits.items() if merit >= most - TOLERANCE]


def _most_frequent(values: Sequence[str]) -> str | None:
    counted = Counter(values).most_common()
    if not counted or (len(counted) > 1 and counted[1][1] == counted[0][1]):
        return None
    return counted[0][0]


@dataclass(frozen=True)
class Search:
    """What a bounded search found: a judgment's primary key, or None; `at` is the place up to which it looked.

    `over` says that there are no more judgments in this direction.
    """

    found: int | None
    at: int
    over: bool


def find_disagreement(study: Study, run: JudgeRun, place: int, *, backwards: bool = False) -> Search:
    """Return the first judgment after a place of a run (or before it) that disagrees with people.

    It reads judgments in steps, and ends after MOST_STEPS of them without a result.
    """
    questions = {one.pk: one for one in Question.objects.filter(study=study)}
    valid = Judgment.objects.filter(run=run, status=Status.DONE, outcome=Judgment.Outcome.VALID)
    valid = valid.only("item", "question", "variant", "order", "outcome", "reading", "other_output", "place")
    for _ in range(MOST_STEPS):
        beyond = valid.filter(place__lt=place) if backwards else valid.filter(place__gt=place)
        judgments = shown_judgments(study, beyond.order_by("-place" if backwards else "place")[:AT_ONCE])
        answers = people_s_answers(study, judgments)
        for one in judgments:
            if compare(questions.get(one.question_id or 0), one, answers[one.pk]).differs:
                return Search(one.pk, one.place, over=False)
        if len(judgments) < AT_ONCE:
            return Search(None, place, over=True)
        place = judgments[-1].place
    return Search(None, place, over=False)
