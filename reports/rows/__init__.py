"""The only readers that turn rating rows into the arrays which `agreement` computes with.

They take current answers of whichever kinds of raters the caller asks for, and never ask who wrote a row beyond
that. Rows are read as a stream, in the order of submission, those without a time before all others.
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


@dataclass(frozen=True)
class Choice:
    """Whose ratings are read, and of people's those made under which version of the guidelines.

    `version` None stands for ratings that name no version, as imported ones may; `pooled` takes all versions.
    Machines read no guidelines: their ratings are taken whatever they name.
    """

    kinds: frozenset[str] = PEOPLE
    version: int | None = None
    pooled: bool = False

    def rows(self, study: Study) -> QuerySet[Rating]:
        """The current ratings of the study that are chosen."""
        rows = Rating.objects.filter(study=study, is_current=True, rater__kind__in=self.kinds)
        return rows if self.pooled else rows.filter(~Q(rater__kind=HUMAN) | Q(guidelines_version=self.version))


def versions(study: Study, kinds: Collection[str]) -> dict[int | None, int]:
    """How many current ratings by people were made under each version of the guidelines; the oldest first."""
    rows = Rating.objects.filter(study=study, is_current=True, rater__kind__in=set(kinds) & {HUMAN})
    counts = dict(rows.values_list("guidelines_version").annotate(Count("pk")).order_by())
    return dict(sorted(counts.items(), key=lambda pair: pair[0] or 0))


def count(study: Study, question: Question, choice: Choice) -> dict[str, int]:
    """How many ratings of a question there are, and of how many raters: for answers that are no measurements."""
    return (
        choice.rows(study)
        .filter(question=question)
        .aggregate(ratings=Count("pk"), raters=Count("rater", distinct=True))
    )


def surplus(study: Study, choice: Choice) -> int:
    """How many of the chosen answers to tasks came when the task had all its raters."""
    late = choice.rows(study).filter(annotation__surplus=True)
    return late.aggregate(answers=Count("annotation", distinct=True))["answers"]


def stream(rows: QuerySet[Rating], *columns: str) -> Iterator[tuple[Any, ...]]:
    """The columns of rows in the order of submission; `raw_value` and `raw_shown` are the JSON as it is stored."""
    rows = rows.order_by(F("submitted_at").asc(nulls_first=True), "ordinal", "pk")
    rows = rows.annotate(raw_value=Cast("value", TextField()), raw_shown=Cast("shown", TextField()))
    return rows.values_list(*columns).iterator(chunk_size=CHUNK)
