"""Reads responses strictly: a reply that is malformed in any part that we use is unusable."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from config.text_validation import TextRefusedError, check_json, check_text
from files.line_reading import JSONInvalidError, parse_json
from llm.client.logprob_reading import (
    UnusableReplyError,
    as_entries,
    expect,
    generated,
    last_tokens,
    optional,
    tokens_of_answer,
)
from llm.endpoints import Model
from llm.requests import Outcome, Request, TokenLogprob, Usage
from llm.thinking import PartUnknownError, Separated, all_thinking, content_of, field_thinking, marks_of

FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
MOST_TOKENS = 2**31 - 1
END = "[DONE]"
BYTE_ORDER_MARK = "\ufeff"
AROUND_JSON = f" \t\r\n\u00a0\u200b{BYTE_ORDER_MARK}"


ERROR = "error"
"""The finish reason of a reply that the endpoint failed to complete."""
FINISHES = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "max_length", "model_length"), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
        "content_filter",
    ),
    ERROR: ERROR,
}
"""What providers call the ends of replies that are not complete, without regard to case."""


class EndpointReportedError(Exception):
    """The endpoint reported an error inside a response with the status of a success; `given` is what it said."""

    def __init__(self, given: Any) -> None:
        super().__init__("the endpoint reported an error")
        self.given = given


class NothingInReplyError(ValueError):
    """A response with the status of a success has no reply in it; the message says what it has."""


def parse_object(text: str) -> dict[str, Any]:
    """Return the object in a JSON text. Raises NothingInReplyError and EndpointReportedError."""
    try:
        body = parse_json(text.removeprefix(BYTE_ORDER_MARK))
    except JSONInvalidError as problem:
        raise NothingInReplyError(f"it {problem}") from None
    if not isinstance(body, dict):
        raise NothingInReplyError("it is no object")
    if body.get("error"):
        raise EndpointReportedError(body["error"])
    return body


def outcome_of(body: dict[str, Any], request: Request, model: Model) -> Outcome:
    """Return the outcome of a complete reply.

    Raises UnusableReplyError, NothingInReplyError and EndpointReportedError.
    """
    choices = optional(list, body.get("choices"), "choices")
    if not choices:
        raise NothingInReplyError("it has no choice")
    choice = expect(dict, choices[0], "the choice")
    _check_choice(choice)
    if model.api != "completions" and choice.get("message") is None:
        raise NothingInReplyError("it has no message")
    message = {} if model.api == "completions" else expect(dict, choice.get("message"), "the message")
    refusal = _joined(optional(str, message.get("refusal"), "the refusal") or "")
    if model.api == "completions":
        written, thoughts = _joined(expect(str, choice.get("text"), "the text")), ""
    else:
        written, thoughts = (_joined(one) for one in _content(message.get("content")))
    found = Separated(written) if request.continuation else marks_of(model.thinking.forms).separate(written)
    text, fields = found.answer, field_thinking(message, model.thinking.fields)
    finish = optional(str, choice.get("finish_reason"), "the finish reason") or ""
    finish = FINISHES.get(finish.lower(), finish)
    named = optional(str, body.get("model"), "the model") or ""
    for value, place in ((text, "the text"), (refusal, "the refusal"), (finish, "the finish reason"), (named, "model")):
        _check_storable(value, place)
    if request.continuation:
        _check_echo(text, request)
    usage, usage_flag = usage_of(body.get("usage"))
    odd = (usage_flag, "" if finish else "no_finish_reason", "" if named == model.asked else "other_model")
    return Outcome(
        text=request.continuation or text, finish_reason=finish, model_returned=named, usage=usage, refusal=refusal,
        logprobs=None if refusal else _logprobs(choice.get("logprobs"), request, written, found),
        flags=tuple(flag for flag in odd if flag), marks=found.marks,
        thinking=_joined(all_thinking(*fields.values(), thoughts, found.thinking)),
    )  # fmt: skip


def _check_choice(choice: dict[str, Any]) -> None:
    """Raise EndpointReportedError if an endpoint reports an error in a choice, even beside a part of a reply."""
    if choice.get("error"):
        raise EndpointReportedError(choice["error"])


def _content(given: Any) -> tuple[str, str]:
    """Return the text and the thinking of a message's content. Raises UnusableReplyError."""
    try:
        return content_of(given)
    except PartUnknownError as problem:
        raise UnusableReplyError(f"its content has a part {problem}") from None


def _check_echo(text: str, request: Request) -> None:
    """Refuse a reply that does not repeat what was sent; blanks may differ, and a mark of the beginning may come."""
    if not "".join(text.split()).endswith("".join((request.text() + request.continuation).split())):
        raise UnusableReplyError("it does not repeat the text that was sent")


def _logprobs(given: Any, request: Request, written: str, found: Separated) -> tuple[TokenLogprob, ...] | None:
    """Return the log-probabilities of the answer's tokens, without those of the thinking before it."""
    if request.continuation:
        return last_tokens(given, request.continuation)
    if request.top_logprobs is None or not (written or request.ends_by_length()):
        return None
    tokens = generated(given, candidates=request.top_logprobs > 0)
    return tokens if found.answer == written else tokens_of_answer(tokens, found.answer)


