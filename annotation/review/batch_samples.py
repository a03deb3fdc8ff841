"""The progress of a batch and the sample of its spot checks: read at once if the batch is small, else kept by workers.

A kept sample is rows of places in it. Its answers and their verdicts are read when a page shows them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from django.db.models import QuerySet

from annotation.models import Annotation, DrawnAnswer, Slot, SpotCheck, Study
from annotation.review.spot_checks import (
    COLUMNS,
    NOT_CHECKED,
    SampledAnswer,
    answers_in,
    checks_by_answer,
    sample,
    sampled_answer,
    unfinished,
)
from annotation.studies.batches import BITS, BatchState, items_in, size_of, state_of
from annotation.studies.kept_counts import BATCH, OF_NO_SAMPLE, KeptCounts, exceeds, kept_counts

MOST_AT_ONCE = 2000
"""A batch with more items, answers or places for answers is read by workers."""
MOST_LEFT = 1000
"""Open checks are counted up to this number."""
LOOKED_AT = 100


class KeptSample(Sequence[SampledAnswer]):
    """A kept sample; a slice reads its answers in three queries. Withdrawn answers are missing from slices."""

    def __init__(self, counts: int | None, length: int) -> None:
        self._rows = DrawnAnswer.objects.filter(counts=counts)
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> SampledAnswer: ...
    @overload
    def __getitem__(self, place: slice) -> list[SampledAnswer]: ...
    def __getitem__(self, place: int | slice) -> SampledAnswer | list[SampledAnswer]:
        if isinstance(place, int):
            return self[place : place + 1][0]
        first, last, _ = place.indices(self._length)
        return self._read(self._rows.filter(place__gte=first, place__lt=last))

    def __iter__(self) -> Iterator[SampledAnswer]:
        for first in range(0, self._length, LOOKED_AT):
            yield from self[first : first + LOOKED_AT]

    def _read(self, rows: Any) -> list[SampledAnswer]:
        places = list(rows.order_by("place").values_list("task_id", "rater_id"))
        tasks, raters = {task for task, _ in places}, {rater for _, rater in places}
        answers = Annotation.objects.filter(task__in=tasks, rater__in=raters, is_current=True, status="submitted")
        found = {(row[1], row[2]): row for row in answers.values_list(*COLUMNS)}
        checks = checks_by_answer(SpotCheck.objects.filter(annotation__task__in=tasks, annotation__rater__in=raters))
        return [
            sampled_answer(pk, task, rater, name, item, checks.get((task, rater), NOT_CHECKED))
            for pk, task, rater, name, _, item, _ in (found[place] for place in places if place in found)
        ]

    @property
    def left(self) -> int:
        """The number of open checks, up to one more than MOST_LEFT."""
        return self._rows.filter(is_open=True).order_by()[: MOST_LEFT + 1].count()

    def first_open(self) -> SampledAnswer | None:
        """The first answer that is not checked."""
        rows = self._rows.filter(is_open=True)
        first = list(rows.order_by("place").values_list("place", flat=True)[:LOOKED_AT])
        return next((one for one in self._read(rows.filter(place__in=first)) if not one.verdict), None)

    def place_of(self, answer: Annotation) -> int | None:
        return self._rows.filter(task=answer.task_id, rater=answer.rater_id).values_list("place", flat=True).first()


class WholeSample(list[SampledAnswer]):
    """The sample of a small batch, read at once."""

    @property
    def left(self) -> int:
        return sum(not one.verdict for one in self)

    def first_open(self) -> SampledAnswer | None:
        return next((one for one in self if not one.verdict), None)

    def place_of(self, answer: Annotation) -> int | None:
        return next((place for place, one in enumerate(self) if one.annotation == answer.pk), None)


@dataclass(frozen=True)
class BatchReview:
    """A batch's progress and sample; `kept` says of when they are, None: of this moment.

    The progress is None while a large batch is counted for the first time.
    """

    study: Study
    batch: int
    state: BatchState | None
    sampled: KeptSample | WholeSample
    kept: KeptCounts | None = None

    @cached_property
    def left(self) -> int:
        """The number of open checks, up to one more than MOST_LEFT."""
        return self.sampled.left

    @property
    def many_left(self) -> bool:
        """Whether only MOST_LEFT of the open checks were counted."""
        return self.kept is not None and self.left > MOST_LEFT

    @property
    def checked(self) -> int:
        return len(self.sampled) - self.left

    @property
    def unfinished(self) -> list[str]:
        """The work left in the batch before the next one, in words."""
        if isinstance(self.sampled, WholeSample):
            return unfinished(self.study, self.batch, self.sampled)
        if self.state is None:
            return ["the batch has not been counted yet"]
        found = [] if self._is_full() else [f"{self.state.filled} of {self.state.places} slots were filled"]
        if self.left:
            found.append(f"{MOST_LEFT if self.many_left else self.left}{' or more' if self.many_left else ''} of"
                         f" {len(self.sampled)} spot checks are open")  # fmt: skip
        if not (self.kept and self.kept.is_current):
            found.append("the sample is being drawn again, because answers have changed")
        return found

    def _is_full(self) -> bool:
        """Whether no slot of the batch is open or held now."""
        slots = Slot.objects.filter(study=self.study)
        if size_of(self.study) is not None:
            slots = slots.filter(place__gte=self.batch << BITS, place__lt=(self.batch + 1) << BITS)
        return not any(slots.filter(state=state).exists() for state in (Slot.State.OPEN, Slot.State.HELD))


def batch_review(study: Study, batch: int) -> BatchReview:
    """The progress and the sample of a batch. Raises ImportPendingError."""
    if not is_large_batch(study, batch):
        return BatchReview(study, batch, state_of(study, batch), WholeSample(sample(study, batch)))
    kept = kept_counts(study, f"{BATCH}{batch}", OF_NO_SAMPLE)
    state = BatchState(number=batch, **kept.figures["state"]) if kept.are_there else None
    return BatchReview(study, batch, state, KeptSample(kept.pk, kept.figures.get("sampled", 0)), kept)


def is_large_batch(study: Study, batch: int) -> bool:
    """Whether a page must not read the batch itself; stops counting at MOST_AT_ONCE.

    Items are counted first: to find answers or places of many items, SQLite would list them all.
    """
    items = items_in(study, batch)
    rows: tuple[QuerySet[Any], ...] = (items, answers_in(study, batch), Slot.objects.filter(item__in=items))
    return any(exceeds(some, MOST_AT_ONCE) for some in rows)
