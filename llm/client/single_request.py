"""Sends one request to an endpoint and reads the response."""

import codecs
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from itertools import chain
from typing import Any

import httpx2
import openai

from config.request_ids import current_request_id
from llm.call_errors import (
    BadReplyError,
    CallError,
    CallTimeoutError,
    FilteredError,
    NoReplyError,
    QuotaError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ReplyBrokenError,
    ServerError,
    StoppedError,
    TooLongError,
    TruncatedError,
    UnreachableError,
)
from llm.client.connections import (
    CallDeadline,
    DeadlinePassedError,
    ReplyTooLargeError,
    StopRequestedError,
    bounded_by,
    connections,
    with_headers,
)
from llm.client.key_redaction import hide_beginning
from llm.client.rejections import rejection
from llm.client.reply_reading import (
    ERROR,
    EndpointReportedError,
    NothingInReplyError,
    StreamedReply,
    UnusableReplyError,
    events,
    outcome_of,
    parse_object,
    structured,
    usage_of,
)
from llm.endpoints import Endpoint, Model
from llm.model_settings import KEY
from llm.requests import Outcome, Request, Usage
from llm.thinking import all_thinking

NO_KEY = "none"
"""Sent if the endpoint needs no key, because the client library demands one."""
SHOW_EVERY = 0.3
STREAM_BEGINNINGS = ("data:", "event:", "id:", "retry:", ":")
TOOLS = ("tool_calls", "function_call")
CUT_OFF = ("length", ERROR, "content_filter")
UNUSABLE = "The language model's server sent an unusable reply: {}."
TOO_LONG = "The text is too long for the language model."


@dataclass
class RequestResult:
    """The result of one request. `again`: another attempt may help; `shown`: `on_text` was called."""

    outcome: Outcome
    error: CallError | None = None
    status: int = 0
    again: bool = False
    billable: bool = True
    shown: bool = False
    retry_after: float | None = None
    request_id: str = ""

    def fail(self, error: CallError, *, again: bool = False, billable: bool = True) -> None:
        """Set the error."""
        self.error, self.again, self.billable = error, again, billable


class ReplyReader:
    """A reply being read; what was received survives if it breaks.

    `hidden` says that the model may think without a mark of the beginning, so that only a mark or the end of the reply
    tells what is its answer.
    """

    def __init__(
        self, request: Request, model: Model, on_text: Callable[[str], None] | None, hidden: bool = False
    ) -> None:
        self.request = request
        self.model = model
        self.on_text = on_text
        self.raw: list[str] = []
        self.streamed = StreamedReply(model, hidden)
        self.status = 0
        self.request_id = ""
        self.retry_after: float | None = None
        self.usage: Usage | None = None
        self.shown_text: str | None = None
        self._shown_at = 0.0

    def outcome(self) -> Outcome:
        """Return what is known of the reply so far."""
        streamed = self.streamed
        model = streamed.model if isinstance(streamed.model, str) else ""
        return Outcome(
            text=streamed.shown() or "", raw="".join(self.raw), model_returned=model, refusal=streamed.refusal,
            finish_reason=streamed.finish or "", thinking=streamed.thinking(), usage=self.usage,
        )  # fmt: skip

    def read(self, response: Any) -> Outcome:
        """Read a reply to its end.

        Raises UnusableReplyError, NothingInReplyError, EndpointReportedError and errors of connections.
        """
        self.status = response.status_code
        self.request_id = request_id(response.headers)
        self.retry_after = _retry_after(response.headers)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        pieces = self._raw_kept(self._pieces(response))
        if kind == "text/event-stream":
            return self._read_stream(pieces)
        first = next((piece for piece in pieces if piece.strip()), "")
        if first.lstrip().startswith(STREAM_BEGINNINGS):  # some servers call a stream plain text
            return self._read_stream(chain([first], pieces))
        for _ in pieces:
            pass  # it is kept
        return self._complete(parse_object("".join(self.raw)))

    def _read_stream(self, pieces: Iterator[str]) -> Outcome:
        for data in events(pieces):
            self.streamed.take(data)
            if self.streamed.ended:
                break
            if time.monotonic() - self._shown_at >= SHOW_EVERY:
                self._show(self.streamed.shown())
        if not self.streamed.ended and self.streamed.finish is None and self.streamed.pieces:
            raise httpx2.RemoteProtocolError("the stream ended before the reply did")
        return self._complete(self.streamed.body())

    def _complete(self, body: dict[str, Any]) -> Outcome:
        """Return and show a complete reply; its tokens are known even if nothing else in it can be used."""
        self.usage, _ = usage_of(body.get("usage"))
        found = self._kept_back(outcome_of(body, self.request, self.model))
        self._show(found.text)
        return found

    def _kept_back(self, found: Outcome) -> Outcome:
        """Return a reply; if it was cut off and may have been thinking until then, its text is no answer."""
        if not self.streamed.hidden or found.marks or found.thinking or found.finish_reason not in CUT_OFF:
            return found
        return replace(found, text="", thinking=all_thinking(found.thinking, found.text))

    def _raw_kept(self, pieces: Iterator[str]) -> Iterator[str]:
        for piece in pieces:
            self.raw.append(piece)
            yield piece

    def _pieces(self, response: Any) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")("strict")
        try:
            for piece in response.iter_bytes():
                yield decoder.decode(piece)
            yield decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            raise UnusableReplyError("it is not UTF-8") from None

    def _show(self, text: str | None) -> None:
        if self.on_text is not None and text and text != self.shown_text:
            self.shown_text, self._shown_at = text, time.monotonic()
            self.on_text(text)


