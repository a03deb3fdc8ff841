"""The only readers that turn rating rows into the arrays of `agreement`.

They read the current answers of the kinds of raters that the caller chooses, in the order of submission; answers
without a time come first. Beyond that choice it does not matter who gave an answer.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.models import Question, Rater, Rating, Study

CHUNK = 20_000
HUMAN = Rater.Kind.HUMAN.value
PEOPLE: frozenset[str] = frozenset({HUMAN})


class ChoiceInvalidError(ValueError):
    """A choice of ratings or labels that selects none: an unknown kind of rater, version or labeller."""


@dataclass(frozen=True)
class Choice:
    """The ratings to read: by which kinds of raters, and for people under which version of the guidelines.

    `version` None means ratings without a version, which may have been imported; `pooled` means all versions. The
    ratings of models and metrics, which read no guidelines, are used whatever their version.
    """

    kinds: frozenset[str] = PEOPLE
    version: int | None = None
    pooled: bool = False

    def rows(self, study: Study) -> QuerySet[Rating]:
        """The chosen current ratings of the study."""
        rows = Rating.objects.filter(study=study, is_current=True, rater__kind__in=self.kinds)
        return rows if self.pooled else rows.filter(~Q(rater__kind=HUMAN) | Q(guidelines_version=self.version))


def versions(study: Study, kinds: Collection[str]) -> dict[int | None, int]:
    """The number of people's current ratings under each version of the guidelines, the oldest first."""
    rows = Rating.objects.filter(study=study, is_current=True, rater__kind__in=set(kinds) & {HUMAN})
    counts = dict(rows.values_list("guidelines_version").annotate(Count("pk")).order_by())
    return dict(sorted(counts.items(), key=lambda pair: pair[0] or 0))


def count(study: Study, question: Question, choice: Choice) -> dict[str, int]:
    """The number of ratings and raters of a question whose answers are not measurements."""
    return (
        choice.rows(study)
        .filter(question=question)
        .aggregate(ratings=Count("pk"), raters=Count("rater", distinct=True))
    )


def surplus(study: Study, choice: Choice) -> int:
    """The number of chosen answers to tasks that already had all their raters."""
    late = choice.rows(study).filter(annotation__surplus=True)
    return late.aggregate(answers=Count("annotation", distinct=True))["answers"]


def stream(rows: QuerySet[Rating], *columns: str) -> Iterator[tuple[Any, ...]]:
    """The columns of rows in the order of submission; `raw_value` and `raw_shown` are the JSON as stored."""
    rows = rows.order_by(F("submitted_at").asc(nulls_first=True), "ordinal", "pk")
    rows = rows.annotate(raw_value=Cast("value", TextField()), raw_shown=Cast("shown", TextField()))
    return rows.values_list(*columns).iterator(chunk_size=CHUNK)


def answers(study: Study, question: Question, choice: Choice, *columns: str) -> Iterator[tuple[Any, ...]]:
    """The columns of the chosen answers to a question, as `stream` gives them."""
    return stream(choice.rows(study).filter(question=question), *columns)
