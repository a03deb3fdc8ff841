"""One request to an endpoint, and what became of it."""

import codecs
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from llm.asking import Outcome, Request
from llm.client.hiding import hide_beginning
from llm.client.replies import EndpointSaysError, Gathered, NotAReplyError, events, parse, read, structured
from llm.client.watching import DeadlinePassedError, StopSeenError, TooMuchError, Watch, connections, watched
from llm.endpoints import Endpoint, Model
from llm.errors import (
    BadReplyError,
    CallError,
    CallTimeoutError,
    CutError,
    FilteredError,
    QuotaError,
    RateLimitedError,
    RefusedError,
    RejectedError,
    ServerError,
    StoppedError,
    TooLongError,
    TruncatedError,
    UnreachableError,
)

NO_KEY = "none"
"""The client library wants a key; where the endpoint needs none, this is sent."""
SHOWN_EVERY = 0.3
NOT_USABLE = "The language model's server sent something that is no usable reply: {}."
TOO_LONG = "The text is longer than the language model can read."


@dataclass
class Tried:
    """What became of one request. `again`: another attempt may help; `shown`: text was handed over."""

    outcome: Outcome
    error: CallError | None = None
    status: int = 0
    again: bool = False
    billable: bool = True
    shown: bool = False
    retry_after: float | None = None
    request_id: str = ""

    def failed(self, error: CallError, *, again: bool = False, billable: bool = True) -> None:
        """Note that it failed."""
        self.error, self.again, self.billable = error, again, billable


class Reading:
    """The reply while it is read: what came so far survives where it breaks."""

    def __init__(self, request: Request, model: Model, on_text: Callable[[str], None] | None) -> None:
        self.request = request
        self.model = model
        self.on_text = on_text
        self.raw: list[str] = []
        self.gathered = Gathered()
        self.status = 0
        self.request_id = ""
        self.handed: str | None = None
        self._handed_at = 0.0

    def outcome(self) -> Outcome:
        """What is known of the reply so far."""
        gathered = self.gathered
        model = gathered.model if isinstance(gathered.model, str) else ""
        return Outcome(
            text=gathered.shown() or "", raw="".join(self.raw), model_returned=model, refusal=gathered.refusal,
            finish_reason=gathered.finish or "",
        )  # fmt: skip

    def take(self, response: Any) -> Outcome:
        """Read a reply to its end. Raises NotAReplyError, EndpointSaysError and what connections raise."""
        self.status = response.status_code
        self.request_id = request_id(response.headers)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "text/event-stream":
            return self._take_stream(response)
        for piece in self._pieces(response):
            self.raw.append(piece)
        found = read(parse("".join(self.raw)), self.request, self.model.asked)
        self.gathered.text = found.text
        self._hand_over(found.text)
        return found

    def _take_stream(self, response: Any) -> Outcome:
        for data in events(self._kept(self._pieces(response))):
            self.gathered.take(data)
            if self.gathered.ended:
                break
            if time.monotonic() - self._handed_at >= SHOWN_EVERY:
                self._hand_over(self.gathered.shown())
        if not self.gathered.ended and self.gathered.finish is None and self.gathered.pieces:
            raise httpx2.RemoteProtocolError("the stream ended before the reply did")
        found = read(self.gathered.body(), self.request, self.model.asked)
        self._hand_over(found.text)
        return found

    def _kept(self, pieces: Iterator[str]) -> Iterator[str]:
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
            raise NotAReplyError("it is not UTF-8") from None

    def _hand_over(self, text: str | None) -> None:
        if self.on_text is not None and text and text != self.handed:
            self.handed, self._handed_at = text, time.monotonic()
            self.on_text(text)


