"""The only readers that turn rating rows into the arrays of `agreement`.

They read the current answers of the raters that the caller chooses, about items of the main pool, in the order of
submission; answers without a time come first. Of machines they read one rerun, in the question's own shape
(`machine_answers`). Beyond that it does not matter who gave an answer.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from annotation.models import Question, Rater, RaterExclusion, Rating, Study
from annotation.pools import in_main_pool
from config.parts import parts_of
from reports.figures.rows.machine_answers import PERSON, left_out, not_replaced, own_answers

CHUNK = 20_000
HUMAN = Rater.Kind.HUMAN.value
PEOPLE: frozenset[str] = frozenset({HUMAN})


class ChoiceInvalidError(ValueError):
    """A choice of ratings or labels that selects none: an unknown kind or name of a rater, version or labeller."""


@dataclass(frozen=True)
class Choice:
    """The ratings to read: by which raters, of some kinds or by name, and under which version of the guidelines.

    `version` is that of people's ratings; None means ratings without one, which may have been imported. A machine's
    rating counts if the judge was shown the version `shown`, or none. `pooled` means all versions. With `only_planned`,
    answers of third raters do not count, who were asked because two disagreed, nor do those beyond a task's places.
    With `without_excluded`, nor do those of raters whom a researcher has excluded. `pairs_by_name` is that of
    `agreement.arrays.pair_choices.PairChoices`.
    """

    kinds: frozenset[str] = PEOPLE
    version: int | None = None
    shown: int | None = None
    pooled: bool = False
    names: frozenset[str] = frozenset()
    only_planned: bool = False
    without_excluded: bool = False
    pairs_by_name: bool = False

    @property
    def only_people(self) -> bool:
        return self.kinds <= PEOPLE and not self.names

    def raters(self) -> Q:
        """The condition for ratings, and for other rows with a `rater`, by the chosen raters."""
        chosen = chosen_raters(self.kinds, self.names)
        return chosen & Q(~by_excluded()) if self.without_excluded else chosen

    def rows(self, study: Study) -> QuerySet[Rating]:
        """The chosen current ratings of the study."""
        rows = _counting(study).filter(self.raters(), is_current=True)
        rows = rows if self.only_people else not_replaced(rows)
        rows = rows.filter(third_rater=False).exclude(annotation__surplus=True) if self.only_planned else rows
        return rows.filter(self.under_guidelines())

    def under_guidelines(self) -> Q:
        """The condition for ratings, and for annotations, under the chosen versions."""
        if self.pooled:
            return Q()
        of_people = Q(guidelines_version=self.version)
        if self.only_people:
            return of_people
        of_machines = Q(guidelines_version=None)
        if self.shown is not None:
            of_machines |= Q(guidelines_version=self.shown)
        return (PERSON & of_people) | (~PERSON & of_machines)


def chosen_raters(kinds: Collection[str], names: Collection[str]) -> Q:
    """The condition for ratings by raters of some kinds or with some names."""
    return Q(rater__kind__in=kinds) | Q(rater__name__in=names) if names else Q(rater__kind__in=kinds)


def by_excluded() -> Exists:
    """The condition for rows by raters who are excluded now."""
    return Exists(RaterExclusion.objects.filter(rater=OuterRef("rater"), ended_at=None))


def has_third_raters(study: Study) -> bool:
    """Whether a part of the study asks raters beside the planned ones, or there are answers of some."""
    asks = any(part.adds_raters(study) for part in parts_of(study))
    return asks or Rating.objects.filter(study=study, third_rater=True).exists()


def versions(study: Study, choice: Choice) -> dict[int | None, int]:
    """The number of people's current ratings by the chosen raters under each version of the guidelines, in order."""
    return _counted(_counting(study).filter(choice.raters(), PERSON))


def versions_shown(study: Study, choice: Choice) -> dict[int | None, int]:
    """The same of machines' ratings; those of machines that were shown no guidelines are left out."""
    if choice.only_people:
        return {}
    rows = _counting(study).filter(choice.raters(), guidelines_version__isnull=False)
    return _counted(rows.exclude(PERSON))


def _counting(study: Study) -> QuerySet[Rating]:
    """The study's ratings of items that count in figures."""
    return Rating.objects.filter(in_main_pool(study), study=study)


def _counted(rows: QuerySet[Rating]) -> dict[int | None, int]:
    counts = dict(rows.filter(is_current=True).values_list("guidelines_version").annotate(Count("pk")).order_by())
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
    """The columns of the chosen answers to a question in its own shape, as `stream` gives them."""
    rows = choice.rows(study).filter(question=question)
    return stream(rows if choice.only_people else own_answers(rows, study, question), *columns)


def in_columns(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[tuple[Any, ...], ...]]:
    """The columns of some thousand rows after the other: a loop over columns takes half as long as one over rows."""
    while some := list(islice(rows, CHUNK)):
        yield tuple(zip(*some, strict=True))


def not_read(study: Study, question: Question, choice: Choice) -> dict[str, int]:
    """The number of chosen answers to a question that `answers` leaves out, by the reason."""
    if choice.only_people:
        return {"other_shapes": 0, "other_reruns": 0}
    return left_out(choice.rows(study).filter(question=question), study, question)