def send_once(
    endpoint: Endpoint,
    model: Model,
    request: Request,
    key: str,
    sent: dict[str, Any],
    deadline: CallDeadline,
    on_text: Callable[[str], None] | None,
    hidden: bool = False,
) -> RequestResult:
    """Send a request and read the reply. Errors are returned, not raised, except those of `on_text`."""
    reader = ReplyReader(request, model, on_text, hidden)
    result = RequestResult(Outcome())

    def rejection_of(text: str) -> Callable[[int], str]:
        return lambda status: hide_beginning(rejection(status, text, sent, endpoint, model), key)

    try:
        with ExitStack() as stack:
            stack.enter_context(bounded_by(deadline))
            stack.enter_context(with_headers(_own_headers(model, key)))
            response = stack.enter_context(_response(endpoint, model, key, sent))
            found = reader.read(response)
            # An echo repeats the prompt token by token; what is needed of it is among the log-probabilities.
            result.outcome = found if request.continuation else replace(found, raw="".join(reader.raw))
        result.status, result.request_id = reader.status, reader.request_id
        _check_reply(result, request)
    except openai.APIStatusError as problem:
        _set_status_error(result, problem, rejection_of(problem.response.text))
    except UnusableReplyError as problem:
        _set_error(result, reader, BadReplyError(UNUSABLE.format(problem)))
    except ReplyTooLargeError:
        _set_error(result, reader, BadReplyError(UNUSABLE.format("it is too large")))
    except NothingInReplyError as problem:
        _set_error(result, reader, NoReplyError(UNUSABLE.format(problem)), again=True)
    except EndpointReportedError as problem:
        _set_reported_error(result, reader, problem.given, rejection_of("".join(reader.raw)))
    except StopRequestedError:
        _set_error(result, reader, StoppedError())
    except DeadlinePassedError:
        _set_error(result, reader, CallTimeoutError())
    except (openai.APIConnectionError, httpx2.TransportError) as problem:
        _set_connection_error(
            result, reader, problem.__cause__ if isinstance(problem, openai.APIConnectionError) else problem
        )
    result.shown = reader.shown_text is not None
    result.request_id = hide_beginning(result.request_id, key)
    return result


def request_id(headers: Any) -> str:
    """Return the endpoint's id of a request, if it is printable ASCII."""
    given = headers.get("x-request-id", "")
    return given[:100] if given.isascii() and given.isprintable() else ""


def _own_headers(model: Model, key: str) -> dict[str, str]:
    """Return the headers that the file names for a model. If one of them has the key, it replaces the usual one."""
    found = {name.lower(): value.replace(KEY, key) for name, value in model.headers.items()}
    replaced = {"authorization": ""} if any(KEY in value for value in model.headers.values()) else {}
    return replaced | found


def _response(endpoint: Endpoint, model: Model, key: str, sent: dict[str, Any]) -> Any:
    """Return the context in which a response can be read.

    What is sent goes past the library's conversion of parameters, which takes a third of its time and changes nothing.
    """
    client = _client(endpoint.base_url, endpoint.read_timeout, endpoint.connect_timeout, os.getpid())
    authorized = {"Authorization": f"Bearer {key or NO_KEY}"}
    if ours := current_request_id():
        authorized["X-Request-Id"] = ours  # a random number, so that an endpoint's log can be compared with ours
    more: dict[str, Any] = {
        "model": model.asked,
        "extra_body": sent,
        "extra_headers": authorized,
        "extra_query": dict(model.query),
    }
    if model.api == "completions":
        return client.completions.with_streaming_response.create(prompt="", **more)
    return client.chat.completions.with_streaming_response.create(messages=[], **more)


