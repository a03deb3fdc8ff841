"""Budgets: the most that a call may cost is reserved before it is sent, and replaced by what it cost afterwards.

Amounts are whole millionths of the currency of the endpoints' prices. A `Budget` row locks its own sums; rows are
locked in the order of their primary keys. The sums include every call from the first one on, with or without a cap.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal
from functools import cache

from django.conf import settings
from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from config.database_clock import database_now
from config.prepared_sql import Columns, fetch_all, lock_clause
from config.prepared_sql import run as run_sql
from llm.call_errors import BudgetError
from llm.capabilities import refuse_if_unable
from llm.endpoints import Model, find_model
from llm.limits import estimate_request_tokens, with_reply_limit
from llm.models import Budget, Reservation
from llm.requests import Charge, Request

MILLION = Decimal(1_000_000)
BUDGET = Columns(Budget, "b")
BATCH_LEASE = timedelta(days=1)
DRAW = 'UPDATE llm_reservation SET "left" = "left" - %s WHERE id = %s AND closed_at IS NULL AND "left" >= %s'
GIVE_BACK = 'UPDATE llm_reservation SET "left" = "left" + %s WHERE id = %s AND closed_at IS NULL'
EXCEEDED = "The budget of {} does not allow this call: {} of {} is spent or reserved, and the call may cost {}."


@dataclass(frozen=True)
class Price:
    """A price; `unknown` if the model has none and the operator's highest was used."""

    amount: int
    unknown: bool


def price_of(model: Model, tokens_in: int, tokens_out: int) -> Price:
    """Return the price of that many tokens, rounded up; a missing price counts as UNKNOWN_PRICE."""
    highest = Decimal(settings.UNKNOWN_PRICE)
    each_in = highest if model.price_in is None else model.price_in
    each_out = highest if model.price_out is None else model.price_out
    amount = (each_in * tokens_in + each_out * tokens_out).to_integral_value(rounding=ROUND_CEILING)
    return Price(int(amount), model.price_in is None or model.price_out is None)


def highest_request_price(request: Request, model: Model) -> Price:
    """Return the most that sending a request once may cost; its reply must have a limit (`limits.with_reply_limit`)."""
    return price_of(model, estimate_request_tokens(request), model.reply_limit(request))


def highest_call_price(request: Request) -> int:
    """Return the most that a call may cost if it is sent as often as its endpoint allows.

    Raises UnsupportedError if the model cannot do what the request needs.
    """
    endpoint, model = find_model(request.model)
    refuse_if_unable(request, endpoint, model)
    return highest_request_price(with_reply_limit(request, model), model).amount * endpoint.attempts


def reserve(charge: Charge, amount: int) -> None:
    """Reserve an amount in every budget of the charge. Call it in the transaction that starts the call.

    Raises BudgetError, with nothing reserved, if that would exceed a cap.
    """
    if not amount or charge.study is None:
        return
    budgets = _locked(charge.study, charge.run, charge.person)
    for budget in budgets:
        taken = budget.spent + budget.reserved
        if budget.cap is not None and taken + amount > budget.cap:
            problem = BudgetError(
                EXCEEDED.format(_budget_name(budget), amount_text(taken), amount_text(budget.cap), amount_text(amount))
            )
            problem.passing = all(one.cap is None or one.spent + amount <= one.cap for one in budgets)
            raise problem
    _add(budgets, reserved=amount)


def settle(charge: Charge, reserved: int, charged: int, reservation: Reservation | None = None) -> None:
    """Replace what was reserved for a call by what it cost. Call it in the transaction that ends the call.

    What a call drew from an open `reservation` and did not cost goes back into it; otherwise it is released.
    """
    if charge.study is None or not (reserved or charged):
        return
    back = max(reserved - charged, 0)
    if reservation is not None and back:
        back *= run_sql(GIVE_BACK, [back, reservation.pk]).rowcount
    else:
        back = 0
    _add(_locked(charge.study, charge.run, charge.person), reserved=back - reserved, spent=charged)


def reserve_batch(charge: Charge, amount: int, lease: timedelta = BATCH_LEASE) -> Reservation:
    """Reserve an amount for many calls; `complete` draws from the reservation. Raises BudgetError.

    Close it after the last call; when its lease ends, the sweep closes it.
    """
    if charge.study is None:
        raise ValueError("A call without a study has no budget.")
    with transaction.atomic():
        reserve(charge, amount)
        return Reservation.objects.create(
            study=charge.study, run=charge.run, person=charge.person, amount=amount, left=amount,
            lease_until=database_now() + lease,
        )  # fmt: skip


