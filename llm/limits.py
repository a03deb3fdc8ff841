"""Limits on the calls of an endpoint that all workers share.

A call starts under the lock of the endpoint's `EndpointState` row. The calls in flight are the running rows of the
ledger whose lease has not ended, so a killed worker frees its places without help.
"""

import string
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from config.database_clock import database_now
from config.prepared_sql import Columns, fetch_one, insert, lock_clause, stored
from llm.call_errors import CallError, CircuitOpenError, TooLongError
from llm.endpoints import Endpoint, Model
from llm.model_settings import NUMBERS
from llm.models import Call, EndpointState
from llm.requests import Charge, Message, Request

MINUTE = timedelta(minutes=1)
FAILURES_TO_OPEN = 5
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=15), timedelta(minutes=5)
PROBE_WAIT = 5.0
"""Seconds after which work that waits for the result of a probe looks again."""
PAUSING_KINDS = frozenset({"timeout", "unreachable", "server_error", "rate_limited", "bad_reply", "cut"})
"""Failures that say something about the endpoint rather than about the request."""
SHORTEST_WAIT = 0.05
LONGEST_REPLY = 4096
"""Tokens of a reply if the request sets no limit."""
LETTERS_AND_SPACE = (string.ascii_letters + " ").encode()
TOKENS_PER_MESSAGE = 8
"""For its role and separators."""
STATE = Columns(EndpointState, "e")
FIND_STATE = f"SELECT {STATE.sql} FROM llm_endpointstate e WHERE e.name = %s AND e.lane = %s"  # noqa: S608 - our own fields
IN_FLIGHT = "SELECT COUNT(*) FROM llm_call WHERE endpoint = %s AND status = 'running' AND lease_until > %s"
LAST_MINUTE = "SELECT SUM(requests) FROM llm_call WHERE endpoint = %s AND started_at > %s AND status <> 'cached'"
OF_PEOPLE = " AND run = ''"
"""People's calls count those of people alone, so that runs never take their places; runs count all calls."""
LONGEST_DEMANDED = timedelta(hours=1)
"""The longest pause that an endpoint can demand by `Retry-After`."""
Lane = EndpointState.Lane
TOO_LONG = "The request is too long for {}: about {:,} tokens with the reply, of {:,} at most. Nothing was sent."
PAUSED = "{} failed {} times in a row. Calls to it are paused until it answers again."


@dataclass(frozen=True)
class Admission:
    """Whether a call may start: only if `wait`, in seconds, is 0.

    `probe` marks the one call that tries the endpoint after a pause; `failing` means that the call before it failed.
    """

    wait: float = 0.0
    probe: bool = False
    failing: bool = False


