"""Sends a call to an endpoint, retries if that may help, and never exceeds the deadline.

This is the only retry layer: the one of the client library is off.
"""

import random
import time
from collections.abc import Callable
from dataclasses import replace

from django.utils import timezone

from llm.call_errors import CallError, StoppedError
from llm.client.connections import CallDeadline, DeadlinePassedError, StopRequestedError
from llm.client.key_redaction import hide, hide_beginning
from llm.client.request_parameters import parameters
from llm.client.single_request import RequestResult, send_once
from llm.endpoints import Endpoint, Model
from llm.requests import Attempt, Outcome, Request

ANSWERED = "answered"
FIRST_WAIT = 0.5
SHORTEST_PUT_OFF = 1.0
LONGEST_STORED_ERROR = 2000


def ask(
    endpoint: Endpoint,
    model: Model,
    request: Request,
    *,
    on_text: Callable[[str], None] | None = None,
    stopped: Callable[[], bool] | None = None,
    on_request: Callable[[int], None] | None = None,
    again_after_cut: bool = False,
    hidden: bool = False,
) -> Outcome:
    """Return the model's reply to `request`; raise CallError, whose `outcome` is what was received, if there is none.

    With `on_text` the reply is streamed if the model can, and `on_text` is called with the text so far a few times per
    second; an exception from it ends the call and is passed on. A reply that breaks after `on_text` was called is
    requested again only with `again_after_cut`, and its text then starts over. `on_request` is called with the number
    of each request before it is sent. `hidden` says that the model may think without marking the beginning: nothing is
    shown before a mark or the end.
    """
    key = endpoint.key()
    sent = parameters(request, model, stream=on_text is not None and "stream" in model.supports)
    deadline = CallDeadline(endpoint.deadline, stopped)
    attempts: list[Attempt] = []
    waited = 0.0
    while True:
        if on_request is not None:
            on_request(len(attempts) + 1)
        started, began = timezone.now(), time.monotonic()
        result = send_once(endpoint, model, request, key, sent, deadline, on_text, hidden)
        attempts.append(
            Attempt(
                number=len(attempts) + 1, started_at=started.isoformat(), seconds=round(time.monotonic() - began, 3),
                status=result.status, ended=result.error.kind if result.error else ANSWERED, billable=result.billable,
                request_id=result.request_id, waited=round(waited, 3), usage=result.outcome.usage,
            )
        )  # fmt: skip
        outcome = _outcome_without_key(result, attempts, key)
        if result.error is None:
            return outcome
        if not result.again or (result.shown and not again_after_cut) or len(attempts) >= endpoint.attempts:
            if result.again and result.retry_after is not None:  # the endpoint itself says when it answers again
                result.error.put_off = max(result.retry_after, SHORTEST_PUT_OFF)
            raise _with_outcome(result.error, outcome)
        waited = _wait(endpoint, result, len(attempts))
        ended = _pause(endpoint, deadline, waited, result.error)
        if ended is not None:
            raise _with_outcome(ended, outcome)


def _wait(endpoint: Endpoint, result: RequestResult, number: int) -> float:
    """Return the wait before the next attempt: what the endpoint demands, or a random time that doubles."""
    if result.retry_after is not None:
        return result.retry_after
    return min(FIRST_WAIT * 2 ** (number - 1), endpoint.longest_wait) * random.uniform(0.5, 1)  # noqa: S311


def _pause(endpoint: Endpoint, deadline: CallDeadline, wait: float, error: CallError) -> CallError | None:
    """Wait, or return the error that ends the call because the wait is too long or the call was stopped."""
    if wait > endpoint.longest_wait or time.monotonic() + wait >= deadline.ends:
        error.put_off = error.retry_after
        return error
    try:
        deadline.sleep(wait)
    except StopRequestedError:
        return StoppedError()
    except DeadlinePassedError:
        return error
    return None


def _with_outcome(error: CallError, outcome: Outcome) -> CallError:
    error.outcome, error.partial = outcome, outcome.text
    return error


def _outcome_without_key(result: RequestResult, attempts: list[Attempt], key: str) -> Outcome:
    """Return the outcome with all attempts, and with the key hidden in every text."""
    found = result.outcome
    raw = hide(found.raw, key)
    if result.status >= 300:
        raw = hide_beginning(raw, key)[:LONGEST_STORED_ERROR]
    return replace(
        found, text=hide(found.text, key), thinking=hide(found.thinking, key), refusal=hide(found.refusal, key),
        raw=raw, model_returned=hide(found.model_returned, key), request_id=result.request_id, attempts=tuple(attempts),
    )  # fmt: skip
