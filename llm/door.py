"""The only way to call a language model: admit, reserve, record, send, record the outcome, settle.

A call takes two short transactions, one before it is sent and one after.
"""

import random
import time
from collections.abc import Callable
from functools import partial

from django.db import transaction

from config.database_clock import database_now
from config.text_validation import TextRefusedError, check_json, check_text
from llm import ledger, limits, recorded_answers, stop_marks, thinking_habits
from llm.call_errors import BadReplyError, BudgetError, CallError, EndpointBusyError, StoppedError
from llm.capabilities import refuse_if_unable
from llm.client import ask
from llm.database_outage import skip_during_outage, write_after_outage
from llm.dry_run_calls import refuse_outside_dry_runs
from llm.endpoints import Endpoint, Model, find_model
from llm.extractive_calls import ask_extractive
from llm.models import Call, Reservation
from llm.requests import Attempt, Charge, Outcome, Reply, Request

LONGEST_WAIT = 2.0
"""Seconds that a call waits for a place. Then its work returns to the queue, so that it blocks no thread."""
PUT_BACK_FOR = 3.0
"""Seconds that such work stays in the queue at least, so that calls to other endpoints come first."""
STOP_CHECK_EVERY = 1.0
ABORTED = "The call was aborted by its caller."
ALL_STOPPED = "Calls of this study are stopped."
UNSTORABLE = "The reply {}."
STATUS_OF = {
    "refused": Call.Status.REFUSED, "cannot": Call.Status.REFUSED, "filtered": Call.Status.FILTERED,
    "truncated": Call.Status.TRUNCATED, "bad_reply": Call.Status.INVALID, "stopped": Call.Status.STOPPED,
}  # fmt: skip

OnText = Callable[[str], None]


class LostError(CallError):
    """The call took longer than its lease, or another worker took over its work: its reply is discarded."""

    kind = "lost"
    sentence = "The answer came too late and was discarded. Try again."


def complete(
    request: Request,
    charge: Charge,
    *,
    on_text: OnText | None = None,
    cache: bool = False,
    stopped: Callable[[], bool] | None = None,
    reservation: Reservation | None = None,
) -> Reply:
    """Make a call and return its reply; call it outside any transaction. Raises CallError.

    If an earlier call of the same work and step has answered the same request, its answer is returned: a worker was
    killed before it could store it as its result. With `cache`, so is the answer of any equal request in the study.
    `on_text` is called with the text received so far; an exception from it ends the call and is passed on. `stopped`
    is called about every second and ends the call if it returns True. `reservation` is from `budgets.reserve_batch`.
    """
    refuse_outside_dry_runs(request.model, charge.study)
    endpoint, model = find_model(request.model)
    refuse_if_unable(request, endpoint, model)
    request = limits.with_reply_limit(limits.as_configured(request, model), model)
    digest = ledger.request_digest(request, endpoint, model)
    stop_check, begun = StopCheck(charge, stopped), None
    while begun is None:
        if ledger.has_call(charge, digest):
            ledger.mark_earlier_lost(charge)
            if (recorded := recorded_answers.of_same_work(digest, charge)) is not None:
                return recorded_answers.reply(recorded)
        if cache and (equal := recorded_answers.of_equal_call(digest, charge)) is not None:
            return recorded_answers.reply(ledger.record_copy(request, charge, endpoint, model, digest, equal))
        begun = _begin(request, charge, endpoint, model, reservation, stop_check, digest)
    call, admission = begun
    progress = CallProgress(call, on_text)
    try:
        outcome = _ask(endpoint, model, request, progress, stop_check)
    except CallError as problem:
        _failed(call, charge, endpoint, model, problem, admission.probe)
        raise
    except BaseException:
        ledger.end(call, charge, model, progress.outcome(), Call.Status.STOPPED, "stopped", ABORTED)
        raise
    if not write_after_outage(partial(ledger.end, call, charge, model, outcome, Call.Status.ANSWERED)):
        raise LostError(partial=outcome.text, outcome=outcome)
    if admission.failing:
        limits.record_outcome(endpoint, None, limits.lane_of(charge))
    return Reply(
        outcome.text, outcome.finish_reason, outcome.model_returned, outcome.usage, outcome.logprobs, outcome.refusal,
        outcome.parsed, call,
    )  # fmt: skip


