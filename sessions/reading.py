"""A line of sessions.jsonl, checked by itself, in the form in which an export would write it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.importing import fields
from annotation.importing.problems import FieldInvalidError, quoted
from annotation.text import TextRefusedError, check_id, given, time_text
from sessions.labelling import VALUES
from sessions.lines import IN_SESSION_LINES
from sessions.options import LONGEST_MODEL
from sessions.workflow import ABANDONED, DONE, EDITABLE, INFORMATION, KINDS, MAX_TURNS, SATISFIED, Step
from sessions.workflow import current_answer as current_of

SESSION_KEYS = frozenset({
    "id", "item", "rater", "model", "status", "started_at", "ended_at", "initial_answer", "initial_passages", "turns",
    "final_answer",
})  # fmt: skip
TURN_KEYS = frozenset({
    "number", "instruction", "kind", "passages", "searcher", "index", "summary", "previous_answer", "answer",
    "rating", "comment", "edited_answer", "submitted_at", "seconds", *IN_SESSION_LINES,
})  # fmt: skip
PASSAGE_KEYS = frozenset({"document", "paragraph", "rank", "score", "text"})
STATUSES = (SATISFIED, MAX_TURNS, ABANDONED)
RATINGS = ("good", "neutral", "bad")
LONGEST_NAME = 200


@dataclass(slots=True)
class ReadSession:
    """A checked session: `body` as an export would write it, times as texts, absent values left out."""

    line: int
    body: dict[str, Any]
    times: dict[str, Any]

    @property
    def turns(self) -> list[dict[str, Any]]:
        turns: list[dict[str, Any]] = self.body["turns"]
        return turns


def read_session(line: int, body: Mapping[str, Any]) -> ReadSession:
    """A checked line; raises FieldInvalidError."""
    fields.only(body, SESSION_KEYS, "a session")
    times = {name: fields.moment(body, name) for name in ("started_at", "ended_at")}
    status = body.get("status")
    if status is not None and status not in STATUSES:
        raise FieldInvalidError("status", f"must be one of {', '.join(STATUSES)}, or absent where it goes on")
    if status is None and times["ended_at"] is not None:
        raise FieldInvalidError("ended_at", "stands where no status says how the session ended")
    read = given(
        {
            "id": _id(body, "id"),
            "item": _id(body, "item"),
            "rater": _id(body, "rater"),
            "model": _model(body),
            "status": status,
            **{name: time_text(time) for name, time in times.items()},
            "initial_answer": _needed(body, "initial_answer"),
            "initial_passages": _passages(body, "initial_passages"),
            "turns": _turns(body.get("turns"), status),
        }
    )
    final = fields.text(body, "final_answer")
    current = _current(read)
    if final is not None and final != current:
        raise FieldInvalidError("final_answer", "is not the answer that the session's turns end with")
    read["final_answer"] = current
    return ReadSession(line, read, times)


def _current(read: Mapping[str, Any]) -> str | None:
    steps = [Step(0, DONE, read["initial_answer"])]
    steps += [
        Step(turn["number"], DONE, turn["answer"], turn.get("rating"), turn.get("edited_answer"))
        for turn in read["turns"]
    ]
    return current_of(steps)[0]


def _id(body: Mapping[str, Any], field: str) -> str:
    value = body.get(field)
    if value is None:
        raise FieldInvalidError(field, "is missing")
    try:
        return check_id(value, field)
    except TextRefusedError as problem:
        raise FieldInvalidError(problem.place, problem.reason) from None


def _needed(body: Mapping[str, Any], field: str) -> str:
    value = fields.text(body, field)
    if value is None:
        raise FieldInvalidError(field, "is missing")
    return value


def _model(body: Mapping[str, Any]) -> str:
    """The model's name: imported sessions may name one in their own way."""
    value = _needed(body, "model")
    if not value or len(value) > LONGEST_MODEL:
        raise FieldInvalidError("model", f"must have 1 to {LONGEST_MODEL} characters")
    return value


