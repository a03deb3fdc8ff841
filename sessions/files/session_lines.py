"""A line of sessions.jsonl, checked by itself, in the form in which an export would write it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import (
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from config.strict_models import INVALID, StrictModel, invalid, must_be, place_of
from config.text_validation import TextRefusedError, check_id, given, time_text
from files.import_problems import FieldInvalidError, quoted
from files.reading import line_fields
from sessions.files.session_export import IN_SESSION_LINES
from sessions.study_options import LONGEST_MODEL
from sessions.turn_labels import VALUES
from sessions.workflow import (
    ABANDONED,
    DONE,
    EDITABLE,
    INFORMATION,
    KINDS,
    MAX_TURNS,
    RATINGS,
    SATISFIED,
    TurnFacts,
    current_answer,
)

STATUSES = (SATISFIED, MAX_TURNS, ABANDONED)
LONGEST_NAME = 200
REASONS = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "int_type": "must be a whole number",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be at most {le}",
    "list_type": "must be a list",
    "model_type": "must be an object",
}
"""What is wrong, by the types of pydantic's errors."""


def read_by(read: Callable[[Mapping[str, Any], str], Any]) -> PlainValidator:
    """Validate a field as a function of line_fields does."""
    return PlainValidator(lambda value: read({"": value}, ""))


def one_of(values: Sequence[str], advice: str = "") -> PlainValidator:
    """Allow only these texts."""

    def check(value: Any) -> Any:
        if value not in values:
            raise invalid(f"must be one of {', '.join(values)}, not {quoted(value)}{advice}")
        return value

    return PlainValidator(check)


Id = Annotated[str, PlainValidator(lambda value: check_id(value, ""))]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Moment = Annotated[datetime, read_by(line_fields.moment)]


class PassageLine(StrictModel):
    """A passage that a search found."""

    document: str
    paragraph: Annotated[int, Field(ge=0, le=line_fields.GREATEST)]
    rank: Annotated[int, Field(ge=1, le=line_fields.GREATEST)] | None = None
    score: Annotated[int | float, must_be("a number")] | None = None
    text: str


class LabelInLine(StrictModel):
    """A turn's label, and who gave it."""

    value: str
    rater: Id


class TurnLine(StrictModel):
    """A turn with an answer."""

    number: int
    kind: Annotated[str, one_of(KINDS)]
    rating: Annotated[str, one_of(RATINGS)] | None = None
    instruction: str
    previous_answer: str
    answer: str
    edited_answer: str | None = None
    comment: str | None = None
    passages: list[PassageLine] | None = None
    searcher: Name | None = None
    index: Name | None = None
    summary: str | None = None
    submitted_at: Moment | None = None
    seconds: Annotated[float, read_by(line_fields.seconds)] | None = None
    instruction_type: LabelInLine | None = None
    error_category: LabelInLine | None = None

    @model_validator(mode="after")
    def check_kinds(self) -> Self:
        if self.kind != INFORMATION and (self.passages is not None or self.summary is not None):
            field = "summary" if self.passages is None else "passages"
            raise invalid(f"is only allowed in turns of kind {INFORMATION}", field)
        for kind in IN_SESSION_LINES:
            label = getattr(self, kind)
            if label is not None and label.value not in VALUES[kind]:
                raise invalid(f"must be one of: {', '.join(VALUES[kind])}", kind, "value")
        return self


class SessionLine(StrictModel):
    """A session with a first answer, and its turns."""

    id: Id
    item: Id
    rater: Id
    model: Annotated[str, Field(min_length=1, max_length=LONGEST_MODEL)]
    status: Annotated[str, one_of(STATUSES, "; leave it out while the session is active")] | None = None
    started_at: Moment | None = None
    ended_at: Moment | None = None
    initial_answer: str
    initial_passages: list[PassageLine] | None = None
    turns: list[TurnLine]
    final_answer: str | None = None

    @field_validator("ended_at")
    @classmethod
    def check_ended(cls, value: datetime | None, info: ValidationInfo) -> datetime | None:
        if value is not None and info.data.get("status") is None:
            raise invalid("needs a status that says how the session ended")
        return value

    @field_validator("turns")
    @classmethod
    def check_turns(cls, turns: list[TurnLine], info: ValidationInfo) -> list[TurnLine]:
        for place, turn in enumerate(turns):
            if turn.number != place + 1:
                raise invalid(f"must be {place + 1}: turns are numbered 1, 2, ... in order", place, "number")
            if turn.rating is None and turn is not turns[-1]:
                raise invalid("is missing: only the last turn of a session may be unrated", place, "rating")
            if turn.rating is None and turn.comment is not None:
                raise invalid("needs a rating", place, "comment")
            if turn.edited_answer is not None and turn.rating not in EDITABLE:
                raise invalid(f"is only allowed in turns rated {' or '.join(EDITABLE)}", place, "edited_answer")
        status = info.data.get("status")
        if status in (SATISFIED, MAX_TURNS) and not any(turn.rating for turn in turns):
            raise invalid(f"must include a rated turn if the status is {status}")
        return turns

    @property
    def current(self) -> str | None:
        """The session's current answer, as its turns say."""
        turns = [TurnFacts(turn.number, DONE, turn.answer, turn.rating, turn.edited_answer) for turn in self.turns]
        return current_answer([TurnFacts(0, DONE, self.initial_answer), *turns])[0]


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
    """Return a checked line. Raises FieldInvalidError."""
    try:
        session = SessionLine.model_validate(body)
    except ValidationError as problem:
        raise _first_mistake(problem) from None
    if session.final_answer not in (None, session.current):
        raise FieldInvalidError("final_answer", "is not the answer that the session's turns end with")
    times = {"started_at": session.started_at, "ended_at": session.ended_at}
    turns = [_as_exported(said, turn) for said, turn in zip(body["turns"], session.turns, strict=True)]
    changed = {"turns": turns, "final_answer": session.current, **{name: time_text(at) for name, at in times.items()}}
    return ReadSession(line, given({**body, **changed}), times)


def _as_exported(said: Mapping[str, Any], turn: TurnLine) -> dict[str, Any]:
    """Return a turn's part of the line as an export would write it."""
    changed = {"seconds": turn.seconds, "searcher": turn.searcher or None, "index": turn.index or None}
    return given({**said, **changed, "submitted_at": time_text(turn.submitted_at)})


def _first_mistake(problem: ValidationError) -> FieldInvalidError:
    """Return the first mistake of a line, with its place: an unknown key explains missing ones, so it comes first."""
    errors = problem.errors(include_url=False)
    error = next((one for one in errors if one["type"] == "extra_forbidden"), errors[0])
    place, context = place_of(error), error.get("ctx", {})
    if error["type"] == "extra_forbidden":
        place[-1] = quoted(place[-1])
    cause = context.get("error")
    if error["type"] == INVALID:
        reason = error["msg"]
    elif error["input"] is None:
        reason = REASONS["missing"]
    elif isinstance(cause, FieldInvalidError | TextRefusedError):
        reason = cause.reason
    else:
        reason = REASONS[error["type"]].format_map(context)
    return FieldInvalidError(".".join(place), reason)