class StopCheck:
    """Knows whether a call should end, because its caller says so or its study or run was stopped."""

    def __init__(self, charge: Charge, stopped: Callable[[], bool] | None) -> None:
        self.charge, self.asked, self.looked = charge, stopped, time.monotonic()

    def __call__(self) -> bool:
        if time.monotonic() - self.looked < STOP_CHECK_EVERY:
            return False
        self.looked = time.monotonic()
        with skip_during_outage():
            return (self.asked is not None and self.asked()) or stop_marks.stopped_for(self.charge)
        return False


class CallProgress:
    """The progress of a call: how often it was sent, and the text received so far, which is passed to `on_text`."""

    def __init__(self, call: Call, on_text: OnText | None) -> None:
        self.call, self.on_text, self.text, self.requests = call, on_text, "", 1

    def show(self, text: str) -> None:
        self.text = text
        if self.on_text is not None:
            with skip_during_outage():
                self.on_text(text)

    def count(self, number: int) -> None:
        """Record that the call is sent again: each sending may have to be paid, even if this worker is killed."""
        self.requests = number
        if number > 1:
            with skip_during_outage():
                ledger.note_request(self.call, number)

    def outcome(self) -> Outcome:
        """Return what is known of a call that its caller aborted; every sending may have to be paid."""
        started = self.call.started_at
        seconds = (database_now() - started).total_seconds()
        numbers = range(1, self.requests + 1)
        attempts = tuple(Attempt(number, started.isoformat(), seconds, 0, "stopped") for number in numbers)
        return Outcome(text=self.text, attempts=attempts)


def _begin(
    request: Request,
    charge: Charge,
    endpoint: Endpoint,
    model: Model,
    reservation: Reservation | None,
    stop_check: StopCheck,
    digest: str,
) -> tuple[Call, limits.Admission] | None:
    """Wait for a place and record that the call runs; return its row and how it was admitted.

    Returns None if another worker with the same work was faster.
    """
    until, swept = time.monotonic() + LONGEST_WAIT, False
    call, lane = ledger.new_call(request, charge, endpoint, model, digest), limits.lane_of(charge)
    while True:
        if stop_check():
            raise StoppedError
        try:
            with transaction.atomic():
                if stop_marks.stopped_for(charge):
                    raise StoppedError(ALL_STOPPED)
                admission = limits.Admission() if endpoint.built_in else limits.admit(endpoint, database_now(), lane)
                if not admission.wait:
                    if ledger.has_call(charge, digest):  # the lock keeps others from starting one
                        return None
                    return ledger.begin(call, charge, endpoint, reservation), admission
        except BudgetError:
            if swept or not ledger.sweep():
                raise
            swept = True
            continue
        if time.monotonic() + admission.wait > until:
            ledger.sweep()
            raise EndpointBusyError(retry_after=max(admission.wait, PUT_BACK_FOR))
        time.sleep(admission.wait * random.uniform(1, 2))  # noqa: S311 - waiting calls must not retry in step


def _ask(endpoint: Endpoint, model: Model, request: Request, progress: CallProgress, stop_check: StopCheck) -> Outcome:
    on_text = progress.show if progress.on_text is not None else None
    if endpoint.built_in:
        return ask_extractive(request, on_text, stop_check)
    hidden = on_text is not None and thinking_habits.may_be_unmarked(endpoint, model)
    outcome = ask(
        endpoint, model, request, on_text=on_text, stopped=stop_check, on_request=progress.count, hidden=hidden
    )
    if hidden or outcome.marks == "unopened":
        with skip_during_outage():
            thinking_habits.note(endpoint, model, outcome)
    try:
        check_text(outcome.text)
        check_json(outcome.parsed)
    except TextRefusedError as problem:
        raise BadReplyError(UNSTORABLE.format(problem.reason), outcome=outcome) from None
    return outcome


def _failed(call: Call, charge: Charge, endpoint: Endpoint, model: Model, problem: CallError, probe: bool) -> None:
    status = Call.Status.FAILED if problem.passing else STATUS_OF.get(problem.kind, Call.Status.FAILED)
    said = (problem.kind, problem.reason, problem.detail if problem.detail != problem.reason else "")
    write_after_outage(partial(ledger.end, call, charge, model, problem.outcome, status, *said))
    if not isinstance(problem, StoppedError):
        limits.record_outcome(endpoint, problem, limits.lane_of(charge), probe=probe)
