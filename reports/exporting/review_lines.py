"""The lines of `reviews.jsonl`: researchers' verdicts on marked spans, and their spot checks of answers.

They are in the order of items, then of the answers and spans that they review; natural keys compare by code point.
"""

from collections.abc import Iterator
from typing import Any

from annotation.models import Rater, SpanReview, SpotCheck, Study
from annotation.protocols import Protocol, Unit, protocol_of
from reports.exporting.study_lines import Line, given, task_outputs, time_text

TASK = ("task_id", "task__item_id", "task__item__key", "task__variant", "rater__name", "revision")
COMMON = ("number", "verdict", "by__name", "at")
SPAN = (
    "rating__annotation_id", "rating__item_id", "rating__item__key", "rating__output__position", "rating__output__key",
    "rating__other_output__position", "rating__other_output__key", "rating__rater__name", "rating__question__position",
    "rating__question__key", "rating__submitted_at", "rating__ordinal", "rating__run", "rating__replicate",
    "rating__rater__kind", "index", "reason",
)  # fmt: skip
Sorted = tuple[tuple[Any, ...], Line]


def has_reviews(study: Study) -> bool:
    """Whether the study has any reviews."""
    return (
        SpotCheck.objects.filter(annotation__rater__study=study).exists()
        or SpanReview.objects.filter(rating__study=study).exists()
    )


def review_lines(study: Study) -> Iterator[Line]:
    """Every review, including those that a later one replaced."""
    found = [*_answers(study), *_spans(study)]
    found.sort(key=lambda pair: pair[0])
    return (line for _, line in found)


def _answers(study: Study) -> Iterator[Sorted]:
    about = [f"annotation__{name}" for name in TASK]
    rows = SpotCheck.objects.filter(annotation__rater__study=study).values(*about, *COMMON, "note", "seen_at")
    outputs = task_outputs(sorted({row["annotation__task_id"] for row in rows}))
    for row in rows:
        place, line = _task(row, "annotation__", outputs)
        said = {"note": row["note"] or None, "seen_at": time_text(row["seen_at"])}
        yield (*place, "", 0, row["number"]), given({"review": "answer", **line, **_said(row), **said})


def _spans(study: Study) -> Iterator[Sorted]:
    protocol = protocol_of(study)
    about = [f"rating__annotation__{name}" for name in TASK]
    rows = SpanReview.objects.filter(rating__study=study).values(*about, *SPAN, *COMMON)
    outputs = task_outputs(sorted({row[about[0]] for row in rows if row[about[0]]}))
    for row in rows:
        belongs = row["rating__annotation_id"] is not None
        place, line = _task(row, "rating__annotation__", outputs) if belongs else _unit(row, protocol)
        question = f"{row['rating__question__position']:06}"
        said = {"question": row["rating__question__key"], "index": row["index"]}
        order = (*place, question, row["index"], row["number"])
        yield order, given({"review": "span", **line, **said, **_said(row), "reason": row["reason"] or None})


def _task(row: dict[str, Any], way: str, outputs: dict[int, list[tuple[int, str]]]) -> Sorted:
    """The reviewed answer, by its task, rater and revision."""
    task, item, key, variant, rater, revision = (row[way + name] for name in TASK)
    line = {
        "item": key,
        "outputs": [name for _, name in outputs[task]],
        "variant": variant or None,
        "rater": rater,
        "revision": revision,
    }
    return (item, [position for position, _ in outputs[task]], variant, rater, revision), line


def _unit(row: dict[str, Any], protocol: Protocol) -> Sorted:
    """The reviewed imported rating, by the keys that distinguish ratings."""
    places = [row["rating__output__position"], row["rating__other_output__position"]]
    at, ordinal = time_text(row["rating__submitted_at"]), row["rating__ordinal"]
    person = row["rating__rater__kind"] == Rater.Kind.HUMAN
    run, replicate = ("", None) if person else (row["rating__run"], row["rating__replicate"])
    line = {
        "item": row["rating__item__key"],
        **protocol.unit_line(Unit(row["rating__output__key"], row["rating__other_output__key"])),
        "rater": row["rating__rater__name"],
        "submitted_at": at,
        "ordinal": ordinal or None,
        "run": run or None,
        "replicate": replicate,
    }
    order = [-1 if place is None else place for place in places]
    apart = (at or "") + (f"\0{run}\0{replicate or 0:010}" if run or replicate is not None else "")
    return (row["rating__item_id"], order, apart, row["rating__rater__name"], ordinal), line


def _said(row: dict[str, Any]) -> Line:
    return {
        "number": row["number"],
        "verdict": row["verdict"],
        "reviewer": row["by__name"],
        "at": time_text(row["at"]),
    }