def _turns(value: Any, status: str | None) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        raise FieldInvalidError("turns", "is missing" if value is None else "must be a list")
    turns = []
    for place, body in enumerate(value):
        if not isinstance(body, dict):
            raise FieldInvalidError(f"turns.{place}", "must be an object")
        try:
            turns.append(_turn(body, place + 1, is_last=place + 1 == len(value)))
        except FieldInvalidError as problem:
            raise FieldInvalidError(f"turns.{place}.{problem.field}", problem.reason) from None
    if status in (SATISFIED, MAX_TURNS) and not any("rating" in turn for turn in turns):
        raise FieldInvalidError("turns", f"holds no rated turn, without which no session ends as {status}")
    return turns


def _turn(body: Mapping[str, Any], number: int, is_last: bool) -> dict[str, Any]:
    fields.only(body, TURN_KEYS, "a turn")
    if type(body.get("number")) is not int or body["number"] != number:
        raise FieldInvalidError("number", f"must be {number}: turns are numbered 1, 2, ... in order")
    kind, rating, edited = body.get("kind"), body.get("rating"), fields.text(body, "edited_answer")
    if not isinstance(kind, str) or kind not in KINDS:
        raise FieldInvalidError("kind", f"must be one of {', '.join(KINDS)}, not {quoted(kind)}")
    if rating is not None and rating not in RATINGS:
        raise FieldInvalidError("rating", f"must be one of {', '.join(RATINGS)}, not {quoted(rating)}")
    if rating is None and not is_last:
        raise FieldInvalidError("rating", "is missing: only the last turn of a session may be unrated")
    if edited is not None and rating not in EDITABLE:
        raise FieldInvalidError("edited_answer", f"stands at a turn that is not rated {' or '.join(EDITABLE)}")
    for field in ("passages", "summary"):
        if kind != INFORMATION and body.get(field) is not None:
            raise FieldInvalidError(field, f"stands at a turn that is not of kind {INFORMATION}")
    comment = fields.text(body, "comment")
    if rating is None and comment is not None:
        raise FieldInvalidError("comment", "stands where there is no rating")
    return given(
        {
            "number": number,
            "instruction": _needed(body, "instruction"),
            "kind": kind,
            "passages": _passages(body, "passages"),
            "searcher": fields.text(body, "searcher", LONGEST_NAME) or None,
            "index": fields.text(body, "index", LONGEST_NAME) or None,
            "summary": fields.text(body, "summary"),
            "previous_answer": _needed(body, "previous_answer"),
            "answer": _needed(body, "answer"),
            "rating": rating,
            "comment": comment,
            "edited_answer": edited,
            "submitted_at": time_text(fields.moment(body, "submitted_at")),
            "seconds": fields.seconds(body, "seconds"),
            **{kind: _label(body, kind) for kind in IN_SESSION_LINES},
        }
    )


def _label(body: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    value = body.get(kind)
    if value is None:
        return None
    if not isinstance(value, dict) or value.keys() != {"value", "rater"}:
        raise FieldInvalidError(kind, "must be an object with value and rater")
    if value["value"] not in VALUES[kind]:
        raise FieldInvalidError(kind, f"must be one of: {', '.join(VALUES[kind])}")
    return {"value": value["value"], "rater": _id(value, "rater")}


def _passages(body: Mapping[str, Any], field: str) -> list[dict[str, Any]] | None:
    value = body.get(field)
    if value is None:
        return None
    if not isinstance(value, list):
        raise FieldInvalidError(field, "must be a list")
    for place, passage in enumerate(value):
        if not isinstance(passage, dict) or not {"document", "paragraph", "text"} <= passage.keys() <= PASSAGE_KEYS:
            raise FieldInvalidError(f"{field}.{place}", "must be an object with document, paragraph, rank, score, text")
        if not isinstance(passage["document"], str) or not isinstance(passage["text"], str):
            raise FieldInvalidError(f"{field}.{place}", "document and text must be text")
        if fields.whole(passage, "paragraph") is None:
            raise FieldInvalidError(f"{field}.{place}.paragraph", "must be a whole number, 0 or more")
        fields.whole(passage, "rank", 1)
        score = passage.get("score")
        if score is not None and type(score) not in (int, float):
            raise FieldInvalidError(f"{field}.{place}.score", "must be a number")
    return value
