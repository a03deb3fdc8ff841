"""The one door to language models: a call is admitted, reserved, written down, made, written down again, settled.

Nothing slow happens inside a transaction, and each call takes two: one before it is made, one after.
"""

import random
import time
from collections.abc import Callable
from functools import partial

from django.db import transaction
from django.utils import timezone

from annotation.text import TextRefusedError, check_json, check_text
from llm import budgets, caching, ledger, limits, stopping
from llm.asking import Attempt, Charge, Outcome, Reply, Request
from llm.client import ask
from llm.endpoints import Endpoint, Model, find_model
from llm.errors import BadReplyError, BudgetError, BusyError, CallError, StoppedError
from llm.models import Call, Reservation
from llm.outlasting import unasked_while_away, written
from llm.quoting import quote

LONGEST_WAIT = 2.0
"""Seconds that a call waits for a place; then its work is put back, which takes no worker's thread."""
PUT_BACK_FOR = 3.0
"""For so many seconds at least: others' calls come in between, of endpoints that have places."""
LOOK_EVERY = 1.0
BROKEN_OFF = "What asked for the call broke it off."
ALL_STOPPED = "Calls of this study are stopped."
UNSTORABLE = "The reply {}."
STATUS_OF = {
    "refused": Call.Status.REFUSED, "cannot": Call.Status.REFUSED, "filtered": Call.Status.FILTERED,
    "truncated": Call.Status.TRUNCATED, "bad_reply": Call.Status.INVALID, "stopped": Call.Status.STOPPED,
}  # fmt: skip

OnText = Callable[[str], None]


class LostError(CallError):
    """The call took longer than its lease, or other work took its place: its reply counts for nothing."""

    kind = "lost"
    sentence = "The answer came after it had been given up. Try again."


def complete(
    request: Request,
    charge: Charge,
    *,
    on_text: OnText | None = None,
    cache: bool = False,
    stopped: Callable[[], bool] | None = None,
    reservation: Reservation | None = None,
) -> Reply:
    """Make a call and give its reply; call it outside any transaction. Raises CallError.

    `on_text` is called with the text so far while it is written; what it raises ends the call and passes through.
    `stopped` is asked now and then whether to break off. With `cache`, the answer of an equal call of the same
    study is taken where there is one. `reservation` is what `budgets.reserve_batch` gave.
    """
    endpoint, model = find_model(request.model)
    request = limits.bounded(request, model)
    if cache:
        original = caching.answered(ledger.request_digest(request, endpoint, model), charge)
        if original is not None:
            return caching.reply(ledger.keep_copy(request, charge, endpoint, model, original))
    watch, following = Watch(charge, stopped), Following(on_text)
    call, admission = _begin(request, charge, endpoint, model, reservation, watch)
    try:
        outcome = _ask(endpoint, model, request, following if on_text else None, watch)
    except CallError as problem:
        _failed(call, charge, endpoint, model, problem, admission.probe)
        raise
    except BaseException:
        ledger.end(call, charge, model, following.outcome(call), Call.Status.STOPPED, "stopped", BROKEN_OFF)
        raise
    if not written(partial(ledger.end, call, charge, model, outcome, Call.Status.ANSWERED)):
        raise LostError(partial=outcome.text, outcome=outcome)
    if admission.failing:
        limits.note(endpoint, None)
    return Reply(
        outcome.text, outcome.finish_reason, outcome.model_returned, outcome.usage, outcome.logprobs, outcome.refusal,
        outcome.parsed, call,
    )  # fmt: skip


class Watch:
    """Whether a call is to be broken off: by who asked for it, or because its study or run was stopped."""

    def __init__(self, charge: Charge, stopped: Callable[[], bool] | None) -> None:
        self.charge, self.asked, self.looked = charge, stopped, time.monotonic()

    def __call__(self) -> bool:
        if time.monotonic() - self.looked < LOOK_EVERY:
            return False
        self.looked = time.monotonic()
        with unasked_while_away():
            return (self.asked is not None and self.asked()) or stopping.stopped_for(self.charge)
        return False


class Following:
    """What a caller sees of a reply while it is written."""

    def __init__(self, on_text: OnText | None) -> None:
        self.on_text, self.text = on_text, ""

    def __call__(self, text: str) -> None:
        self.text = text
        if self.on_text is not None:
            with unasked_while_away():
                self.on_text(text)

    def outcome(self, call: Call) -> Outcome:
        """All that is known of a call which its caller broke off: it may have to be paid."""
        seconds = (timezone.now() - call.started_at).total_seconds()
        attempt = Attempt(1, call.started_at.isoformat(), seconds, 0, "stopped")
        return Outcome(text=self.text, attempts=(attempt,))


def _begin(
    request: Request,
    charge: Charge,
    endpoint: Endpoint,
    model: Model,
    reservation: Reservation | None,
    watch: Watch,
) -> tuple[Call, limits.Admission]:
    """Wait for a place and write that the call runs; returns its row and how it was admitted."""
    price = budgets.price_of(model, limits.estimated_tokens(request.messages), request.max_tokens or 0)
    until, swept = time.monotonic() + LONGEST_WAIT, False
    ledger.lose_earlier(charge)
    while True:
        if watch():
            raise StoppedError
        try:
            with transaction.atomic():
                if stopping.stopped_for(charge):
                    raise StoppedError(ALL_STOPPED)
                admission = limits.Admission() if endpoint.built_in else limits.enter(endpoint, timezone.now())
                if not admission.wait:
                    return ledger.begin(request, charge, endpoint, model, price, reservation), admission
        except BudgetError:
            if swept or not ledger.sweep():
                raise
            swept = True
            continue
        if time.monotonic() + admission.wait > until:
            ledger.sweep()
            raise BusyError(retry_after=max(admission.wait, PUT_BACK_FOR))
        time.sleep(admission.wait * random.uniform(1, 2))  # noqa: S311 - spreads those who wait


def _ask(endpoint: Endpoint, model: Model, request: Request, on_text: OnText | None, watch: Watch) -> Outcome:
    if endpoint.built_in:
        return quote(request, on_text, watch)
    outcome = ask(endpoint, model, request, on_text=on_text, stopped=watch)
    try:
        check_text(outcome.text)
        check_json(outcome.parsed)
    except TextRefusedError as problem:
        raise BadReplyError(UNSTORABLE.format(problem.reason), outcome=outcome) from None
    return outcome


def _failed(call: Call, charge: Charge, endpoint: Endpoint, model: Model, problem: CallError, probe: bool) -> None:
    status = STATUS_OF.get(problem.kind, Call.Status.FAILED)
    written(partial(ledger.end, call, charge, model, problem.outcome, status, problem.kind, problem.reason))
    if not isinstance(problem, StoppedError):
        limits.note(endpoint, problem, probe=probe)
