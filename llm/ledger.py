"""The only writer of the ledger: starts and ends calls, and marks those that were lost with their worker."""

import hashlib
import logging
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from config.database_clock import database_now
from config.model_fields import canonical_json
from config.prepared_sql import fetch_one, insert, update
from config.process_counts import count
from config.text_validation import TextRefusedError, check_json, with_escapes
from llm import budgets
from llm.endpoints import Endpoint, Model
from llm.models import Call, Reservation
from llm.requests import Charge, Outcome, Request, Usage

logger = logging.getLogger(__name__)
GRACE = timedelta(seconds=30)
"""How much longer the lease of a running call is than the client's deadline."""
SWEPT_AT_ONCE = 100
MOST_TOKENS = 2**31 - 1
FIND = (
    "SELECT EXISTS (SELECT 1 FROM llm_call WHERE work = %s AND NOT (work = '') AND step = %s"
    " AND study_id IS NOT DISTINCT FROM %s"
    " AND (status = 'running' OR (status IN ('answered', 'cached') AND request_digest = %s)))"
)
LOST = "The worker was killed during the call. The most that it may have cost is charged."
NOT_PARAMETERS = ("model", "messages", "prompt")
NESTED = ("material", "place")
COPIED = (
    "model_returned", "text", "thinking", "raw", "finish_reason", "refusal", "logprobs", "tokens_in", "tokens_out",
    "other_model",
)  # fmt: skip
Status = Call.Status


def begin(call: Call, charge: Charge, endpoint: Endpoint, reservation: Reservation | None) -> Call:
    """Reserve the most that all sendings of a call from `new_call` may cost, and write that it runs.

    Call this in the transaction that admits the call. Raises BudgetError.
    """
    now, amount = database_now(), call.price_reserved
    # Lock the reservation before the budgets, in the same order as closing one does.
    drawn = reservation if reservation is not None and budgets.draw(reservation, charge, amount) else None
    if drawn is None:
        budgets.reserve(charge, amount)
    call.reservation, call.started_at = drawn, now
    call.lease_until = now + timedelta(seconds=endpoint.deadline) + GRACE
    insert(call)
    return call


def new_call(request: Request, charge: Charge, endpoint: Endpoint, model: Model, digest: str) -> Call:
    """Return the row of a call that has not begun: what can be computed before anything is locked."""
    price = budgets.highest_request_price(request, model)
    return Call(
        **_request_fields(request, charge, endpoint, model, digest), price_reserved=price.amount * endpoint.attempts,
        price_per_request=price.amount, price_unknown=price.unknown,
    )  # fmt: skip


def note_request(call: Call, number: int) -> None:
    """Write that a running call is being sent for the `number`th time."""
    Call.objects.filter(pk=call.pk, status=Status.RUNNING).update(requests=number)
    call.requests = number


def mark_earlier_lost(charge: Charge) -> int:
    """Mark running calls of the same step of the same work as lost, and return how many.

    Work makes one call per step at a time, so these belong to a worker that has lost the work. Their places at the
    endpoint become free at once instead of when their leases end. Call this outside transactions.
    """
    if not charge.work:
        return 0
    same = Call.objects.filter(work=charge.work, step=charge.step, study=charge.study, status=Status.RUNNING)
    return sum(_mark_lost(pk, database_now()) for pk in list(same.values_list("pk", flat=True)))


def has_call(charge: Charge, digest: str) -> bool:
    """Return whether the same step of the same work has a running call, or one that answered this request."""
    if not charge.work:
        return False
    study = None if charge.study is None else charge.study.pk
    return bool(fetch_one(FIND, [charge.work, charge.step, study, digest])[0])


def end(
    call: Call,
    charge: Charge,
    model: Model,
    outcome: Outcome,
    status: str,
    kind: str = "",
    reason: str = "",
    detail: str = "",
) -> bool:
    """Write the outcome of a call and settle its price; return False if it has been marked as lost meanwhile."""
    tokens = _counted_tokens(outcome)
    billable = sum(attempt.billable for attempt in outcome.attempts)
    values: dict[str, Any] = {
        "status": status, "kind": kind, "reason": with_escapes(reason), "text": with_escapes(outcome.text),
        "thinking": with_escapes(outcome.thinking), "detail": with_escapes(detail),
        "raw": with_escapes(outcome.raw), "model_returned": with_escapes(outcome.model_returned)[:200],
        "finish_reason": with_escapes(outcome.finish_reason)[:50], "refusal": with_escapes(outcome.refusal),
        "logprobs": _as_json(outcome.logprobs), "attempts": _as_json(outcome.attempts),
        "requests": max(len(outcome.attempts), call.requests), "tokens_in": tokens[0] if tokens else None,
        "tokens_out": tokens[1] if tokens else None, "usage_missing": tokens is None and billable > 0,
        "other_model": bool(outcome.model_returned) and outcome.model_returned != call.model_asked,
        "price_charged": _cost(call, model, outcome, tokens), "ended_at": database_now(), "lease_until": None,
    }  # fmt: skip
    with transaction.atomic():
        if not update(Call, values, "id = %s AND status = 'running'", [call.pk]):
            return False
        budgets.settle(charge, call.price_reserved, values["price_charged"], call.reservation)
    for name, value in values.items():
        setattr(call, name, value)
    count("calls", status=status)
    seconds = (values["ended_at"] - call.started_at).total_seconds()
    about = (call.pk, call.endpoint, call.model, call.work or "no work", status, seconds)
    logger.info("Call %s to %s/%s for %s: %s after %.1f s", *about)
    count("call_cost", values["price_charged"] / 1_000_000)
    return True