@lru_cache(maxsize=64)
def _client(base_url: str, read_timeout: float, connect_timeout: float, process: int) -> openai.OpenAI:
    """Return the library's client for an endpoint: kept between calls, without the key."""
    timeout = httpx2.Timeout(read_timeout, connect=connect_timeout)
    return openai.OpenAI(
        api_key=NO_KEY, base_url=base_url, max_retries=0, timeout=timeout, http_client=connections()
    )  # fmt: skip


def _check_reply(result: RequestResult, request: Request) -> None:
    """Set the error of a complete reply that is not an answer."""
    found = result.outcome
    if found.finish_reason == ERROR:
        result.fail(ServerError(), again=True)
    elif found.refusal:
        result.fail(RefusedError())
    elif found.finish_reason == "content_filter":
        result.fail(FilteredError())
    elif found.finish_reason == "length" and not (request.ends_by_length() and (found.text or not found.thinking)):
        result.fail(TruncatedError())
    elif found.finish_reason in TOOLS and not found.text.strip():
        result.fail(BadReplyError(UNUSABLE.format("it calls a tool instead of answering")))
    elif not found.text.strip() and not (found.logprobs and request.ends_by_length()):
        empty = "it has thinking but no answer" if found.thinking or found.marks else "it is empty"
        result.fail(BadReplyError(UNUSABLE.format(empty)), again=True)
    elif request.schema is not None:
        try:
            result.outcome = replace(found, parsed=structured(found.text))
        except UnusableReplyError as problem:
            result.fail(BadReplyError(UNUSABLE.format(problem)))


def _set_error(
    result: RequestResult, reader: ReplyReader, error: CallError, *, again: bool = False, billable: bool = True
) -> None:
    result.outcome = reader.outcome()
    result.status, result.request_id = reader.status, reader.request_id
    result.fail(error, again=again, billable=billable)


def _set_connection_error(result: RequestResult, reader: ReplyReader, problem: BaseException | None) -> None:
    """Set the error of a connection that was refused, broke or was silent for too long."""
    if isinstance(problem, httpx2.ConnectError | httpx2.ConnectTimeout):
        _set_error(result, reader, UnreachableError(), again=True, billable=False)
    elif isinstance(problem, httpx2.TimeoutException):
        _set_error(result, reader, CallTimeoutError(), again=True)
    elif reader.status:
        _set_error(result, reader, ReplyBrokenError(), again=True)
    else:
        _set_error(result, reader, UnreachableError(), again=True)


def _set_reported_error(
    result: RequestResult, reader: ReplyReader, given: Any, rejection_of: Callable[[int], str]
) -> None:
    """Set the error that an endpoint reports in a response with the status of a success."""
    body = given if isinstance(given, dict) else {}
    code = body.get("code", body.get("status"))
    number = int(code) if isinstance(code, int | str) and re.fullmatch("[45][0-9]{2}", str(code)) else 500
    error, again = _error_of_status(number, str(body.get("type") or code or ""), rejection_of)
    result.retry_after = error.retry_after = reader.retry_after
    _set_error(result, reader, error, again=again, billable=number >= 500 or number == 408)


def _set_status_error(
    result: RequestResult, problem: openai.APIStatusError, rejection_of: Callable[[int], str]
) -> None:
    """Set the error of a response with a status of failure."""
    body = problem.body if isinstance(problem.body, dict) else {}
    code = str(body.get("code") or body.get("type") or "")
    result.status = problem.status_code
    result.request_id = request_id(problem.response.headers)
    result.outcome = Outcome(raw=problem.response.text)
    result.retry_after = _retry_after(problem.response.headers)
    error, again = _error_of_status(problem.status_code, code, rejection_of)
    error.retry_after = result.retry_after
    result.fail(error, again=again, billable=problem.status_code >= 500 or problem.status_code == 408)


def _error_of_status(status: int, code: str, rejection_of: Callable[[int], str]) -> tuple[CallError, bool]:
    """Return the error of a status, and whether another attempt may help."""
    if code == "insufficient_quota":
        return QuotaError(), False
    if code == "context_length_exceeded" or status == 413:
        return TooLongError(TOO_LONG), False
    if code == "content_filter":
        return FilteredError(), False
    if status == 429:
        return RateLimitedError(), True
    if status == 408:
        return CallTimeoutError(), True
    if status == 409 or status >= 500:
        return ServerError(), True
    return RejectedError(detail=rejection_of(status)), False


def _retry_after(headers: Any) -> float | None:
    """Return the seconds that the endpoint asks to wait, or None if it names none that can be read."""
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.replace(".", "", 1).isdigit() and len(given) < 12:
        return float(given)
    try:
        then = parsedate_to_datetime(given)
    except (ValueError, TypeError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
