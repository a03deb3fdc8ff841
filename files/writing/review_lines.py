"""The lines of `reviews.jsonl`: researchers' verdicts on marked spans, spot checks of answers, answers to flags.

They are in the order of items, then of the answers and spans that they review; natural keys compare by code point.
"""

from collections.abc import Collection, Iterator
from typing import Any

from annotation.blinding import Names, names_of, systems_of
from annotation.models import FlagAnswer, Rater, SpanReview, SpotCheck, Study
from annotation.protocols import Protocol, Unit, protocol_of
from files.writing.study_lines import Line, given, task_outputs, time_text

TASK = ("task_id", "task__item_id", "task__item__key", "task__variant", "rater__name", "revision")
COMMON = ("number", "verdict", "by__name", "at")
SPAN = (
    "rating__annotation_id", "rating__item_id", "rating__item__key", "rating__output__position", "rating__output__key",
    "rating__other_output__position", "rating__other_output__key", "rating__rater__name", "rating__question__position",
    "rating__question__key", "rating__submitted_at", "rating__ordinal", "rating__run", "rating__replicate",
    "rating__rater__kind", "index", "reason",
)  # fmt: skip
Outputs = dict[int, list[tuple[Any, str]]]
Sorted = tuple[tuple[Any, ...], Line]


def has_reviews(study: Study) -> bool:
    """Whether the study has any reviews."""
    return (
        SpotCheck.objects.filter(annotation__rater__study=study).exists()
        or SpanReview.objects.filter(rating__study=study).exists()
        or FlagAnswer.objects.filter(rater__study=study).exists()
    )


def review_lines(study: Study) -> Iterator[Line]:
    """Every review, including those that a later one replaced."""
    names, systems = names_of(study), systems_of(study)
    found = [*_answers(study, names), *_spans(study, names), *_flags(study, names)]
    found.sort(key=lambda pair: pair[0])
    for _, line in found:
        yield {**line, "variant": names.known(line["variant"], systems)} if "variant" in line else line


def _answers(study: Study, names: Names) -> Iterator[Sorted]:
    about = [f"annotation__{name}" for name in TASK]
    rows = SpotCheck.objects.filter(annotation__rater__study=study).values(*about, *COMMON, "note", "seen_at")
    outputs = _told({row["annotation__task_id"] for row in rows}, names)
    for row in rows:
        place, line = _task(row, "annotation__", outputs)
        said = {"note": row["note"] or None, "seen_at": time_text(row["seen_at"])}
        yield (*place, "", 0, row["number"]), given({"review": "answer", **line, **_said(row), **said})


def _spans(study: Study, names: Names) -> Iterator[Sorted]:
    protocol = protocol_of(study)
    about = [f"rating__annotation__{name}" for name in TASK]
    rows = SpanReview.objects.filter(rating__study=study).values(*about, *SPAN, *COMMON)
    outputs = _told({row[about[0]] for row in rows if row[about[0]]}, names)
    for row in rows:
        belongs = row["rating__annotation_id"] is not None
        place, line = _task(row, "rating__annotation__", outputs) if belongs else _unit(row, protocol, names)
        question = f"{row['rating__question__position']:06}"
        said = {"question": row["rating__question__key"], "index": row["index"]}
        order = (*place, question, row["index"], row["number"])
        yield order, given({"review": "span", **line, **said, **_said(row), "reason": row["reason"] or None})


def _flags(study: Study, names: Names) -> Iterator[Sorted]:
    about = (*TASK[:-1], "number", "outcome", "by__name", "at", "flag", "note", "seen_at")
    rows = FlagAnswer.objects.filter(rater__study=study).values(*about)
    outputs = _told({row["task_id"] for row in rows}, names)
    for row in rows:
        place, line = _task({**row, "revision": 0}, "", outputs)
        said = {"flag": row["flag"], "note": row["note"], "seen_at": time_text(row["seen_at"])}
        about_flag = {**line, "revision": None, **_said({**row, "verdict": row["outcome"]}), **said}
        yield (*place, "", 0, row["number"]), given({"review": "flag", **about_flag})


def _told(tasks: Collection[int], names: Names) -> Outputs:
    """The outputs of each task as they are called, in the task's order or by code, each with what it is sorted by."""
    found = task_outputs(sorted(tasks))
    if not names.are_codes:  # the order of import would tell systems apart
        return dict(found)
    return {task: sorted((names.shown(key),) * 2 for _, key in outputs) for task, outputs in found.items()}


def _task(row: dict[str, Any], way: str, outputs: Outputs) -> Sorted:
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


def _unit(row: dict[str, Any], protocol: Protocol, names: Names) -> Sorted:
    """The reviewed imported rating, by the keys that distinguish ratings."""
    own, other = (names.shown(row[f"rating__{name}__key"]) for name in ("output", "other_output"))
    stored = [row["rating__output__position"], row["rating__other_output__position"]]
    order = [one or "" for one in (own, other)] if names.are_codes else [-1 if one is None else one for one in stored]
    at, ordinal = time_text(row["rating__submitted_at"]), row["rating__ordinal"]
    person = row["rating__rater__kind"] == Rater.Kind.HUMAN
    run, replicate = ("", None) if person else (row["rating__run"], row["rating__replicate"])
    line = {
        "item": row["rating__item__key"],
        **protocol.unit_line(Unit(own, other)),
        "rater": row["rating__rater__name"],
        "submitted_at": at,
        "ordinal": ordinal or None,
        "run": run or None,
        "replicate": replicate,
    }
    apart = (at or "") + (f"\0{run}\0{replicate or 0:010}" if run or replicate is not None else "")
    return (row["rating__item_id"], order, apart, row["rating__rater__name"], ordinal), line


def _said(row: dict[str, Any]) -> Line:
    return {
        "number": row["number"],
        "verdict": row["verdict"],
        "reviewer": row["by__name"],
        "at": time_text(row["at"]),
    }
