"""What rules ask about a rater's own tasks: agreement with the others, time, and forms that are the same by letters.

Each figure is of the rater's last answers, so that a rule costs the same however much there is; `docs/statistics.md`
defines them, and `reports.figures.rater_checks_report` computes them of all answers.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import groupby
from statistics import median
from typing import Any

from django.db.models import QuerySet

from annotation.models import Annotation, Rater, Rating
from annotation.pools import in_main_pool
from annotation.studies.rater_forms import forms_in_order
from config.model_fields import canonical_json

LAST, OTHERS = 500, 2000
"""So many of the rater's last answers are looked at, and so many of the others' for their time."""
NOT_COMPARED = frozenset({"text", "extremes"})
Found = tuple[int, float]
"""How many answers count, and the figure; 0 of none."""
NOTHING: Found = (0, 0.0)


def conduct_of(rater: Rater, figure: str, since: datetime | None) -> Found:
    """One of FIGURES of the rater's last answers, those after `since` if it is given."""
    rows = own_answers(rater)
    rows = rows.filter(submitted_at__gt=since) if since else rows
    return FIGURES[figure](rater, list(rows.order_by("-pk").values_list("pk", flat=True)[:LAST]))


def own_answers(rater: Rater) -> QuerySet[Annotation]:
    """The rater's submitted answers to the study's own tasks."""
    main = in_main_pool(rater.study, "task__item")
    return Annotation.objects.filter(main, rater=rater, is_current=True, status=Annotation.Status.SUBMITTED)


def _agrees(rater: Rater, answers: list[int]) -> Found:
    """The mean score of the rater's answers against the mode of the others'."""
    mine = Rating.objects.filter(annotation__in=answers, third_rater=False, annotation__surplus=False)
    own = {unit: value for unit, _, value in _opinions(mine)}
    others: dict[Any, dict[int, Any]] = defaultdict(dict)
    people = Rating.objects.filter(
        study=rater.study_id, item__in=mine.values("item"), rater__kind=Rater.Kind.HUMAN, is_current=True,
        third_rater=False,
    ).exclude(annotation__surplus=True)  # fmt: skip
    for unit, who, value in _opinions(people.exclude(rater=rater)):
        if unit in own:
            others[unit][who] = value
    scores = []
    for unit, given in others.items():
        counts = Counter(given.values())
        modes = [value for value, n in counts.items() if n == max(counts.values())]
        scores.append((own[unit] in modes) / len(modes))
    return (len(scores), sum(scores) / len(scores)) if scores else NOTHING


def _opinions(ratings: QuerySet[Rating]) -> Iterator[tuple[Any, int, Any]]:
    """The unit, the rater and the value of each answer that is compared; the last of a rater about a unit comes last.

    Of a ranking each output is a unit.
    """
    rows = ratings.exclude(level__in=NOT_COMPARED).order_by("submitted_at", "ordinal", "pk").values_list(
        "question_id", "item_id", "output_id", "other_output_id", "variant", "rater_id", "level", "value"
    )  # fmt: skip
    for question, item, output, other, variant, rater, level, value in rows:
        if level == "rank":
            for key, rank in value.items():
                yield (question, item, key), rater, rank
            continue
        about = frozenset({output, other}) if other is not None else output
        said = bool(value["spans"]) if level == "span" else value
        yield (question, item, about, variant if output is None else ""), rater, canonical_json(said)


def _time(rater: Rater, answers: list[int]) -> Found:
    """The median seconds of the rater's answers, divided by that of the others' newest answers."""
    timed = Annotation.objects.filter(seconds__isnull=False)
    own: list[Any] = list(timed.filter(pk__in=answers).values_list("seconds", flat=True))
    main = in_main_pool(rater.study, "task__item")
    rows = timed.filter(main, rater__study=rater.study_id, rater__kind=Rater.Kind.HUMAN, is_current=True)
    rows = rows.filter(status=Annotation.Status.SUBMITTED).exclude(rater=rater).order_by("-pk")
    others: list[Any] = list(rows.values_list("seconds", flat=True)[:OTHERS])
    if not own or not others or not median(others):
        return NOTHING
    return len(own), median(own) / median(others)


def _in_a_row(rater: Rater, answers: list[int]) -> Found:
    """The most forms in a row that are the same."""
    forms = _forms(answers)
    return len(forms), float(max((len(list(same)) for _, same in groupby(forms)), default=0))


def _same_forms(rater: Rater, answers: list[int]) -> Found:
    """The share of the form that was given most often."""
    forms = _forms(answers)
    return (len(forms), max(Counter(forms).values()) / len(forms)) if forms else NOTHING


def _forms(answers: list[int]) -> list[Any]:
    return [form for _, form in forms_in_order(Rating.objects.filter(annotation__in=answers))]


FIGURES: Mapping[str, Callable[[Rater, list[int]], Found]] = {
    "agrees": _agrees, "time": _time, "in_a_row": _in_a_row, "same_forms": _same_forms,
}  # fmt: skip
