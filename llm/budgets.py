"""What calls may cost: reserved before a call is made, settled by what came of it.

Amounts are whole millionths of the currency in which the endpoints' prices are written. The row of a `Budget` is
the lock of its own sums; rows are locked in the order of their primary keys. A budget's sums hold every call that
falls to it, from the first on, whether it had a cap then or not.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from llm.asking import Charge, Request
from llm.endpoints import Model, find_model
from llm.errors import BudgetError
from llm.limits import bounded, estimated_tokens
from llm.models import Budget, Reservation

MILLION = Decimal(1_000_000)
BATCH_LEASE = timedelta(days=1)
USED_UP = "The budget of {} is used up: {} of {} is spent or set aside, and this call may cost {}."


@dataclass(frozen=True)
class Price:
    """What a call may cost or cost; `unknown` where the highest price was reckoned because none is set."""

    amount: int
    unknown: bool


def price_of(model: Model, tokens_in: int, tokens_out: int) -> Price:
    """The price of so many tokens, rounded up; a price that is not set counts as the operator's highest."""
    dearest = Decimal(settings.UNKNOWN_PRICE)
    each_in = dearest if model.price_in is None else model.price_in
    each_out = dearest if model.price_out is None else model.price_out
    amount = (each_in * tokens_in + each_out * tokens_out).to_integral_value(rounding=ROUND_CEILING)
    return Price(int(amount), model.price_in is None or model.price_out is None)


def most(request: Request) -> Price:
    """The most that one sending of a request is reckoned to cost: all it may read and all it may write."""
    _, model = find_model(request.model)
    bound = bounded(request, model)
    return price_of(model, estimated_tokens(bound.messages), bound.max_tokens or 0)


def reserve(charge: Charge, amount: int) -> None:
    """Set an amount aside in every budget that the charge falls to. Call it in the transaction of the call's start.

    Raises BudgetError where a cap would be passed; then nothing is set aside.
    """
    if not amount or charge.study is None:
        return
    budgets = _locked(charge.study, charge.run, charge.person)
    for budget in budgets:
        taken = budget.spent + budget.reserved
        if budget.cap is not None and taken + amount > budget.cap:
            raise BudgetError(USED_UP.format(_named(budget), money(taken), money(budget.cap), money(amount)))
    _add(budgets, reserved=amount)


def settle(charge: Charge, reserved: int, charged: int) -> None:
    """Turn what was set aside for a call into what it cost. Call it in the transaction of the call's end."""
    if charge.study is not None and (reserved or charged):
        _add(_locked(charge.study, charge.run, charge.person), reserved=-reserved, spent=charged)


def reserve_batch(charge: Charge, requests: Iterable[Request], lease: timedelta = BATCH_LEASE) -> Reservation:
    """Set aside at once what many calls may cost; `complete` draws from it. Raises BudgetError.

    Close it when the last of them is over; after its lease the sweep does so.
    """
    if charge.study is None:
        raise ValueError("Only calls of a study have budgets.")
    amount = sum(most(request).amount for request in requests)
    with transaction.atomic():
        reserve(charge, amount)
        return Reservation.objects.create(
            study=charge.study, run=charge.run, person=charge.person, amount=amount, left=amount,
            lease_until=timezone.now() + lease,
        )  # fmt: skip


def draw(reservation: Reservation, charge: Charge, amount: int) -> bool:
    """Take a call's amount from a reservation; False where it holds too little or is closed.

    The budgets' sums stay as they are: what is taken was set aside in them already.
    """
    mine, theirs = (charge.study, charge.run, charge.person), (reservation.study, reservation.run, reservation.person)
    if mine != theirs:
        raise ValueError("A reservation serves the study, run and person that it was made for.")
    open_ones = Reservation.objects.filter(pk=reservation.pk, closed_at=None, left__gte=amount)
    return bool(open_ones.update(left=F("left") - amount))


def close(reservation: Reservation) -> int:
    """Give back what no call took from a reservation; returns how much. Closing again does nothing."""
    with transaction.atomic():
        found = Reservation.objects.select_for_update(of=("self",)).get(pk=reservation.pk)
        if found.closed_at is not None:
            return 0
        left, found.left, found.closed_at = found.left, 0, timezone.now()
        found.save(update_fields=["left", "closed_at"])
        _add(_locked(found.study, found.run, found.person), reserved=-left)
    return left


def set_cap(
    study: Study, cap: int | None, actor: Person | None, *, run: str = "", person: Person | None = None
) -> Budget:
    """Set, change or (None) lift the most that may be spent in a study, one run of it, or by one person in it."""
    if run and person is not None:
        raise ValueError("A budget is one run's or one person's.")
    with transaction.atomic():
        budgets = _locked(study, run, person)
        budget = next(one for one in budgets if one.run == run and one.person_id == (person.pk if person else None))
        old, budget.cap = budget.cap, cap
        budget.save(update_fields=["cap"])
        record("budget set", _named(budget), actor=actor, study=study.slug, old={"cap": old}, new={"cap": cap})
    return budget


def money(amount: int) -> str:
    """An amount as people read it, in whole units of the currency."""
    return f"{Decimal(amount) / MILLION:,.6f}".rstrip("0").rstrip(".")


def _named(budget: Budget) -> str:
    if budget.run:
        return f"run {budget.run}"
    return f"study {budget.study.slug}" if budget.person_id is None else f"person {budget.person_id}"


def _falls_to(run: str, person: Person | None) -> list[tuple[str, int | None]]:
    """Run and person of the budgets in a study to which a charge falls."""
    return [("", None)] + ([(run, None)] if run else []) + ([("", person.pk)] if person is not None else [])


def _locked(study: Study, run: str, person: Person | None) -> Sequence[Budget]:
    """The budgets to which a charge falls, locked for the rest of the transaction; made where they are not there."""
    keys = _falls_to(run, person)
    chosen = Q()
    for one_run, one_person in keys:
        chosen |= Q(run=one_run, person=one_person)
    rows = Budget.objects.select_for_update().filter(chosen, study=study)
    found = list(rows.order_by("pk"))
    if len(found) < len(keys):
        made = [Budget(study=study, run=one_run, person_id=one_person) for one_run, one_person in keys]
        Budget.objects.bulk_create(made, ignore_conflicts=True)
        found = list(rows.order_by("pk"))
    for budget in found:
        budget.study = study
    return found


def _add(budgets: Sequence[Budget], *, reserved: int = 0, spent: int = 0) -> None:
    Budget.objects.filter(pk__in=[budget.pk for budget in budgets]).update(
        reserved=F("reserved") + reserved, spent=F("spent") + spent
    )
