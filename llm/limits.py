"""What holds calls of an endpoint back, over all workers together.

The endpoint's `EndpointState` row is the lock under which a call is begun; calls under way are the ledger's
running rows whose lease lives, so that a killed worker's places come back by themselves.
"""

import string
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from llm.asking import Message, Request
from llm.endpoints import Endpoint, Model
from llm.errors import CallError, CircuitOpenError, TooLongError
from llm.models import Call, EndpointState

MINUTE = timedelta(minutes=1)
FAILURES_TO_OPEN = 5
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=15), timedelta(minutes=5)
PROBED_FOR = 5.0
"""Seconds after which those who wait for a call that went ahead look again."""
OPENING_KINDS = frozenset({"timeout", "unreachable", "server_error", "rate_limited", "bad_reply", "cut"})
"""Failures that speak of the endpoint and not of what it was asked."""
SHORTEST_WAIT = 0.05
LONGEST_REPLY = 4096
"""Tokens of a reply whose request sets no limit of its own."""
PLAIN = (string.ascii_letters + " ").encode()
A_MESSAGE = 8
"""Tokens that a message costs beside its text: role and separators."""
TOO_LONG = "The request is too long for {}: about {:,} tokens with the reply, and it takes {:,}. Nothing was sent."
PAUSED = "{} failed {} times one after the other; calls of it pause until it answers again."


@dataclass(frozen=True)
class Admission:
    """Whether a call may be begun: not where there are seconds to wait.

    `probe`: it goes ahead after a pause. `failing`: the call before it failed.
    """

    wait: float = 0.0
    probe: bool = False
    failing: bool = False


def estimated_tokens(messages: tuple[Message, ...]) -> int:
    """About how many tokens the messages are, on the high side, without any model's own tokenizer.

    A token is reckoned as three ASCII letters or blanks, one other ASCII character, or one and a half bytes of
    what is not ASCII. Tokenizers in use give fewer for texts in natural languages; for texts that are none
    (hexadecimal, base64) they may give more.
    """
    text = "".join(message.content for message in messages)
    ascii_only = text.encode("ascii", "ignore")
    other = len(ascii_only.translate(None, PLAIN))
    beyond = len(text.encode("utf-8", "surrogatepass")) - len(ascii_only)
    return -(-(len(ascii_only) - other) // 3) + other + -(-beyond * 2 // 3) + A_MESSAGE * len(messages)


def bounded(request: Request, model: Model) -> Request:
    """The request with a limit on its reply, set here where it has none; nothing is ever cut to fit.

    Raises TooLongError where request and reply may not fit into the model's context.
    """
    tokens_in = estimated_tokens(request.messages)
    room = LONGEST_REPLY if model.context is None else model.context - tokens_in
    wanted = request.max_tokens or max(min(LONGEST_REPLY, room), 1)
    if model.context is not None and wanted > room:
        raise TooLongError(TOO_LONG.format(model.name, tokens_in + wanted, model.context))
    return replace(request, max_tokens=wanted)


def enter(endpoint: Endpoint, now: datetime) -> Admission:
    """See whether a call may be begun now; then begin it in the same transaction, which holds the endpoint's lock.

    Raises CircuitOpenError while the endpoint is given a pause.
    """
    state = _locked(endpoint.name)
    if state.open_until is not None:
        if state.open_until > now:
            raise CircuitOpenError(state.message, retry_after=_rest(endpoint, state.open_until, now))
        # One call goes ahead to see whether the endpoint is well; the others wait for what comes of it.
        state.open_until = now + timedelta(seconds=endpoint.deadline)
        state.save(update_fields=["open_until"])
        return Admission(probe=True, failing=True)
    return _places(endpoint, now, state.failures > 0)


def _rest(endpoint: Endpoint, until: datetime, now: datetime) -> float:
    """Seconds of a pause that are left: few while a call is under way that may end it sooner."""
    left = (until - now).total_seconds()
    under_way = Call.objects.filter(endpoint=endpoint.name, status=Call.Status.RUNNING, lease_until__gt=now)
    return min(left, PROBED_FOR) if under_way.exists() else left


def _places(endpoint: Endpoint, now: datetime, failing: bool) -> Admission:
    calls = Call.objects.filter(endpoint=endpoint.name)
    if calls.filter(status=Call.Status.RUNNING, lease_until__gt=now).count() >= endpoint.in_flight:
        return Admission(wait=SHORTEST_WAIT)
    if endpoint.requests_per_minute is not None:
        lately = calls.filter(started_at__gt=now - MINUTE).exclude(status=Call.Status.CACHED)
        if (lately.aggregate(sent=Sum("requests"))["sent"] or 0) >= endpoint.requests_per_minute:
            first = lately.order_by("started_at").values_list("started_at", flat=True)[0]
            return Admission(wait=max((first + MINUTE - now).total_seconds(), SHORTEST_WAIT))
    return Admission(failing=failing)


def note(endpoint: Endpoint, failure: CallError | None, *, probe: bool = False) -> None:
    """Keep whether a call of the endpoint worked: after several failures in a row it is given a pause.

    Each pause that the call after it does not end is followed by one of twice its length.
    """
    rows = EndpointState.objects.filter(name=endpoint.name)
    if failure is None or failure.kind not in OPENING_KINDS:
        rows.filter(failures__gt=0).update(failures=0, pauses=0, open_until=None, message="")
        return
    with transaction.atomic():
        state = _locked(endpoint.name)
        state.failures += 1
        if probe or (state.open_until is None and state.failures >= FAILURES_TO_OPEN):
            pause = min(FIRST_PAUSE * 2 ** min(state.pauses, 10), LONGEST_PAUSE)
            state.pauses, state.open_until = state.pauses + 1, timezone.now() + pause
            state.message = f"{PAUSED.format(endpoint.name, state.failures)} {failure.reason}"
        state.save()


def _locked(name: str) -> EndpointState:
    rows = EndpointState.objects.select_for_update().filter(name=name)
    state = rows.first()
    if state is None:
        EndpointState.objects.bulk_create([EndpointState(name=name)], ignore_conflicts=True)
        state = rows.get()
    return state
