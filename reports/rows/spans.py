"""Ratings that mark spans, with what researchers said of the spans."""

import json
import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from agreement.spans import Mark, Spans, collect_spans
from annotation.marked_spans import marked_spans
from annotation.models import Item, Output, Question, SpanReview
from reports.rows import CHUNK, Choice, stream
from reports.rows.material import Material

TOKEN = re.compile(r"\S+")
DECIDED = {SpanReview.Verdict.CONFIRMED.value: True, SpanReview.Verdict.REJECTED.value: False}

Text = tuple[Hashable, str | None]
"""A text that is looked through: an item and the system that wrote the output, None for the item's document."""


def spans(material: Material, question: Question, choice: Choice) -> Spans:
    """The chosen answers to one spans question, one a rater and text that they marked or said to be free of spans.

    A span that names no output lies in the item's document. Words are what stands between blanks.
    """
    decided, in_document = verdicts(material, question), question.spec.get("on") == "document"
    items: list[int] = []
    outputs: list[str | None] = []
    raters: list[str] = []
    marks: list[list[Mark]] = []
    rows = choice.rows(material.study).filter(question=question)
    for rating, item, rater, raw in stream(rows, "pk", "item_id", "rater_id", "raw_value"):
        value = json.loads(raw)
        marked: dict[str | None, list[Mark]] = {key: [] for key in value["none"]}
        for index, span in enumerate(value["spans"]):
            mark = Mark(span["start"], span["end"], span.get("label") or "", decided.get((rating, index)))
            marked.setdefault(span.get("output"), []).append(mark)
        if in_document:
            marked.setdefault(None, [])
        for output, own in marked.items():
            items.append(item)
            outputs.append(output)
            raters.append(material.raters[rater])
            marks.append(own)
    lengths, tokens = _texts(material, set(zip(items, outputs, strict=True)))
    made = collect_spans(items, outputs, raters, marks, lengths, tokens)
    return replace(made, item=material.codes(dict.fromkeys(items))[made.item]) if items else made


def verdicts(material: Material, question: Question) -> dict[tuple[int, int], bool]:
    """Whether each span, by rating and index, was confirmed; those on which nothing stands are left out."""
    marked = marked_spans(material.study, question)
    return {span.place: DECIDED[span.state] for span in marked if span.state in DECIDED}


def _texts(material: Material, wanted: set[Text]) -> tuple[dict[Text, int], dict[Text, Sequence[tuple[int, int]]]]:
    """How many code points each of these texts has, and where its words stand."""
    lengths: dict[Text, int] = {}
    tokens: dict[Text, Sequence[tuple[int, int]]] = {}
    outputs = Output.objects.filter(item__study=material.study).order_by().values_list("item_id", "key", "text")
    sources: list[Iterable[tuple[int, str | None, str]]] = []
    if any(output is not None for _, output in wanted):
        sources.append(outputs.iterator(chunk_size=CHUNK))
    if any(output is None for _, output in wanted):
        texts = Item.objects.filter(study=material.study).order_by().values_list("pk", "document")
        sources.append((item, None, text) for item, text in texts.iterator(chunk_size=CHUNK))
    for item, output, text in chain.from_iterable(sources):
        name: Text = (item, output)
        if name in wanted:
            lengths[name] = len(text)
            tokens[name] = [word.span() for word in TOKEN.finditer(text)]
    return lengths, tokens