def record_copy(
    request: Request, charge: Charge, endpoint: Endpoint, model: Model, digest: str, original: Call
) -> Call:
    """Write a call that took the answer of an earlier one for free."""
    taken = {name: getattr(original, name) for name in COPIED}
    now = database_now()
    return Call.objects.create(
        **_request_fields(request, charge, endpoint, model, digest), **taken, status=Status.CACHED, original=original,
        requests=0, price_charged=0, started_at=now, ended_at=now,
    )  # fmt: skip


def request_digest(request: Request, endpoint: Endpoint, model: Model) -> str:
    """Return the SHA-256 of all that decides an answer: the model, the messages and the parameters."""
    asked = {
        "endpoint": endpoint.name, "model": model.name, "asked": model.asked, "messages": _messages(request),
        "parameters": _parameters(request),
    }  # fmt: skip
    return _digest(asked | ({"settings": settings} if (settings := model.settings()) else {}))


def sweep(now: datetime | None = None) -> int:
    """Mark calls whose lease has ended as lost, release expired reservations, and return how many of both.

    A lost call may have to be paid, so the most that its sendings may cost is charged.
    """
    now = now or database_now()
    lost = Call.objects.filter(status=Status.RUNNING, lease_until__lt=now).order_by("lease_until")
    resolved = sum(_mark_lost(pk, now) for pk in lost.values_list("pk", flat=True)[:SWEPT_AT_ONCE])
    for reservation in Reservation.objects.filter(closed_at=None, lease_until__lt=now)[:SWEPT_AT_ONCE]:
        budgets.close(reservation)
        resolved += 1
    return resolved


def _mark_lost(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        running = Call.objects.filter(pk=pk, status=Status.RUNNING)
        call = (
            running.select_related("study", "person", "reservation")
            .select_for_update(of=("self",), no_key=True)
            .first()
        )
        if call is None:
            return False
        charged = call.price_per_request * call.requests
        running.update(
            status=Status.LOST, kind="lost", reason=LOST, price_charged=charged, usage_missing=True, ended_at=now,
            lease_until=None,
        )  # fmt: skip
        budgets.settle(Charge(call.study, call.run, call.person), call.price_reserved, charged, call.reservation)
    return True


def _as_json(values: Any) -> Any:
    """Return attempts or log-probabilities as JSON that both databases can store."""
    if values is None:
        return None
    found = [asdict(value) for value in values]
    try:
        return check_json(found)
    except TextRefusedError as problem:
        return {"unstorable": str(problem)}


def _counted_tokens(outcome: Outcome) -> tuple[int, int] | None:
    """Return the tokens that the endpoint counted, or None if the counts are missing or impossible."""
    return _tokens(outcome.usage)


def _tokens(usage: Usage | None) -> tuple[int, int] | None:
    if usage is None:
        return None
    tokens = usage.prompt_tokens, usage.completion_tokens
    return tokens if all(0 <= count <= MOST_TOKENS for count in tokens) else None


def _cost(call: Call, model: Model, outcome: Outcome, tokens: tuple[int, int] | None) -> int:
    """Return what a call cost: the tokens counted for the last sending and for others that replied; else the most."""
    *earlier, _ = outcome.attempts or (None,)
    billable = [_tokens(one.usage) for one in outcome.attempts if one.billable]
    if tokens is not None:
        billable = [tokens, *(_tokens(one.usage) for one in earlier if one is not None and one.billable)]
    costs = (call.price_per_request if one is None else budgets.price_of(model, *one).amount for one in billable)
    return sum(costs)


def _request_fields(request: Request, charge: Charge, endpoint: Endpoint, model: Model, digest: str) -> dict[str, Any]:
    messages, prompt, settings = _messages(request), request.prompt, model.settings()
    return {
        "study": charge.study, "run": charge.run, "person": charge.person, "work": charge.work, "step": charge.step,
        "endpoint": endpoint.name, "model": model.name, "scripted": endpoint.scripted, "model_asked": model.asked,
        "parameters": _parameters(request) | ({"settings": settings} if settings else {}),
        "prompt_key": prompt.key if prompt else "",
        "prompt_version": prompt.version if prompt else "", "prompt_digest": prompt.digest if prompt else "",
        "messages": messages, "messages_digest": _digest(messages),
        "request_digest": digest,
    }  # fmt: skip


def _parameters(request: Request) -> dict[str, Any]:
    """Return everything of a request besides model, messages and prompt that is not empty."""
    given = {name: value for name, value in vars(request).items() if name not in NOT_PARAMETERS}
    found = {name: value for name, value in given.items() if value is not None and value not in ("", ())}
    nested = {name: asdict(one) for name in NESTED if (one := getattr(request, name)) is not None}
    return found | nested


def _messages(request: Request) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
