"""The one writer of the ledger: a row when a call is begun, its outcome when it is over, what became of lost ones."""

import hashlib
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from annotation.text import TextRefusedError, check_json, check_text
from config.fields import canonical_json
from llm import budgets
from llm.asking import Charge, Outcome, Request
from llm.budgets import Price
from llm.endpoints import Endpoint, Model
from llm.models import Call, Reservation

GRACE = timedelta(seconds=30)
"""How much longer than the client's total deadline a running call's lease is."""
AT_ONCE = 100
MOST_TOKENS = 2**31 - 1
LOST = "The worker that made the call was ended before it was over. What it may have cost is charged."
NOT_PARAMETERS = ("model", "messages", "prompt", "material")
COPIED = (
    "model_returned", "text", "raw", "finish_reason", "refusal", "logprobs", "tokens_in", "tokens_out", "other_model",
)  # fmt: skip
Status = Call.Status


def begin(
    request: Request, charge: Charge, endpoint: Endpoint, model: Model, price: Price, reservation: Reservation | None
) -> Call:
    """Reserve what a call may cost and write that it runs. Call it in the transaction that admits the call.

    Raises BudgetError.
    """
    now = timezone.now()
    # A reservation's row is locked before those of budgets, as where one is closed.
    drawn = reservation if reservation is not None and budgets.draw(reservation, charge, price.amount) else None
    if drawn is None:
        budgets.reserve(charge, price.amount)
    return Call.objects.create(
        **_asked(request, charge, endpoint, model), price_reserved=price.amount, price_unknown=price.unknown,
        reservation=drawn, started_at=now, lease_until=now + timedelta(seconds=endpoint.deadline) + GRACE,
    )  # fmt: skip


def lose_earlier(charge: Charge) -> int:
    """Resolve what still runs of the same step of the same work; returns how many. Call it outside transactions.

    One piece of work makes one call a step at a time: what of it runs was begun by a worker that has lost it. Its
    place at the endpoint is free at once, not only when its lease is over.
    """
    if not charge.work:
        return 0
    same = Call.objects.filter(work=charge.work, step=charge.step, study=charge.study, status=Status.RUNNING)
    return sum(_lose(pk, timezone.now()) for pk in list(same.values_list("pk", flat=True)))


def end(
    call: Call, charge: Charge, model: Model, outcome: Outcome, status: str, kind: str = "", reason: str = ""
) -> bool:
    """Write what came of a call, once, and settle its price; False where it was given up as lost meanwhile."""
    tokens = _counted(outcome)
    billable = sum(attempt.billable for attempt in outcome.attempts)
    values: dict[str, Any] = {
        "status": status, "kind": kind, "reason": storable(reason), "text": storable(outcome.text),
        "raw": storable(outcome.raw), "model_returned": storable(outcome.model_returned)[:200],
        "finish_reason": storable(outcome.finish_reason)[:50], "refusal": storable(outcome.refusal),
        "logprobs": _listed(outcome.logprobs), "attempts": _listed(outcome.attempts),
        "requests": max(len(outcome.attempts), 1), "tokens_in": tokens[0] if tokens else None,
        "tokens_out": tokens[1] if tokens else None, "usage_missing": tokens is None and billable > 0,
        "other_model": bool(outcome.model_returned) and outcome.model_returned != call.model_asked,
        "price_charged": _charged(call, model, tokens, billable), "ended_at": timezone.now(), "lease_until": None,
    }  # fmt: skip
    with transaction.atomic():
        if not Call.objects.filter(pk=call.pk, status=Status.RUNNING).update(**values):
            return False
        budgets.settle(charge, call.price_reserved, values["price_charged"])
    for name, value in values.items():
        setattr(call, name, value)
    return True


def keep_copy(request: Request, charge: Charge, endpoint: Endpoint, model: Model, original: Call) -> Call:
    """Write that the answer of an earlier call was taken, for nothing."""
    taken = {name: getattr(original, name) for name in COPIED}
    now = timezone.now()
    return Call.objects.create(
        **_asked(request, charge, endpoint, model), **taken, status=Status.CACHED, original=original, requests=0,
        price_charged=0, started_at=now, ended_at=now,
    )  # fmt: skip


