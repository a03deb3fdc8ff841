"""Raters' forms as they saw them: the answers about a task by the letters of its outputs, whatever outputs those were.

Outputs are shuffled, so somebody who always presses the same keys prefers a different system on each page.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet

from annotation.models import Rating
from config.model_fields import canonical_json

COMPARED = frozenset({"nominal", "ordinal", "interval", "rank", "choice", "extremes"})
"""Levels of measurement whose answers can be right, or given twice."""
CHUNK = 5000
TASK = ("rater_id", "submitted_at", "annotation_id", "item_id", "variant")
"""What the ratings of one form have in common."""
COLUMNS = (*TASK, "question_id", "output__key", "other_output__key", "level", "value", "shown")
NAMES_OUTPUTS = frozenset({"choice", "rank", "extremes"})
"""Levels of measurement whose values name outputs."""
Form = Hashable


def forms_in_order(ratings: QuerySet[Rating]) -> Iterator[tuple[int, Form]]:
    """Each rater's primary key with their forms, in the order in which they were submitted.

    Texts and marked spans are left out, and answers without a time or without the order in which outputs were shown.
    """
    rows = ratings.filter(level__in=COMPARED, submitted_at__isnull=False).order_by(*TASK, "question_id", "pk")
    found = rows.values_list(*COLUMNS).iterator(chunk_size=CHUNK)
    for task, group in groupby(found, key=itemgetter(*range(len(TASK)))):
        answers = [_by_letters(*row[len(TASK) :]) for row in group]
        if all(answer is not None for answer in answers):
            yield task[0], tuple(sorted(answers, key=repr))


def _by_letters(
    question: int, output: str | None, other: str | None, level: str, value: Any, shown: Sequence[str] | None
) -> tuple[Any, ...] | None:
    """The answer to a question with outputs called by their places on the page; None if those are not known."""
    if output is None and level not in NAMES_OUTPUTS:
        return question, None, canonical_json(value)
    if shown is None:
        return None
    places = {key: place for place, key in enumerate(shown)}
    about = None if output is None or other is not None else places.get(output)
    told = _placed(value, places) if level in NAMES_OUTPUTS else value
    return question, about, canonical_json(told)


def _placed(value: Any, places: Mapping[str, int]) -> Any:
    """A choice, a ranking, or the best and the worst output, by places."""
    if not isinstance(value, dict):
        return places.get(value, value)
    return {str(places.get(key, key)): places.get(said, said) for key, said in value.items()}
