"""Ratings that mark spans, with the verdicts on the spans."""

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from agreement.spans.span_marks import Mark, SpanAnswers, collect_spans
from agreement.text_lengths import token_places
from annotation.models import Item, Output, Question, SpanReview
from annotation.questions.spans import severities
from annotation.review.marked_spans import marked_spans
from reports.figures.rows import CHUNK, Choice, answers
from reports.figures.rows.rated_items import RatedItems

DECIDED = {SpanReview.Verdict.CONFIRMED.value: True, SpanReview.Verdict.REJECTED.value: False}

Text = tuple[Hashable, str | None]
"""A text: an item and the system that wrote the output, or None for the item's document."""


def spans(rated: RatedItems, question: Question, choice: Choice) -> SpanAnswers:
    """The chosen answers to one spans question, one per rater and text, whether or not the rater marked anything.

    A span without an output is in the item's document. Words are those of `agreement.text_lengths`.
    """
    decided, in_document = verdicts(rated, question), question.spec.get("on") == "document"
    weights = severities(question.spec)
    items: list[int] = []
    outputs: list[str | None] = []
    raters: list[str] = []
    marks: list[list[Mark]] = []
    shown = rated.names.shown
    rows = answers(rated.study, question, choice, "pk", "item_id", "rater_id", "raw_value")
    for rating, item, rater, raw in rows:
        value = json.loads(raw)
        marked: dict[str | None, list[Mark]] = {shown(key): [] for key in value["none"]}
        for index, span in enumerate(value["spans"]):
            verdict, weight = decided.get((rating, index)), weights.get(span.get("severity", ""), 0.0)
            mark = Mark(span["start"], span["end"], span.get("label") or "", verdict, weight)
            marked.setdefault(shown(span.get("output")), []).append(mark)
        if in_document:
            marked.setdefault(None, [])
        for output, own in marked.items():
            items.append(item)
            outputs.append(output)
            raters.append(rated.raters[rater])
            marks.append(own)
    lengths, tokens = _texts(rated, set(zip(items, outputs, strict=True)))
    made = collect_spans(items, outputs, raters, marks, lengths, tokens)
    return replace(made, item=rated.codes(dict.fromkeys(items))[made.item]) if items else made


def verdicts(rated: RatedItems, question: Question) -> dict[tuple[int, int], bool]:
    """Whether each span, by rating and index, was confirmed; spans without a verdict are left out."""
    marked = marked_spans(rated.study, question)
    return {span.place: DECIDED[span.state] for span in marked if span.state in DECIDED}


def _texts(rated: RatedItems, wanted: set[Text]) -> tuple[dict[Text, int], dict[Text, Sequence[tuple[int, int]]]]:
    """The length of each of these texts in code points, and the positions of its words."""
    lengths: dict[Text, int] = {}
    tokens: dict[Text, Sequence[tuple[int, int]]] = {}
    outputs = Output.objects.filter(item__study=rated.study).order_by().values_list("item_id", "key", "text")
    sources: list[Iterable[tuple[int, str | None, str]]] = []
    if any(output is not None for _, output in wanted):
        listed = outputs.iterator(chunk_size=CHUNK)
        sources.append((item, rated.names.shown(key), text) for item, key, text in listed)
    if any(output is None for _, output in wanted):
        texts = Item.objects.filter(study=rated.study).order_by().values_list("pk", "document")
        sources.append((item, None, text) for item, text in texts.iterator(chunk_size=CHUNK))
    for item, output, text in chain.from_iterable(sources):
        name: Text = (item, output)
        if name in wanted:
            lengths[name] = len(text)
            tokens[name] = list(token_places(text))
    return lengths, tokens
