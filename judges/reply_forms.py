"""The form in which a model replies: lines of text, or JSON by a schema where the run asks for it and the model can.

A protocol describes its answer once, as `OneOf`, `Whole`, `Ranks`, `TwoPlaces` or `NumberOnScale`. A `ReplyForm` says
how the prompt shows the form, which schema the request has, and reads the reply: both ways are strict, and both give
the same answers.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judges.options import Option
from judges.protocol import ReplyInvalidError
from judges.reply_normalising import BEFORE_LABEL, EMPTY, plain_reply
from judges.reply_parsing import (
    NO_ANSWER,
    NOT_WHOLE,
    OFF_SCALE,
    TWO_ANSWERS,
    after_label,
    answer_alone,
    bare,
    no_number,
    of_scale,
    one_of,
    single_line,
    whole_number,
)
from llm.capabilities import Needs
from llm.requests import Reply

SCHEMA = Option("yes", False, "whether the reply is JSON by a schema instead of text, which the model must support")
NO_EXPLANATION = "no explanation before the answer"
NOT_OBJECT = "not the JSON object requested"
FIELD_MISSING = "a field of the JSON object is missing"
FIELD_SURPLUS = "a field of the JSON object was not requested"
RANK_MISSING = "fewer ranks than outputs"
RANK_SURPLUS = "more ranks than outputs"
RANK_GAP = "ranks with a gap"
SAME_OUTPUT = "one output as best and as worst"
RANK_TIE = "a tie, which the question does not allow"
EXPLANATION = "Explanation"
TEXT_BLANK = "{text}"


def schema_needs(options: Mapping[str, Any]) -> Needs:
    """Return what a model must be able to do for a protocol whose only need is its option `schema`."""
    return Needs(json_schema=bool(options["schema"]))


@dataclass(frozen=True)
class FormAnswer(ABC):
    """An answer of a form: how it is requested and read. With an empty `label` it is all of a reply in text."""

    label: str

    @property
    def key(self) -> str:
        """The name of its field in JSON."""
        return self.label.casefold() or "answer"

    @abstractmethod
    def blank(self) -> str:
        """Return the blank of the form in text, as `llm.scripted.form_filling` fills it in."""

    @abstractmethod
    def json_blank(self) -> str:
        """Return the blank of the form in JSON."""

    @abstractmethod
    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the answer, with keywords that every provider of schemas knows."""

    @abstractmethod
    def from_text(self, text: str) -> Any:
        """Return the answer that is all of a text. Raises ReplyInvalidError."""

    @abstractmethod
    def from_json(self, value: Any) -> Any:
        """Return the answer that a JSON value is. Raises ReplyInvalidError."""