def extend(reservation: Reservation) -> None:
    """Keep an open reservation for another lease."""
    Reservation.objects.filter(pk=reservation.pk, closed_at=None).update(lease_until=database_now() + BATCH_LEASE)


def draw(reservation: Reservation, charge: Charge, amount: int) -> bool:
    """Take a call's amount from a reservation; return False if too little is left or it is closed.

    The budgets do not change: they hold the reserved amount already.
    """
    mine = (charge.study and charge.study.pk, charge.run, charge.person and charge.person.pk)
    if mine != (reservation.study_id, reservation.run, reservation.person_id):
        raise ValueError("A reservation can only be used by the study, run and person that it was made for.")
    return bool(run_sql(DRAW, [amount, reservation.pk, amount]).rowcount)


def close(reservation: Reservation) -> int:
    """Release what no call took from a reservation and return it. Closing twice does nothing."""
    with transaction.atomic():
        found = Reservation.objects.select_for_update(of=("self",), no_key=True).get(pk=reservation.pk)
        if found.closed_at is not None:
            return 0
        left, found.left, found.closed_at = found.left, 0, database_now()
        found.save(update_fields=["left", "closed_at"])
        _add(_locked(found.study, found.run, found.person), reserved=-left)
    return left


def set_cap(
    study: Study, cap: int | None, actor: Person | None, *, run: str = "", person: Person | None = None
) -> Budget:
    """Set, change or (None) remove the cap of a study, of one of its runs, or of one person in it."""
    if run and person is not None:
        raise ValueError("A budget belongs to a run or to a person, not to both.")
    with transaction.atomic():
        budgets = _locked(study, run, person)
        budget = next(one for one in budgets if one.run == run and one.person_id == (person.pk if person else None))
        old, budget.cap = budget.cap, cap
        budget.save(update_fields=["cap"])
        record(
            "budget set", f"run {run}" if run else "", actor=actor, about=person, study=study.slug, old={"cap": old},
            new={"cap": cap},
        )  # fmt: skip
    return budget


def amount_text(amount: int) -> str:
    """Return an amount in units of the currency, for people."""
    return f"{Decimal(amount) / MILLION:,.6f}".rstrip("0").rstrip(".")


def _budget_name(budget: Budget) -> str:
    if budget.run:
        return f"run {budget.run}"
    return f"study {budget.study.slug}" if budget.person_id is None else f"person {budget.person_id}"


def _paying(run: str, person: Person | None) -> list[tuple[str, int | None]]:
    """Return (run, person) of each budget in the study that pays for a call."""
    return [("", None)] + ([(run, None)] if run else []) + ([("", person.pk)] if person is not None else [])


def _locked(study: Study, run: str, person: Person | None) -> Sequence[Budget]:
    """Return the budgets that pay for a call, created if missing and locked until the transaction ends."""
    keys = _paying(run, person)
    sql = _find_sql(bool(run), person is not None) + lock_clause()
    params = [study.pk, *([run] if run else []), *([person.pk] if person is not None else [])]
    found = [BUDGET.must_take(iter(row)) for row in fetch_all(sql, params)]
    if len(found) < len(keys):
        made = [Budget(study=study, run=one_run, person_id=one_person) for one_run, one_person in keys]
        Budget.objects.bulk_create(made, ignore_conflicts=True)
        found = [BUDGET.must_take(iter(row)) for row in fetch_all(sql, params)]
    for budget in found:
        budget.study = study
    return found


def _add(budgets: Sequence[Budget], *, reserved: int = 0, spent: int = 0) -> None:
    keys = [budget.pk for budget in budgets]
    marks = ", ".join(["%s"] * len(keys))
    run_sql(
        f"UPDATE llm_budget SET reserved = reserved + %s, spent = spent + %s WHERE id IN ({marks})",  # noqa: S608
        [reserved, spent, *keys],
    )


@cache
def _find_sql(of_run: bool, of_person: bool) -> str:
    """Return the statement that finds the budgets of a study, of a run if there is one, and of a person."""
    kinds = ["b.run = '' AND b.person_id IS NULL"]
    kinds += ["b.run = %s AND b.person_id IS NULL"] * of_run + ["b.run = '' AND b.person_id = %s"] * of_person
    chosen = " OR ".join(f"({one})" for one in kinds)
    return f"SELECT {BUDGET.sql} FROM llm_budget b WHERE b.study_id = %s AND ({chosen}) ORDER BY b.id"  # noqa: S608
