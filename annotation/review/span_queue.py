"""The filtered queue of marked spans, and the page of one span."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from annotation.models import Output, Rating, SpanReview, Study
from annotation.review.marked_spans import OPEN, MarkedSpan, marked_spans, pieces

STATES = (OPEN, SpanReview.Verdict.CONFIRMED.value, SpanReview.Verdict.REJECTED.value, "all")
REASONS = 8


@dataclass(frozen=True)
class Filters:
    """Filters from the address: spans of a state, with a label, in outputs of a system ("": any)."""

    state: str = OPEN
    label: str = ""
    system: str = ""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Filters":
        """The filters of an address; an unknown state counts as open."""
        state = query.get("state", OPEN)
        return cls(state if state in STATES else OPEN, query.get("label", ""), query.get("system", ""))

    def address(self, **more: str) -> str:
        """The query string of these filters, without empty ones."""
        given = {"state": self.state if self.state != OPEN else "", "label": self.label, "system": self.system, **more}
        return "?" + urlencode({name: value for name, value in given.items() if value})

    def covers(self, span: MarkedSpan) -> bool:
        """Whether label and system fit, whatever the state."""
        return (not self.label or span.label == self.label) and (not self.system or span.output == self.system)


@dataclass(frozen=True)
class Queue:
    """The spans that match the filters and the one on the page; `done` of `total` are decided."""

    span: MarkedSpan | None
    before: MarkedSpan | None
    after: MarkedSpan | None
    place: int
    count: int
    done: int
    total: int
    labels: Sequence[str]
    systems: Sequence[str]


def queue(study: Study, filters: Filters, at: str = "", beyond: str = "") -> Queue:
    """The queue at the span `at`, or at the first one after the span `beyond`, or else at the first."""
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
        systems=sorted({span.output for span in spans if span.output}),
    )


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
