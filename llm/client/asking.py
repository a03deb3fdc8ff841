"""Ask an endpoint, again where that may help, and never beyond the deadline.

This is the one retry layer: the client library's own is off.
"""

import random
import time
from collections.abc import Callable
from dataclasses import replace

from django.utils import timezone

from llm.asking import Attempt, Outcome, Request
from llm.client.hiding import hide, hide_beginning
from llm.client.parameters import parameters
from llm.client.requesting import Tried, try_once
from llm.client.watching import DeadlinePassedError, StopSeenError, Watch
from llm.endpoints import Endpoint, Model
from llm.errors import CallError, StoppedError

ANSWERED = "answered"
FIRST_WAIT = 0.5
LONGEST_KEPT_ERROR = 2000


def ask(
    endpoint: Endpoint,
    model: Model,
    request: Request,
    *,
    on_text: Callable[[str], None] | None = None,
    stopped: Callable[[], bool] | None = None,
    again_after_cut: bool = False,
) -> Outcome:
    """What the model replied to `request`; raises CallError with an `outcome` that says how far it got.

    With `on_text` the reply is streamed where the model can, and the text so far is handed over a few times a second;
    what `on_text` raises ends the call and passes through. A reply that breaks after its text was handed over is
    asked for anew only with `again_after_cut`: the text then begins again.
    """
    key = endpoint.key()
    sent = parameters(request, model, stream=on_text is not None and "stream" in model.supports)
    watch = Watch(endpoint.deadline, stopped)
    attempts: list[Attempt] = []
    waited = 0.0
    while True:
        started, began = timezone.now(), time.monotonic()
        tried = try_once(endpoint, model, request, key, sent, watch, on_text)
        attempts.append(
            Attempt(
                number=len(attempts) + 1, started_at=started.isoformat(), seconds=round(time.monotonic() - began, 3),
                status=tried.status, ended=tried.error.kind if tried.error else ANSWERED, billable=tried.billable,
                request_id=tried.request_id, waited=round(waited, 3),
            )
        )  # fmt: skip
        outcome = _kept(tried, attempts, key)
        if tried.error is None:
            return outcome
        if not tried.again or (tried.shown and not again_after_cut) or len(attempts) >= endpoint.attempts:
            raise _told(tried.error, outcome)
        waited = _wait(endpoint, tried, len(attempts))
        ended = _pause(endpoint, watch, waited, tried.error)
        if ended is not None:
            raise _told(ended, outcome)


def _wait(endpoint: Endpoint, tried: Tried, number: int) -> float:
    """How long to wait before the next attempt: as long as the endpoint asks, or ever longer, at random."""
    if tried.retry_after is not None:
        return tried.retry_after
    return min(FIRST_WAIT * 2 ** (number - 1), endpoint.longest_wait) * random.uniform(0.5, 1)  # noqa: S311


def _pause(endpoint: Endpoint, watch: Watch, wait: float, error: CallError) -> CallError | None:
    """Wait; what ends the call where that is longer than is allowed or left, or where it was stopped meanwhile."""
    if wait > endpoint.longest_wait or time.monotonic() + wait >= watch.ends:
        return error
    try:
        watch.sleep(wait)
    except StopSeenError:
        return StoppedError()
    except DeadlinePassedError:
        return error
    return None


def _told(error: CallError, outcome: Outcome) -> CallError:
    error.outcome, error.partial = outcome, outcome.text
    return error


def _kept(tried: Tried, attempts: list[Attempt], key: str) -> Outcome:
    """The outcome with all attempts, as it may be stored: without the key."""
    found = tried.outcome
    raw = hide(found.raw, key)
    if tried.status >= 300:
        raw = hide_beginning(raw, key)[:LONGEST_KEPT_ERROR]
    return replace(
        found, text=hide(found.text, key), refusal=hide(found.refusal, key), raw=raw,
        model_returned=hide(found.model_returned, key), request_id=tried.request_id, attempts=tuple(attempts),
    )  # fmt: skip