def try_once(
    endpoint: Endpoint,
    model: Model,
    request: Request,
    key: str,
    sent: dict[str, Any],
    watch: Watch,
    on_text: Callable[[str], None] | None,
) -> Tried:
    """Send a request and read the reply; failures are noted, not raised, but for those of `on_text`."""
    reading = Reading(request, model, on_text)
    tried = Tried(Outcome())
    try:
        with ExitStack() as stack:
            stack.enter_context(watched(watch))
            client = _client(endpoint, key)
            response = stack.enter_context(client.chat.completions.with_streaming_response.create(**sent))
            tried.outcome = replace(reading.take(response), raw="".join(reading.raw))
        tried.status, tried.request_id = reading.status, reading.request_id
        _judge(tried, request)
    except openai.APIStatusError as problem:
        _note_status(tried, problem)
    except NotAReplyError as problem:
        _note(tried, reading, BadReplyError(NOT_USABLE.format(problem)))
    except TooMuchError:
        _note(tried, reading, BadReplyError(NOT_USABLE.format("it is too large")))
    except EndpointSaysError:
        _note(tried, reading, ServerError(), again=True)
    except StopSeenError:
        _note(tried, reading, StoppedError())
    except DeadlinePassedError:
        _note(tried, reading, CallTimeoutError())
    except (openai.APIConnectionError, httpx2.TransportError) as problem:
        _note_broken(tried, reading, problem.__cause__ if isinstance(problem, openai.APIConnectionError) else problem)
    tried.shown = reading.handed is not None
    tried.request_id = hide_beginning(tried.request_id, key)
    return tried


def request_id(headers: Any) -> str:
    """The endpoint's own name for a request, so far as it is a plain one."""
    given = headers.get("x-request-id", "")
    return given[:100] if given.isascii() and given.isprintable() else ""


def _client(endpoint: Endpoint, key: str) -> openai.OpenAI:
    timeout = httpx2.Timeout(endpoint.read_timeout, connect=endpoint.connect_timeout)
    return openai.OpenAI(
        api_key=key or NO_KEY, base_url=endpoint.base_url, max_retries=0, timeout=timeout, http_client=connections(),
        default_headers={"Authorization": f"Bearer {key or NO_KEY}"},
    )  # fmt: skip


def _judge(tried: Tried, request: Request) -> None:
    """Note what makes a whole reply no answer."""
    found = tried.outcome
    if found.refusal:
        tried.failed(RefusedError())
    elif found.finish_reason == "content_filter":
        tried.failed(FilteredError())
    elif found.finish_reason == "length":
        tried.failed(TruncatedError())
    elif not found.text.strip():
        tried.failed(BadReplyError(NOT_USABLE.format("it is empty")))
    elif request.top_logprobs is not None and found.logprobs is None:
        tried.failed(BadReplyError(NOT_USABLE.format("it has no log-probabilities")))
    elif request.schema is not None:
        try:
            tried.outcome = replace(found, parsed=structured(found.text))
        except NotAReplyError as problem:
            tried.failed(BadReplyError(NOT_USABLE.format(problem)))


def _note(tried: Tried, reading: Reading, error: CallError, *, again: bool = False, billable: bool = True) -> None:
    tried.outcome = reading.outcome()
    tried.status, tried.request_id = reading.status, reading.request_id
    tried.failed(error, again=again, billable=billable)


def _note_broken(tried: Tried, reading: Reading, problem: BaseException | None) -> None:
    """Note a connection that was not made, broke, or was silent for too long."""
    if isinstance(problem, httpx2.ConnectError | httpx2.ConnectTimeout):
        _note(tried, reading, UnreachableError(), again=True, billable=False)
    elif isinstance(problem, httpx2.TimeoutException):
        _note(tried, reading, CallTimeoutError(), again=True)
    elif reading.status:
        _note(tried, reading, CutError(), again=True)
    else:
        _note(tried, reading, UnreachableError(), again=True)


def _note_status(tried: Tried, problem: openai.APIStatusError) -> None:
    """Note a reply whose status is none of success."""
    body = problem.body if isinstance(problem.body, dict) else {}
    code = str(body.get("code") or body.get("type") or "")
    tried.status = problem.status_code
    tried.request_id = request_id(problem.response.headers)
    tried.outcome = Outcome(raw=problem.response.text)
    tried.retry_after = _retry_after(problem.response.headers)
    error, again = _of_status(problem.status_code, code)
    error.retry_after = tried.retry_after
    tried.failed(error, again=again, billable=problem.status_code >= 500 or problem.status_code == 408)


def _of_status(status: int, code: str) -> tuple[CallError, bool]:
    """The kind of failure that a status tells, and whether another attempt may help."""
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
    return RejectedError(), False


def _retry_after(headers: Any) -> float | None:
    """How many seconds the endpoint asks to wait; None where it does not say so in a way that can be read."""
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.replace(".", "", 1).isdigit() and len(given) < 12:
        return float(given)
    try:
        then = parsedate_to_datetime(given)
    except (ValueError, TypeError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max((aware - datetime.now(UTC)).total_seconds(), 0.0)