def estimate_tokens(messages: tuple[Message, ...]) -> int:
    """Estimate the tokens of messages, on the high side and without the model's own tokenizer.

    A token is three ASCII letters or spaces, one other ASCII character, or one and a half bytes of other characters.
    Real tokenizers count fewer for text in natural languages; they may count more for hexadecimal or base64.
    """
    text = "".join(message.content for message in messages)
    ascii_only = text.encode("ascii", "ignore")
    other = len(ascii_only.translate(None, LETTERS_AND_SPACE))
    beyond = len(text.encode("utf-8", "surrogatepass")) - len(ascii_only)
    return -(-(len(ascii_only) - other) // 3) + other + -(-beyond * 2 // 3) + TOKENS_PER_MESSAGE * len(messages)


def estimate_request_tokens(request: Request) -> int:
    """Estimate the tokens of a request, with the text whose likelihood it asks for."""
    if not request.continuation:
        return estimate_tokens(request.messages)
    return estimate_tokens((*request.messages, Message("assistant", request.continuation)))


def with_reply_limit(request: Request, model: Model) -> Request:
    """Return the request with a limit on its reply, the default one if it has none. Nothing is cut to fit.

    The tokens that the model may think are added to it. Raises TooLongError if request and reply may not fit into the
    model's context.
    """
    tokens_in, thinking = estimate_request_tokens(request), 0 if request.continuation else model.thinking_tokens
    room = LONGEST_REPLY if model.context is None else model.context - tokens_in - thinking
    wanted = request.max_tokens
    if request.continuation:
        wanted = 0
    elif wanted is None:
        wanted = max(min(LONGEST_REPLY, room), 2)  # a reply limited to one token counts as complete
    if model.context is not None and wanted > room:
        raise TooLongError(TOO_LONG.format(model.name, tokens_in + wanted + thinking, model.context))
    return replace(request, max_tokens=wanted)


def as_configured(request: Request, model: Model) -> Request:
    """Return the request with the temperature and top_p that the operator's file wants, or without them."""
    given: dict[str, Any] = {name: model.parameters[name] for name in NUMBERS if name in model.parameters}
    return replace(request, stop=() if "stop" in model.parameters else request.stop, **given)


def lane_of(charge: Charge) -> str:
    """Return the lane of a call: that of runs, for which nobody waits at a page, or that of people."""
    return Lane.RUNS if charge.run else Lane.PEOPLE


def admit(endpoint: Endpoint, now: datetime, lane: str) -> Admission:
    """Decide whether a call may start now, and lock the endpoint's lane until the transaction that starts it ends.

    Raises CircuitOpenError while calls of this lane to the endpoint are paused.
    """
    state = _locked(endpoint.name, lane)
    if state.open_until is not None:
        if state.open_until > now:
            raise CircuitOpenError(state.message, retry_after=_pause_left(endpoint, state.open_until, now, lane))
        # One call probes the endpoint, and the others wait for its result.
        state.open_until = now + timedelta(seconds=endpoint.deadline)
        state.save(update_fields=["open_until"])
        return Admission(probe=True, failing=True)
    return _free_place(endpoint, now, state.failures > 0, lane)


def _pause_left(endpoint: Endpoint, until: datetime, now: datetime, lane: str) -> float:
    """Return the seconds of a pause that are left, but few while a running call may end it early."""
    left = (until - now).total_seconds()
    in_flight = Call.objects.filter(endpoint=endpoint.name, status=Call.Status.RUNNING, lease_until__gt=now)
    mine = in_flight.filter(run="") if lane == Lane.PEOPLE else in_flight.exclude(run="")
    return min(left, PROBE_WAIT) if mine.exists() else left


def _free_place(endpoint: Endpoint, now: datetime, failing: bool, lane: str) -> Admission:
    counted = OF_PEOPLE if lane == Lane.PEOPLE else ""
    if fetch_one(IN_FLIGHT + counted, [endpoint.name, stored(Call, "lease_until", now)])[0] >= endpoint.in_flight:
        return Admission(wait=SHORTEST_WAIT)
    if endpoint.requests_per_minute is not None:
        sent = fetch_one(LAST_MINUTE + counted, [endpoint.name, stored(Call, "started_at", now - MINUTE)])[0]
        if (sent or 0) >= endpoint.requests_per_minute:
            calls = Call.objects.filter(endpoint=endpoint.name, started_at__gt=now - MINUTE)
            calls = calls.filter(run="") if lane == Lane.PEOPLE else calls
            started = calls.exclude(status=Call.Status.CACHED).order_by("started_at")
            first = started.values_list("started_at", flat=True)[0]
            return Admission(wait=max((first + MINUTE - now).total_seconds(), SHORTEST_WAIT))
    return Admission(failing=failing)


def record_outcome(endpoint: Endpoint, failure: CallError | None, lane: str, *, probe: bool = False) -> None:
    """Write whether a call to the endpoint worked; several failures in a row pause the calls of its lane.

    A pause after a failed probe is twice as long as the one before, and each at least as long as the endpoint demands.
    """
    rows = EndpointState.objects.filter(name=endpoint.name, lane=lane)
    if failure is None or failure.kind not in PAUSING_KINDS:
        rows.filter(failures__gt=0).update(failures=0, pauses=0, open_until=None, message="")
        return
    with transaction.atomic():
        state = _locked(endpoint.name, lane)
        state.failures += 1
        if probe or (state.open_until is None and state.failures >= FAILURES_TO_OPEN):
            demanded = min(timedelta(seconds=failure.retry_after or 0), LONGEST_DEMANDED)
            pause = max(min(FIRST_PAUSE * 2 ** min(state.pauses, 10), LONGEST_PAUSE), demanded)
            state.pauses, state.open_until = state.pauses + 1, database_now() + pause
            state.message = f"{PAUSED.format(endpoint.name, state.failures)} {failure.reason}"
        state.save()


def _locked(name: str, lane: str) -> EndpointState:
    found = fetch_one(FIND_STATE + lock_clause(), [name, lane])
    if found is None:
        insert(EndpointState(name=name, lane=lane), if_new=True)
        found = fetch_one(FIND_STATE + lock_clause(), [name, lane])
    return STATE.must_take(iter(found))