def request_digest(request: Request, endpoint: Endpoint, model: Model) -> str:
    """SHA-256 of all that decides an answer: the model, the messages and the parameters."""
    asked = {
        "endpoint": endpoint.name, "model": model.name, "asked": model.asked, "messages": _messages(request),
        "parameters": _parameters(request),
    }  # fmt: skip
    return _digest(asked)


def sweep(now: datetime | None = None) -> int:
    """Resolve calls whose worker was not heard of again, and give expired reservations back; returns how many.

    Money may have been spent on a lost call: what was reserved for it is charged.
    """
    now = now or timezone.now()
    lost = Call.objects.filter(status=Status.RUNNING, lease_until__lt=now).order_by("lease_until")
    resolved = sum(_lose(pk, now) for pk in lost.values_list("pk", flat=True)[:AT_ONCE])
    for reservation in Reservation.objects.filter(closed_at=None, lease_until__lt=now)[:AT_ONCE]:
        budgets.close(reservation)
        resolved += 1
    return resolved


def _lose(pk: int, now: datetime) -> bool:
    with transaction.atomic():
        running = Call.objects.filter(pk=pk, status=Status.RUNNING)
        call = running.select_related("study", "person").select_for_update(of=("self",)).first()
        if call is None:
            return False
        running.update(
            status=Status.LOST, kind="lost", reason=LOST, price_charged=call.price_reserved, usage_missing=True,
            ended_at=now, lease_until=None,
        )  # fmt: skip
        budgets.settle(Charge(call.study, call.run, call.person), call.price_reserved, call.price_reserved)
    return True


def storable(text: str) -> str:
    """`text` as both databases can keep it: NUL and lone surrogates written out as escapes."""
    try:
        return check_text(text)
    except TextRefusedError:
        return text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def _listed(values: Any) -> Any:
    """Attempts or log-probabilities as JSON that both databases can keep."""
    if values is None:
        return None
    found = [asdict(value) for value in values]
    try:
        return check_json(found)
    except TextRefusedError as problem:
        return {"unstorable": str(problem)}


def _counted(outcome: Outcome) -> tuple[int, int] | None:
    """The tokens that the endpoint counted, where the counts can be right."""
    if outcome.usage is None:
        return None
    tokens = outcome.usage.prompt_tokens, outcome.usage.completion_tokens
    return tokens if all(0 <= count <= MOST_TOKENS for count in tokens) else None


def _charged(call: Call, model: Model, tokens: tuple[int, int] | None, billable: int) -> int:
    """What a call cost: what was counted for the last sending, and the reserved price for each other one billed."""
    if tokens is None:
        return call.price_reserved * billable
    return budgets.price_of(model, *tokens).amount + call.price_reserved * max(billable - 1, 0)


def _asked(request: Request, charge: Charge, endpoint: Endpoint, model: Model) -> dict[str, Any]:
    messages, prompt = _messages(request), request.prompt
    return {
        "study": charge.study, "run": charge.run, "person": charge.person, "work": charge.work, "step": charge.step,
        "endpoint": endpoint.name, "model": model.name, "model_asked": model.asked,
        "parameters": _parameters(request), "prompt_key": prompt.key if prompt else "",
        "prompt_version": prompt.version if prompt else "", "prompt_digest": prompt.digest if prompt else "",
        "messages": messages, "messages_digest": _digest(messages),
        "request_digest": request_digest(request, endpoint, model),
    }  # fmt: skip


def _parameters(request: Request) -> dict[str, Any]:
    """What was asked beside the messages; of material (what a model without language reads) all of it."""
    given = {name: value for name, value in vars(request).items() if name not in NOT_PARAMETERS and value is not None}
    return given | ({"material": asdict(request.material)} if request.material is not None else {})


def _messages(request: Request) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in request.messages]


def _digest(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()
