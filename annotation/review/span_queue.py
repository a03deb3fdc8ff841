"""The filtered queue of marked spans, and the page of one span."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from annotation.blinding import OWN_NAMES, Names
from annotation.models import Output, Rating, SpanReview, Study
from annotation.review.marked_spans import OPEN, MarkedSpan, marked_spans, pieces, span_ratings
from annotation.review.span_steps import Step, next_span, span_at
from annotation.studies.kept_counts import OF_NO_SPAN, SPANS, KeptCounts, exceeds, kept_counts

STATES = (OPEN, SpanReview.Verdict.CONFIRMED.value, SpanReview.Verdict.REJECTED.value, "all")
REASONS = 8
MOST_AT_ONCE = 2000
"""A page reads the spans of so many ratings; in a larger study it looks from a place on."""


@dataclass(frozen=True)
class Filters:
    """Filters from the address: spans of a state, with a label, in outputs of a system ("": any)."""

    state: str = OPEN
    label: str = ""
    system: str = ""
    names: Names = OWN_NAMES

    @classmethod
    def of(cls, query: Mapping[str, str], names: Names = OWN_NAMES) -> "Filters":
        """The filters of an address, whose system is called as `names` say; an unknown state counts as open."""
        state = query.get("state", OPEN)
        return cls(state if state in STATES else OPEN, query.get("label", ""), query.get("system", ""), names)

    def address(self, **more: str) -> str:
        """The query string of these filters, without empty ones."""
        given = {"state": self.state if self.state != OPEN else "", "label": self.label, "system": self.system, **more}
        return "?" + urlencode({name: value for name, value in given.items() if value})

    def covers(self, span: MarkedSpan) -> bool:
        """Whether label and system fit, whatever the state."""
        return (not self.label or span.label == self.label) and (
            not self.system or self.names.shown(span.output) == self.system
        )

    def fits(self, span: MarkedSpan) -> bool:
        """Whether label, system and state fit."""
        return self.covers(span) and self.state in ("all", span.state)


@dataclass(frozen=True)
class Queue:
    """The spans that match the filters and the one on the page; `done` of `total` are decided.

    In a large study, `place` and `count` are 0, `kept` says of when the other numbers are, and `reached` is the span
    up to which the page has looked for the next one.
    """

    span: MarkedSpan | None
    before: MarkedSpan | None
    after: MarkedSpan | None
    place: int
    count: int
    done: int
    total: int
    labels: Sequence[str]
    systems: Sequence[str]
    kept: KeptCounts | None = None
    reached: MarkedSpan | None = None


@dataclass(frozen=True)
class SpanCounts:
    """The number of spans and of decided ones; `kept` says of when they are, None: of this moment."""

    total: int
    decided: int
    kept: KeptCounts | None = None


def span_counts(study: Study) -> SpanCounts:
    """The counts of the study's spans. Raises ImportPendingError."""
    if exceeds(span_ratings(study), MOST_AT_ONCE):
        kept = kept_counts(study, SPANS, OF_NO_SPAN)
        rows = kept.figures.get("counts", [])
        return SpanCounts(_sum(rows), _sum(row for row in rows if row[2] != OPEN), kept)
    spans = marked_spans(study)
    return SpanCounts(len(spans), sum(span.state != OPEN for span in spans))


def queue(study: Study, filters: Filters, at: str = "", beyond: str = "") -> Queue:
    """The queue at the span `at`, or at the first one after the span `beyond`, or else at the first.

    Raises ImportPendingError.
    """
    if exceeds(span_ratings(study), MOST_AT_ONCE):
        return _large_queue(study, filters, at, beyond)
    spans = marked_spans(study)
    covered = [span for span in spans if filters.covers(span)]
    left = [span for span in covered if filters.state in ("all", span.state) or span.key == at]
    order = {span.key: place for place, span in enumerate(spans)}
    start = order.get(beyond, -1)
    place = next((place for place, span in enumerate(left) if span.key == at), None)
    if place is None:
        place = next((place for place, span in enumerate(left) if order[span.key] > start), 0)
    return Queue(
        span=left[place] if left else None,
        before=left[place - 1] if left and place else None,
        after=left[place + 1] if place + 1 < len(left) else None,
        place=place + 1,
        count=len(left),
        done=sum(span.state != OPEN for span in covered),
        total=len(covered),
        labels=sorted({span.label for span in spans if span.label}),
        systems=sorted({filters.names.shown(span.output) for span in spans if span.output}),
    )


def _large_queue(study: Study, filters: Filters, at: str, beyond: str) -> Queue:
    """The same queue of a large study, found in steps from a place on."""
    kept = kept_counts(study, SPANS, OF_NO_SPAN)
    rows = kept.figures.get("counts", [])
    span, past = span_at(study, at), span_at(study, beyond)
    step = Step(span)
    if span is None:
        decided = filters.state == OPEN and kept.are_there and past is None
        step = next_span(study, filters.fits, past, (kept.figures["first_open"] or 0) if decided else 0)
        if step == Step() and past is not None:  # after the last one comes the first
            step = next_span(study, filters.fits)
    found = step.span
    covered = [
        row for row in rows if filters.label in ("", row[0]) and filters.system in ("", filters.names.shown(row[1]))
    ]
    return Queue(
        span=found,
        before=next_span(study, filters.fits, found, forward=False).span if found else None,
        after=next_span(study, filters.fits, found).span if found else None,
        place=0,
        count=0,
        done=_sum(row for row in covered if row[2] != OPEN),
        total=_sum(covered),
        labels=sorted({row[0] for row in rows if row[0]}),
        systems=sorted({filters.names.shown(row[1]) for row in rows if row[1]}),
        kept=kept,
        reached=step.reached,
    )


def _sum(rows: Iterable[Sequence[Any]]) -> int:
    """The number of spans in rows of label, system, state and number."""
    return sum(row[3] for row in rows)


def described(span: MarkedSpan) -> dict[str, Any]:
    """The page's context of a span: its text in pieces, the document, its rater, its reviews."""
    rating = Rating.objects.select_related("item", "rater", "question", "study").get(pk=span.rating)
    text = rating.item.document
    if span.output is not None:
        text = Output.objects.values_list("text", flat=True).get(item=rating.item_id, key=span.output)
    return {
        "rating": rating,
        "span": span,
        "pieces": pieces(text, [span.body]),
        "in_document": span.output is None,
        "reviews": SpanReview.objects.filter(rating=rating, index=span.index).select_related("by").order_by("-number"),
    }


def reasons_used(study: Study) -> list[str]:
    """The latest distinct reasons, to choose one again."""
    rows = SpanReview.objects.filter(rating__study=study).exclude(reason="").order_by("-pk")
    return list(dict.fromkeys(rows.values_list("reason", flat=True)[: REASONS * 5]))[:REASONS]