def structured(text: str) -> Any:
    """Return the JSON value of a reply, alone or in a fenced block. Raises UnusableReplyError."""
    text = text.strip(AROUND_JSON)
    fenced = FENCED.fullmatch(text)
    try:
        return check_json(parse_json(fenced[1] if fenced else text))
    except JSONInvalidError as problem:
        raise UnusableReplyError(f"its text {problem}") from None
    except TextRefusedError as problem:
        raise UnusableReplyError(f"its text {problem.reason}") from None


def events(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the data of a stream's events from pieces of its text; an incomplete event is dropped."""
    rest, data = "", []
    for piece in pieces:
        lines = (rest + piece).split("\n")
        rest = lines.pop()
        for line in (line.removesuffix("\r") for line in lines):
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data = []
    if data and not rest:
        yield "\n".join(data)


@dataclass
class StreamedReply:
    """A streamed reply of a model, as far as it was received.

    `hidden` says that the model may think without a mark of the beginning: nothing is shown before a mark.
    """

    of: Model
    hidden: bool = False
    text: str = ""
    thoughts: dict[str, str] = field(default_factory=dict)
    refusal: str = ""
    finish: str | None = None
    model: Any = None
    usage: Any = None
    logprobs: list[Any] = field(default_factory=list)
    pieces: int = 0
    ended: bool = False

    def take(self, data: str) -> None:
        """Add the piece in an event. Raises UnusableReplyError and EndpointReportedError."""
        if data.strip() == END:
            self.ended = True
            return
        body = parse_object(data)
        self.pieces += 1
        self.model = body.get("model") or self.model
        self.usage = body.get("usage") or self.usage
        for one in expect(list, body.get("choices", []), "choices"):
            choice = expect(dict, one, "the choice")
            if choice.get("index", 0) == 0:
                self._take_choice(choice)

    def _take_choice(self, choice: dict[str, Any]) -> None:
        _check_choice(choice)
        delta = optional(dict, choice.get("delta"), "the piece") or {}
        text, thinking = _content(choice.get("text", delta.get("content")))
        self.text += text
        for name, piece in {"": thinking, **field_thinking(delta, self.of.thinking.fields)}.items():
            self.thoughts[name] = self.thoughts.get(name, "") + piece
        self.refusal += optional(str, delta.get("refusal"), "the refusal") or ""
        self.finish = optional(str, choice.get("finish_reason"), "the finish reason") or self.finish
        logprobs = optional(dict, choice.get("logprobs"), "the log-probabilities") or {}
        if any(logprobs.get(name) is not None for name in ("content", "tokens")):
            self.logprobs += as_entries(logprobs)

    def shown(self) -> str | None:
        """Return the answer so far, without any thinking, or None if it ends inside a character."""
        found = self._separated()
        try:
            return check_text("" if self._may_be_thinking(found) else found.answer)
        except TextRefusedError:
            return None

    def thinking(self) -> str:
        """Return the thinking so far."""
        found = self._separated()
        unmarked = found.answer if self._may_be_thinking(found) else ""
        return all_thinking(*self.thoughts.values(), found.thinking, unmarked)

    def _may_be_thinking(self, found: Separated) -> bool:
        """Return whether all of the text may be thinking that nothing has marked."""
        return self.hidden and not found.marks and not any(self.thoughts.values())

    def _separated(self) -> Separated:
        return marks_of(self.of.thinking.forms).separate(_joined(self.text), complete=False)

    def body(self) -> dict[str, Any]:
        """Return the reply in the form of one that was not streamed."""
        if not self.pieces:
            raise NothingInReplyError("the stream has no piece of a reply")
        return {
            "model": self.model,
            "usage": self.usage,
            "choices": [
                {
                    "text": self.text,
                    "message": {
                        "content": self.text,
                        "refusal": self.refusal,
                        "reasoning": all_thinking(*self.thoughts.values()),
                    },
                    "finish_reason": self.finish,
                    "logprobs": {"content": self.logprobs} if self.logprobs else None,
                }
            ],
        }


def _joined(text: str) -> str:
    """Return `text` with characters that arrived in two halves joined."""
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return text


def _check_storable(value: str, place: str) -> None:
    try:
        check_text(value)
    except TextRefusedError as problem:
        raise UnusableReplyError(f"{place} {problem.reason}") from None


def usage_of(given: Any) -> tuple[Usage | None, str]:
    """Return the token counts, and the flag for missing or malformed ones."""
    if not given:
        return None, "no_usage"
    if not isinstance(given, dict):
        return None, "wrong_usage"
    tokens_in, tokens_out = given.get("prompt_tokens"), given.get("completion_tokens")
    if not _is_count(tokens_in) or not _is_count(tokens_out):
        return None, "wrong_usage"
    return Usage(tokens_in, tokens_out), ""


def _is_count(given: Any) -> TypeGuard[int]:
    return type(given) is int and 0 <= given <= MOST_TOKENS
