"""Marked spans of outputs or of the document, each with its position, text, label and note."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext

from annotation.answers import Form, Sheet, ShownOutput
from annotation.questions import QuestionType, SpecInvalidError, ValueInvalidError, is_number
from annotation.spec_fields import SpecField
from annotation.typed_columns import Column, record, records, text, texts, whole
from config.text_validation import TextRefusedError, check_json

MOST_SPANS = 500
MOST_LABELS = 59
"""One less than the figures of spans can distinguish, because a span may have no label."""
LONGEST_NOTE = 2000
LONGEST_KEYS = 100
"""An upper bound for a span's keys, numbers and punctuation in JSON."""
FREE = "none"
SPAN_KEYS = frozenset({"output", "start", "end", "text", "label", "note"})
MQM: Mapping[str, float] = {"minor": 1, "major": 5, "critical": 25}
"""The weights of severities in Multidimensional Quality Metrics."""
MOST_SEVERITIES = 9
"""As many as there are keys for them."""
HEAVIEST = 10**6


class Spans(QuestionType):
    """{"spans": [{"output", "start", "end", "text", "label"?, "note"?}], "none": [outputs without any]}.

    Positions count code points, the end is exclusive, and `text` quotes the span. With `on: document` spans are in the
    item's document and name no output; an empty list then means that there are none. If the question has `severities`,
    every span has a `severity`.
    """

    key = "spans"
    label = "Marked spans"
    level = "span"
    spec_keys = frozenset({"labels", "on", "severities"})
    spec_fields = (
        SpecField(
            "on", "Text to mark", kind="choice", default="output",
            choices=(("output", "The outputs"), ("document", "The document")),
        ),
        SpecField(
            "labels", "Labels", kind="lines", default_text="spans have no labels",
            help=f"One per line, at most {MOST_LABELS}: what a marked span can be, such as a kind of error.",
        ),
        SpecField(
            "severities", "Severities", kind="numbers", default_text="spans have no severity",
            help="What each is called and how much it weighs, such as minor 1, major 5 and critical 25 (MQM).",
        ),
    )  # fmt: skip
    needs_outputs = True
    needs_texts = True

    def check_spec(self, spec: Mapping[str, Any]) -> None:
        if spec.get("on", "output") not in ("output", "document"):
            raise SpecInvalidError("on must be output or document")
        labels = spec.get("labels", [])
        named = isinstance(labels, list) and all(isinstance(label, str) and label for label in labels)
        if not named or len(set(labels)) != len(labels):
            raise SpecInvalidError("labels must be a list of different texts")
        if len(labels) > MOST_LABELS:
            raise SpecInvalidError(f"labels may be at most {MOST_LABELS}")
        if spec.get("per", "task") != "task":
            raise SpecInvalidError("per must be task: each span names its output")
        _check_severities(spec.get("severities"))

    def read(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> Any:
        sent = _sent(form, name)
        free = [*sent.get("none", []), *_ticked(form, name)]
        if spec.get("on") == "document":
            return {"spans": sent["spans"], "none": []} if sent["spans"] or free else None
        spans = [{**span, "output": _key(span.get("output"), sheet)} for span in sent["spans"]]
        if not spans and not free:
            return None
        spans.sort(key=lambda span: (_place(span, sheet), str(span.get("start")).zfill(12)))
        if spec.get("labels") and any(span.get("label") is None for span in spans):
            raise ValueInvalidError(gettext("has a span without a label: choose one"))
        if severities(spec) and any(span.get("severity") is None for span in spans):
            raise ValueInvalidError(gettext("has a span without a severity: choose one"))
        return {"spans": spans, "none": in_sheet_order({_key(letter, sheet) for letter in free}, sheet)}

    def unanswered(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> list[ShownOutput]:
        if spec.get("on") == "document":
            return []
        said = {span["output"] for span in value["spans"]} | set(value["none"])
        return [output for output in sheet.outputs if output.key not in said]

    def write(self, value: Any, name: str, sheet: Sheet) -> Form:
        whole = not value["spans"] and not value["none"]  # no spans in the document
        spans = [
            {**span, "output": sheet.letter_of(span["output"])} if "output" in span else span
            for span in sorted(value["spans"], key=lambda one: (_place(one, sheet), one["start"]))
        ]
        form = {name: [json.dumps({"spans": spans}, ensure_ascii=False)]} if spans else {}
        named = in_sheet_order(value["none"], sheet)
        free = [sheet.letter_of(key) for key in named] + (["ALL"] if whole else [])
        return {**form, **{f"{name}-{letter}": [FREE] for letter in free}}

    def shown(self, form: Mapping[str, list[str]], name: str, spec: Mapping[str, Any], sheet: Sheet) -> dict[str, Any]:
        raw = form.get(name, [""])[-1]
        ticked = set(_ticked(form, name))
        letters = ["ALL"] if spec.get("on") == "document" else [output.letter for output in sheet.outputs]
        rows = [{"letter": letter, "name": f"{name}-{letter}", "free": letter in ticked} for letter in letters]
        said = _said(form, name, ticked)
        return {"choices": [], "raw": raw, "value": said, "rows": rows, "severities": list(severities(spec))}

    def column(self, name: str, spec: Mapping[str, Any]) -> Column:
        fields = (
            whole("end"), text("label"), text("note"), text("output"), text("severity"), whole("start"), text("text"),
        )  # fmt: skip
        return record(name, "", texts("none"), records("spans", "", *fields))

    def longest(self, spec: Mapping[str, Any], sheet: Sheet) -> int:
        labels = spec.get("labels", [])
        texts = len(sheet.document) + sum(len(output.text) for output in sheet.outputs)
        per_span = LONGEST_KEYS + LONGEST_NOTE + max(map(len, labels), default=0)
        if severities(spec):
            per_span += LONGEST_KEYS + max(map(len, severities(spec)))
        # Spans with the same label do not overlap, so together they quote the texts at most once per label. JSON
        # writes a quotation mark or a line end as two characters.
        return 2 * (MOST_SPANS * per_span + texts * max(1, len(labels)))

    def check(self, value: Any, spec: Mapping[str, Any]) -> Any:
        if not isinstance(value, dict) or set(value) != {"spans", "none"}:
            raise ValueInvalidError('must be {"spans": [...], "none": [...]}')
        spans, free = value["spans"], value["none"]
        if not isinstance(spans, list) or not isinstance(free, list) or not all(isinstance(key, str) for key in free):
            raise ValueInvalidError("must contain a list of spans and a list of output ids")
        if len(spans) > MOST_SPANS:
            raise ValueInvalidError(f"has more than {MOST_SPANS} spans")
        for span in spans:
            _check_span(span, spec)
        if len(set(free)) != len(free):
            raise ValueInvalidError("names an output twice under none")
        if free and spec.get("on") == "document":
            raise ValueInvalidError("names outputs under none, but its spans are in the document")
        if {span.get("output") for span in spans} & set(free):
            raise ValueInvalidError("has spans in an output that is also listed under none: remove one of the two")
        _check_apart(spans)
        return value

    def check_shown(self, value: Any, spec: Mapping[str, Any], sheet: Sheet) -> None:
        known = set(sheet.keys)
        for key in [*(span["output"] for span in value["spans"] if "output" in span), *value["none"]]:
            if key not in known:
                raise ValueInvalidError(f"names {key!r}, which is not an output shown")
        for span in value["spans"]:
            text = sheet.text_of(span["output"]) if "output" in span else sheet.document
            quoted = (text or "")[span["start"] : span["end"]]
            if span["end"] > len(text or ""):
                raise ValueInvalidError(
                    f"marks {_quoted(span)} beyond the end of the text, which has {len(text or '')}"
                )
            if quoted != span["text"]:
                raise ValueInvalidError(f"marks {_quoted(span)}, but the text has “{_short(quoted)}” there")


def in_sheet_order(keys: Iterable[str], sheet: Sheet) -> list[str]:
    """Keys of outputs in the order shown; in an order of their own, they would tell raters how names sort."""
    there = set(keys)
    return [key for key in sheet.keys if key in there]


def _place(span: Mapping[str, Any], sheet: Sheet) -> int:
    """The place on the page of a span's output; -1 for the document."""
    return sheet.keys.index(span["output"]) if span.get("output") in sheet.keys else -1


def severities(spec: Mapping[str, Any]) -> dict[str, float]:
    """Return the weights of a question's severities, the lightest first; none for most questions."""
    given = spec.get("severities") or {}
    return dict(sorted((MQM if given is True else given).items(), key=lambda one: (one[1], one[0])))


def _check_severities(given: Any) -> None:
    if given is None or isinstance(given, bool):
        return
    if not isinstance(given, dict) or not all(isinstance(name, str) and name for name in given):
        raise SpecInvalidError("severities must be true or give a weight for each name: {name: number}")
    if not 1 <= len(given) <= MOST_SEVERITIES:
        raise SpecInvalidError(f"severities must be 1 to {MOST_SEVERITIES}")
    if not all(is_number(weight) and 0 <= weight <= HEAVIEST for weight in given.values()):
        raise SpecInvalidError(f"each weight of severities must be a number from 0 to {HEAVIEST}")


def _check_span(span: Any, spec: Mapping[str, Any]) -> None:
    in_document, weights = spec.get("on") == "document", severities(spec)
    needed = {"start", "end", "text"} | (set() if in_document else {"output"})
    known = (SPAN_KEYS | {"severity"} if weights else SPAN_KEYS) - ({"output"} if in_document else set())
    if not isinstance(span, dict) or not needed <= set(span) <= known:
        raise ValueInvalidError(f"has a span with missing or unknown keys: it needs {', '.join(sorted(needed))}")
    start, end, text = span["start"], span["end"], span["text"]
    if not isinstance(text, str) or not isinstance(span.get("output", ""), str):
        raise ValueInvalidError("has a span whose text or output is not a text")
    if type(start) is not int or type(end) is not int or start < 0:
        raise ValueInvalidError("has a span whose start or end is not a whole number, 0 or more")
    if end <= start or not text:
        raise ValueInvalidError("has an empty span")
    if len(text) != end - start:
        raise ValueInvalidError(f"marks {_quoted(span)}, which has {len(text)} characters, not {end - start}")
    label, note = span.get("label"), span.get("note")
    if label is not None and (not isinstance(label, str) or label not in spec.get("labels", [])):
        offered = ", ".join(spec.get("labels", [])) or "none: this question has no labels"
        raise ValueInvalidError(f"has a span with a label that is not offered; labels are {offered}")
    if weights and (not isinstance(span.get("severity"), str) or span["severity"] not in weights):
        raise ValueInvalidError(f"has a span without one of the severities: {', '.join(weights)}")
    if note is not None and (not isinstance(note, str) or len(note) > LONGEST_NOTE):
        raise ValueInvalidError(f"has a note that is not a text of at most {LONGEST_NOTE} characters")


def _check_apart(spans: list[dict[str, Any]]) -> None:
    """Raise ValueInvalidError if spans with the same label overlap."""
    groups: dict[tuple[Any, Any], list[dict[str, Any]]] = defaultdict(list)
    for span in spans:
        groups[span.get("output"), span.get("label")].append(span)
    for group in groups.values():
        for one, other in pairwise(sorted(group, key=lambda span: span["start"])):
            if other["start"] < one["end"]:
                reason = gettext("marks %(one)s and %(other)s, which overlap, with the same label")
                raise ValueInvalidError(reason % {"one": _quoted(one), "other": _quoted(other)})


def _sent(form: Mapping[str, list[str]], name: str) -> dict[str, Any]:
    """Return the value that the page's script sent, with outputs by letter. Raises ValueInvalidError."""
    raw = form.get(name, [""])[-1]
    try:
        sent = check_json(json.loads(raw)) if raw else {"spans": []}
    except (ValueError, RecursionError, TextRefusedError):
        raise ValueInvalidError(gettext("cannot be read: mark the spans again")) from None
    fits = isinstance(sent, dict) and isinstance(sent.get("spans"), list) and isinstance(sent.get("none", []), list)
    if not fits or not all(isinstance(span, dict) for span in sent["spans"]):
        raise ValueInvalidError(gettext("cannot be read: mark the spans again"))
    return sent


def _ticked(form: Mapping[str, list[str]], name: str) -> Iterator[str]:
    start = f"{name}-"
    return (field.removeprefix(start) for field, raw in form.items() if field.startswith(start) and FREE in raw)


def _key(letter: Any, sheet: Sheet) -> str:
    key = sheet.key_of(letter) if isinstance(letter, str) else None
    if key is None:
        raise ValueInvalidError(gettext("marks something in an output that was not shown"))
    return key


def _said(form: Mapping[str, list[str]], name: str, ticked: set[str]) -> str:
    """Return a form's spans as text, to show next to another version."""
    try:
        spans = _sent(form, name)["spans"]
    except ValueInvalidError:
        spans = []
    marked = [f"{span.get('output', '')} “{_short(str(span.get('text', '')))}”".strip() for span in spans]
    return "; ".join(
        [*marked, *(gettext("none in %(letter)s") % {"letter": letter} for letter in sorted(ticked - {"ALL"}))]
    )


def _quoted(span: Mapping[str, Any]) -> str:
    places = {"text": _short(span["text"]), "start": span["start"], "end": span["end"]}
    return gettext("“%(text)s” at %(start)s to %(end)s") % places


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


QUESTION_TYPE = Spans()
