"""Rules about marked spans: where they are, what they quote, and which of them reviews are about."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.models import Output
from operating.data_check import DataCheck, Row, sql_rows

SPANS = (
    "SELECT r.id, r.item_id, r.value, i.document FROM annotation_rating r JOIN annotation_item i ON i.id = r.item_id "
    "WHERE r.level = 'span' ORDER BY r.item_id, r.id"
)
REVIEWED = (
    'SELECT v.id, v.rating_id, v."index", r.value FROM annotation_spanreview v '
    "JOIN annotation_rating r ON r.id = v.rating_id ORDER BY v.id"
)


def misplaced() -> Iterator[Row]:
    """Spans outside of their text, or that quote something else; the outputs of one item are kept at a time."""
    item, texts = None, {}
    for row in sql_rows(SPANS):
        if row["item_id"] != item:
            item = row["item_id"]
            texts = dict(Output.objects.filter(item=item).values_list("key", "text"))
        for index, span in enumerate(spans_in(row["value"])):
            text = row["document"] if span.get("output") is None else texts.get(span["output"])
            if not _fits(span, text):
                yield {"rating": row["id"], "span": index, "start": span.get("start"), "end": span.get("end")}


def reviews_of_nothing() -> Iterator[Row]:
    for row in sql_rows(REVIEWED):
        if row["index"] >= len(spans_in(row["value"])):
            yield {"review": row["id"], "rating": row["rating_id"], "span": row["index"]}


def spans_in(value: str) -> list[Mapping[str, Any]]:
    """The spans of a stored answer, whatever its shape is."""
    said = json.loads(value)
    found = said.get("spans") if isinstance(said, dict) else None
    return [span for span in found if isinstance(span, dict)] if isinstance(found, list) else []


def _fits(span: Mapping[str, Any], text: str | None) -> bool:
    start, end = span.get("start"), span.get("end")
    if text is None or not isinstance(start, int) or not isinstance(end, int):
        return False
    return 0 <= start < end <= len(text) and span.get("text", text[start:end]) == text[start:end]


CHECKS = (
    DataCheck("misplaced_spans", "A marked span is outside of its text, or quotes other words.", misplaced),
    DataCheck("reviews_of_no_span", "A verdict is about a span that the answer does not have.", reviews_of_nothing),
)