@dataclass(frozen=True)
class OneOf(FormAnswer):
    """One of several words."""

    choices: tuple[str, ...]

    def blank(self) -> str:
        return f"{{one of: {' | '.join(self.choices)}}}"

    def json_blank(self) -> str:
        return f'"{self.blank()}"'

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}

    def from_text(self, text: str) -> str:
        return one_of(text, self.choices)

    def from_json(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise ReplyInvalidError(NO_ANSWER)
        return value


@dataclass(frozen=True)
class Whole(FormAnswer):
    """A whole number from `low` to `high`."""

    low: int
    high: int

    def blank(self) -> str:
        return f"{{whole number from {self.low} to {self.high}}}"

    def json_blank(self) -> str:
        return self.blank()

    def schema(self) -> dict[str, Any]:
        return {"type": "integer"}

    def from_text(self, text: str) -> int:
        return whole_number(text, self.low, self.high)

    def from_json(self, value: Any) -> int:
        return _whole(value, self.low, self.high)


@dataclass(frozen=True)
class Ranks(FormAnswer):
    """A rank from 1 (best) to `most` for each of `count` outputs, in the order shown: [1, 2, 2, 3]."""

    count: int
    most: int
    ties: bool

    def blank(self) -> str:
        return f"{{ranks of {self.count} from 1 to {self.most}, {'ties allowed' if self.ties else 'no ties'}}}"

    def json_blank(self) -> str:
        return f"[{self.blank()}]"

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer"}}

    def from_text(self, text: str) -> list[int]:
        return self._checked(_whole_numbers(text))

    def from_json(self, value: Any) -> list[int]:
        if not isinstance(value, list):
            raise ReplyInvalidError(NO_ANSWER)
        return self._checked(value)

    def _checked(self, ranks: Sequence[Any]) -> list[int]:
        if len(ranks) != self.count:
            raise ReplyInvalidError(RANK_MISSING if len(ranks) < self.count else RANK_SURPLUS)
        found = [_whole(rank, 1, self.most) for rank in ranks]
        if set(found) != set(range(1, len(set(found)) + 1)):
            raise ReplyInvalidError(RANK_GAP)
        if not self.ties and len(set(found)) < len(found):
            raise ReplyInvalidError(RANK_TIE)
        return found


@dataclass(frozen=True)
class TwoPlaces(FormAnswer):
    """The numbers of two different outputs of `count`, from 1, in the order shown: [best, worst]."""

    count: int

    def blank(self) -> str:
        return f"{{two different numbers from 1 to {self.count}}}"

    def json_blank(self) -> str:
        return f"[{self.blank()}]"

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer"}}

    def from_text(self, text: str) -> list[int]:
        return self._checked(_whole_numbers(text))

    def from_json(self, value: Any) -> list[int]:
        if not isinstance(value, list):
            raise ReplyInvalidError(NO_ANSWER)
        return self._checked(value)

    def _checked(self, places: Sequence[Any]) -> list[int]:
        if len(places) != 2:
            raise ReplyInvalidError(NO_ANSWER if len(places) < 2 else TWO_ANSWERS)
        found = [_whole(place, 1, self.count) for place in places]
        if found[0] == found[1]:
            raise ReplyInvalidError(SAME_OUTPUT)
        return found


@dataclass(frozen=True)
class NumberOnScale(FormAnswer):
    """Any number from `low` to `high`, with a point before its decimals."""

    low: float
    high: float

    def blank(self) -> str:
        return f"{{number from {self.low:g} to {self.high:g}}}"

    def json_blank(self) -> str:
        return self.blank()

    def schema(self) -> dict[str, Any]:
        return {"type": "number"}

    def from_text(self, text: str) -> float:
        plain = of_scale(bare(text), self.high)
        if not re.fullmatch(r"-?[0-9]{1,10}(\.[0-9]{1,10})?", plain):
            raise ReplyInvalidError(no_number(plain))
        return self._checked(float(plain))

    def from_json(self, value: Any) -> float:
        if type(value) not in (int, float):
            raise ReplyInvalidError(NO_ANSWER)
        return self._checked(float(value))

    def _checked(self, number: float) -> float:
        if not self.low <= number <= self.high:
            raise ReplyInvalidError(OFF_SCALE)
        return number


@dataclass(frozen=True)
class ReplyForm:
    """What a reply must look like: an answer, after an explanation if it is to be `explained`."""

    answer: FormAnswer
    explained: bool = False
    as_json: bool = False

    def shown(self) -> str:
        """Return the form with its blanks, for the lines between [form] and [/form] of a prompt."""
        if self.as_json:
            explanation = f'"{EXPLANATION.casefold()}": "{TEXT_BLANK}", ' if self.explained else ""
            return f'{{{explanation}"{self.answer.key}": {self.answer.json_blank()}}}'
        explanation = f"{EXPLANATION}: {TEXT_BLANK}\n" if self.explained else ""
        return explanation + self._labelled(self.answer.blank())

    def filled(self, answer: str, explanation: str = "") -> str:
        """Return the form as a reply with this answer, for worked examples; the answer is a word."""
        if self.as_json:
            fields = {EXPLANATION.casefold(): explanation} if self.explained else {}
            return json.dumps({**fields, self.answer.key: answer}, ensure_ascii=False)
        return (f"{EXPLANATION}: {explanation}\n" if self.explained else "") + self._labelled(answer)

    def schema(self) -> dict[str, Any] | None:
        """Return the JSON schema of the request, or None for a reply in text."""
        if not self.as_json:
            return None
        fields: dict[str, Any] = {EXPLANATION.casefold(): {"type": "string"}} if self.explained else {}
        fields[self.answer.key] = self.answer.schema()
        return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

    def read(self, reply: Reply) -> tuple[Any, str]:
        """Return the answer and the explanation, or "". Raises ReplyInvalidError."""
        if self.as_json:
            return self._from_json(reply.parsed)
        plain = plain_reply(reply.text)
        return self._explained(plain) if self.explained else (self._alone(plain), "")

    def _labelled(self, answer: str) -> str:
        return f"{self.answer.label}: {answer}" if self.answer.label else answer

    def _explained(self, text: str) -> tuple[Any, str]:
        before, after = after_label(text, self.answer.label)
        if not after:
            raise ReplyInvalidError(NO_ANSWER)
        answer = self.answer.from_text(single_line(after))
        explanation = re.sub(rf"(?i)\A{BEFORE_LABEL}{EXPLANATION}[*_]*[ \t]*:[*_]*", "", before).strip()
        return answer, _some(explanation)

    def _alone(self, text: str) -> Any:
        try:
            plain = answer_alone(text, self.answer.label)
        except ReplyInvalidError as problem:
            raise ReplyInvalidError(NO_ANSWER if problem.reason == EMPTY else problem.reason) from None
        return self.answer.from_text(plain)

    def _from_json(self, parsed: Any) -> tuple[Any, str]:
        if not isinstance(parsed, dict):
            raise ReplyInvalidError(NOT_OBJECT)
        wanted = {self.answer.key, EXPLANATION.casefold()} if self.explained else {self.answer.key}
        if parsed.keys() != wanted:
            raise ReplyInvalidError(FIELD_MISSING if wanted - parsed.keys() else FIELD_SURPLUS)
        answer = self.answer.from_json(parsed[self.answer.key])
        if not self.explained:
            return answer, ""
        explanation = parsed[EXPLANATION.casefold()]
        return answer, _some(explanation.strip() if isinstance(explanation, str) else "")


def _some(explanation: str) -> str:
    """Return an explanation that has at least one letter. Raises ReplyInvalidError."""
    if explanation == TEXT_BLANK or not any(sign.isalpha() for sign in explanation):
        raise ReplyInvalidError(NO_EXPLANATION)
    return explanation


def _whole_numbers(text: str) -> list[int]:
    """Return the whole numbers that a text lists, separated by commas. Raises ReplyInvalidError."""
    plain = bare(text).strip("\"'\u201c\u201d`*_[]").removesuffix(".").rstrip()
    parts = [part.strip() for part in plain.split(",")]
    if not all(re.fullmatch(r"-?[0-9]{1,9}", part) for part in parts):
        decimal = any(re.fullmatch(r"-?[0-9]+\.[0-9]+", part) for part in parts)
        raise ReplyInvalidError(NOT_WHOLE if decimal else NO_ANSWER)
    return [int(part) for part in parts]


def _whole(value: Any, low: int, high: int) -> int:
    if type(value) is float:
        raise ReplyInvalidError(NOT_WHOLE)
    if type(value) is not int:
        raise ReplyInvalidError(NO_ANSWER)
    if not low <= value <= high:
        raise ReplyInvalidError(OFF_SCALE)
    return value
