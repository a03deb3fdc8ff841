"""Reads responses strictly: a reply that is malformed in any part that we use is unusable."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from annotation.importing.line_reading import JSONInvalidError, parse_json
from config.text_validation import TextRefusedError, check_json, check_text
from llm.requests import Candidate, Outcome, Request, TokenLogprob, Usage

FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL)
MOST_TOKENS = 2**31 - 1
END = "[DONE]"


class UnusableReplyError(ValueError):
    """The response is not a usable reply; the message says why."""


class EndpointReportedError(Exception):
    """The endpoint reported an error inside a stream."""


def parse_object(text: str) -> dict[str, Any]:
    """Return the object in a JSON text. Raises UnusableReplyError."""
    try:
        body = parse_json(text)
    except JSONInvalidError as problem:
        raise UnusableReplyError(f"it {problem}") from None
    return _expect(dict, body, "the reply")


def outcome_of(body: dict[str, Any], request: Request, asked: str) -> Outcome:
    """Return the outcome of a complete reply. Raises UnusableReplyError."""
    choices = _expect(list, body.get("choices"), "choices")
    if not choices:
        raise UnusableReplyError("it has no choice")
    choice = _expect(dict, choices[0], "the choice")
    message = _expect(dict, choice.get("message"), "the message")
    text = _joined(_optional(str, message.get("content"), "the content") or "")
    refusal = _joined(_optional(str, message.get("refusal"), "the refusal") or "")
    finish = _optional(str, choice.get("finish_reason"), "the finish reason") or ""
    model = _optional(str, body.get("model"), "the model") or ""
    for value, place in ((text, "the text"), (refusal, "the refusal"), (finish, "the finish reason"), (model, "model")):
        _check_storable(value, place)
    usage, usage_flag = _usage(body.get("usage"))
    odd = (usage_flag, "" if finish else "no_finish_reason", "" if model == asked else "other_model")
    return Outcome(
        text=text, finish_reason=finish, model_returned=model, usage=usage, refusal=refusal,
        logprobs=_logprobs(choice.get("logprobs")) if request.top_logprobs is not None and text else None,
        flags=tuple(flag for flag in odd if flag),
    )  # fmt: skip


def structured(text: str) -> Any:
    """Return the JSON value of a reply, alone or in a fenced block. Raises UnusableReplyError."""
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
    """A streamed reply, as far as it was received."""

    text: str = ""
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
        if body.get("error"):
            raise EndpointReportedError
        self.pieces += 1
        self.model = body.get("model") or self.model
        self.usage = body.get("usage") or self.usage
        for one in _expect(list, body.get("choices", []), "choices"):
            choice = _expect(dict, one, "the choice")
            if choice.get("index", 0) == 0:
                self._take_choice(choice)

    def _take_choice(self, choice: dict[str, Any]) -> None:
        delta = _optional(dict, choice.get("delta"), "the piece") or {}
        self.text += _optional(str, delta.get("content"), "the content") or ""
        self.refusal += _optional(str, delta.get("refusal"), "the refusal") or ""
        self.finish = _optional(str, choice.get("finish_reason"), "the finish reason") or self.finish
        logprobs = _optional(dict, choice.get("logprobs"), "the log-probabilities") or {}
        self.logprobs += _optional(list, logprobs.get("content"), "the log-probabilities") or []

    def shown(self) -> str | None:
        """Return the text so far, or None if it ends inside a character."""
        try:
            return check_text(_joined(self.text))
        except TextRefusedError:
            return None

    def body(self) -> dict[str, Any]:
        """Return the reply in the form of one that was not streamed."""
        if not self.pieces:
            raise UnusableReplyError("the stream has no piece of a reply")
        return {
            "model": self.model,
            "usage": self.usage,
            "choices": [
                {
                    "message": {"content": self.text, "refusal": self.refusal},
                    "finish_reason": self.finish,
                    "logprobs": {"content": self.logprobs} if self.logprobs else None,
                }
            ],
        }


def _expect(kind: type[Any], value: Any, place: str) -> Any:
    if not isinstance(value, kind):
        raise UnusableReplyError(f"{place} is of the wrong type or missing")
    return value


def _optional(kind: type[Any], value: Any, place: str) -> Any:
    return None if value is None else _expect(kind, value, place)


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


def _usage(given: Any) -> tuple[Usage | None, str]:
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


def _logprobs(given: Any) -> tuple[TokenLogprob, ...]:
    content = _expect(
        list, _expect(dict, given, "the list of log-probabilities").get("content"), "the list of log-probabilities"
    )
    if not content:
        raise UnusableReplyError("the list of log-probabilities is empty")
    return tuple(_token(one) for one in content)


def _token(given: Any) -> TokenLogprob:
    token, logprob = _candidate(given)
    others = _optional(list, given.get("top_logprobs"), "the candidates for a token") or []
    return TokenLogprob(token, logprob, tuple(Candidate(*_candidate(one)) for one in others))


def _candidate(given: Any) -> tuple[str, float]:
    entry = _expect(dict, given, "a log-probability")
    token, logprob = _expect(str, entry.get("token"), "a token"), entry.get("logprob")
    _check_storable(token, "a token")
    if isinstance(logprob, bool) or not isinstance(logprob, int | float) or logprob > 1e-6:
        raise UnusableReplyError("a log-probability is not a number, or is above 0")
    return token, min(float(logprob), 0.0)
