"""The cost of a call is reserved under lock, settled afterwards, and never exceeds a cap."""

import random
from datetime import timedelta

import pytest
from django.db.models import Sum
from django.utils import timezone

from accounts.models import AuditEntry
from llm import budgets, ledger
from llm.budgets import amount_text, close, highest_call_price, reserve_batch, set_cap
from llm.call_errors import BudgetError, CallTimeoutError, RefusedError
from llm.door import LostError, complete
from llm.endpoints import find_model
from llm.models import Budget, Call, Reservation
from llm.requests import Charge
from tests.conftest import make_person
from tests.llm.calls import answered, asked, attempt, highest_price, together, write_endpoints

EACH = 229  # the most that sending `asked()` once may cost: 29 tokens to read, 100 to write at twice the price
MOST = 4 * EACH  # the endpoint allows four sendings


def begin(request, charge, endpoint, model, reservation):
    call = ledger.new_call(request, charge, endpoint, model, ledger.request_digest(request, endpoint, model))
    return ledger.begin(call, charge, endpoint, reservation)


def sums(study):
    return list(
        Budget.objects.filter(study=study).order_by("pk").values_list("run", "person__username", "reserved", "spent")
    )


def test_a_call_counts_towards_the_budgets_of_its_study_run_and_person(study, owner, replies):
    def look(on_text, stopped):
        assert sums(study) == [("", None, MOST, 0), ("run-1", None, MOST, 0), ("", "owner", MOST, 0)]
        return answered()

    replies(look)
    complete(asked(), Charge(study, run="run-1", person=owner))
    assert sums(study) == [("", None, 0, 30), ("run-1", None, 0, 30), ("", "owner", 0, 30)]
    replies(answered())
    complete(asked(), Charge(study, run="run-2"))
    assert sums(study) == [
        ("", None, 0, 60), ("run-1", None, 0, 30), ("", "owner", 0, 30), ("run-2", None, 0, 30),
    ]  # fmt: skip


@pytest.mark.parametrize("scope", ["study", "run", "person"])
def test_the_cap_of_a_study_run_or_person_refuses_a_call_and_is_named(study, owner, replies, scope):
    scripted = replies()
    if scope == "study":
        set_cap(study, MOST - 1, None)
    elif scope == "run":
        set_cap(study, MOST - 1, None, run="run-1")
    else:
        set_cap(study, MOST - 1, None, person=owner)
    with pytest.raises(BudgetError, match=f"budget of {scope}") as raised:
        complete(asked(), Charge(study, run="run-1", person=owner))
    assert "0 of 0.000915 is spent or reserved, and the call may cost 0.000916" in raised.value.reason
    assert scripted.asked == []
    assert not Call.objects.exists()
    assert {row[2:] for row in sums(study)} == {(0, 0)}
    other = {"study": {}, "run": {"run": "run-2"}, "person": {"person": make_person("other")}}[scope]
    if scope != "study":
        complete(asked(), Charge(study, **other))


def test_a_cap_set_later_includes_earlier_spending(study, owner, replies):
    complete(asked(), Charge(study))
    set_cap(study, MOST + 29, owner)
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))
    set_cap(study, MOST + 30, owner)
    complete(asked(), Charge(study))
    set_cap(study, None, owner)
    complete(asked(), Charge(study))
    entries = AuditEntry.objects.filter(action="budget set", actor__person=owner).order_by("pk")
    assert [(old["cap"], new["cap"]) for old, new in entries.values_list("old", "new")] == [
        (None, MOST + 29),
        (MOST + 29, MOST + 30),
        (MOST + 30, None),
    ]


def test_a_model_without_a_price_is_charged_the_operators_highest(study, replies, settings):
    settings.UNKNOWN_PRICE = 50
    call = complete(asked(model="campus/unpriced"), Charge(study)).call
    assert (call.price_unknown, call.price_reserved, call.price_charged) == (True, 4 * 129 * 50, 25 * 50)
    set_cap(study, 4 * 129 * 50, None)
    with pytest.raises(BudgetError):
        complete(asked(model="campus/unpriced"), Charge(study))


def test_a_free_call_is_never_refused(study, replies):
    set_cap(study, 0, None)
    complete(asked(model="campus/free"), Charge(study))


def test_only_billable_attempts_are_charged(study, replies):
    attempts = (attempt(1, "unreachable", 0, False), attempt(2, "timeout", 0), attempt(3, "timeout", 200))
    replies(CallTimeoutError(outcome=answered("", tokens=None, attempts=attempts)))
    with pytest.raises(CallTimeoutError):
        complete(asked(), Charge(study))
    assert Call.objects.get().price_charged == 2 * EACH
    replies(answered(attempts=attempts))
    assert complete(asked(), Charge(study)).call.price_charged == EACH + 30
    replies(RefusedError(outcome=answered("", tokens=(20, 2))))
    with pytest.raises(RefusedError):
        complete(asked(), Charge(study))
    assert sums(study) == [("", None, 0, 2 * EACH + EACH + 30 + 24)]


def test_one_reservation_covers_all_attempts_so_retries_never_exceed_a_cap(study, replies):
    set_cap(study, MOST, None)
    spent = tuple(attempt(number, "timeout", 0) for number in range(1, 5))

    def look(on_text, stopped):
        assert sums(study) == [("", None, MOST, 0)]
        return CallTimeoutError(outcome=answered("", tokens=None, attempts=spent))

    scripted = replies(look)
    with pytest.raises(CallTimeoutError):
        complete(asked(), Charge(study))
    assert sums(study) == [("", None, 0, MOST)]
    set_cap(study, MOST + MOST - 1, None)
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))
    assert len(scripted.asked) == 1


def test_a_lost_call_is_charged_for_its_recorded_attempts(study, replies):
    call = begin(asked(), Charge(study), *find_model("campus/small"), None)
    ledger.note_request(call, 3)
    assert ledger.sweep(call.lease_until + timedelta(seconds=1)) == 1
    call.refresh_from_db()
    assert (call.status, call.price_reserved, call.price_charged) == ("lost", MOST, 3 * EACH)
    assert sums(study) == [("", None, 0, 3 * EACH)]


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (12_000_000, "12"), (10**12, "1,000,000")]
)
def test_amounts_are_written_exactly(amount, text):
    assert amount_text(amount) == text


def test_fifty_concurrent_calls_never_reserve_more_than_the_cap(transactional_db, study, replies, settings, tmp_path):
    write_endpoints(settings, tmp_path, in_flight=64)
    cap = 7 * MOST
    set_cap(study, cap, None)
    set_cap(study, 50 * MOST, None, run="run-1")

    def look(on_text, stopped):
        budget = Budget.objects.get(run="")
        assert budget.spent + budget.reserved <= cap
        return answered()

    scripted = replies(look, seconds=0.3)
    results = together(50, lambda number: complete(asked(), Charge(study, run="run-1")))
    refused = [one for one in results if isinstance(one, BudgetError)]
    made = [one for one in results if not isinstance(one, Exception)]
    assert len(made) + len(refused) == 50
    assert 7 <= len(made) == len(scripted.asked) < 50
    for budget in Budget.objects.all():
        assert (budget.reserved, budget.spent) == (0, 30 * len(made))


def test_calls_draw_from_a_batch_reservation(study, replies):
    requests = [asked(f"question {number}") for number in range(5)]
    amount = sum(highest_call_price(request) for request in requests)
    set_cap(study, amount, None)
    reservation = reserve_batch(Charge(study, run="run-1"), highest_price(requests))
    assert sums(study) == [("", None, amount, 0), ("run-1", None, amount, 0)]
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))
    for request in requests[:3]:
        call = complete(request, Charge(study, run="run-1"), reservation=reservation).call
        assert call.reservation == reservation
    reservation.refresh_from_db()
    assert sums(study) == [("", None, reservation.left, 90), ("run-1", None, reservation.left, 90)]
    assert reservation.left == amount - 90  # what a call drew and did not cost went back
    assert close(reservation) == reservation.left
    assert close(reservation) == 0
    assert sums(study) == [("", None, 0, 90), ("run-1", None, 0, 90)]
    call = complete(asked(), Charge(study, run="run-1"), reservation=reservation).call
    assert call.reservation is None


def test_a_batch_beyond_the_cap_is_refused_completely(study, replies):
    set_cap(study, 3 * MOST, None)
    with pytest.raises(BudgetError):
        reserve_batch(Charge(study), highest_price([asked()] * 4))
    assert not Reservation.objects.exists()
    assert sums(study) == [("", None, 0, 0)]


def test_a_reservation_cannot_be_used_by_another_run_or_study(study, make_study, replies):
    reservation = reserve_batch(Charge(study, run="run-1"), highest_price([asked()]))
    for charge in (Charge(study), Charge(study, run="run-2"), Charge(make_study("other"), run="run-1")):
        with pytest.raises(ValueError, match="can only be used by"):
            complete(asked(), charge, reservation=reservation)


def test_an_abandoned_reservation_is_released_when_its_lease_ends(study, replies):
    reserve_batch(Charge(study), highest_price([asked()]), lease=timedelta(hours=1))
    assert ledger.sweep(timezone.now() + timedelta(minutes=59)) == 0
    assert ledger.sweep(timezone.now() + timedelta(minutes=61)) == 1
    assert sums(study) == [("", None, 0, 0)]


def test_a_refused_call_first_releases_expired_reservations(study, replies, monkeypatch):
    set_cap(study, MOST, None)
    reserve_batch(Charge(study), highest_price([asked()]), lease=timedelta(seconds=-1))
    complete(asked(), Charge(study))


class Schedule:
    """Random starts, ends and losses of calls and reservations."""

    def __init__(self, study, person, seed):
        self.random, self.running, self.reservations = random.Random(seed), [], []
        self.study, self.overrun = study, 0
        self.charges = [Charge(study), Charge(study, run="a"), Charge(study, run="b", person=person)]
        self.endpoint, self.model = find_model("campus/small")
        self.cap = self.random.randint(1, 20) * MOST
        set_cap(study, self.cap, None)

    def begin(self):
        charge = self.random.choice(self.charges)
        fitting = [one for one in self.reservations if one.run == charge.run and one.person == charge.person]
        reservation = self.random.choice(fitting) if fitting else None
        try:
            call = begin(asked(), charge, self.endpoint, self.model, reservation)
        except BudgetError:
            return
        self.running.append((call, charge))

    def end(self):
        if self.running:
            call, charge = self.running.pop(self.random.randrange(len(self.running)))
            attempts = tuple(
                attempt(number, billable=self.random.random() < 0.7) for number in range(self.random.randint(1, 4))
            )
            tokens = self.random.choice([None, (20, 5), (29, 100), (-1, 5), (900, 100)])
            ledger.end(call, charge, self.model, answered(tokens=tokens, attempts=attempts), "answered")
            self.overrun += max(0, call.price_charged - call.price_reserved)

    def lose(self):
        if self.running:
            call, _ = self.running.pop()
            ledger._mark_lost(call.pk, timezone.now())

    def batch(self):
        charge = self.random.choice(self.charges)
        try:
            self.reservations.append(reserve_batch(charge, highest_price([asked()] * self.random.randint(1, 10))))
        except BudgetError:
            return

    def close(self):
        if self.reservations:
            close(self.reservations.pop())

    def check(self):
        for budget in Budget.objects.filter(study=self.study):
            calls = Call.objects.filter(study=self.study)
            aside = Reservation.objects.filter(study=self.study)
            if budget.run:
                calls, aside = calls.filter(run=budget.run), aside.filter(run=budget.run)
            if budget.person is not None:
                calls, aside = calls.filter(person=budget.person), aside.filter(person=budget.person)
            spent = calls.aggregate(all=Sum("price_charged"))["all"] or 0
            under_way = calls.filter(status="running").aggregate(all=Sum("price_reserved"))["all"] or 0
            left = aside.aggregate(all=Sum("left"))["all"] or 0
            assert (budget.spent, budget.reserved) == (spent, under_way + left)
            if budget.cap is not None:
                assert budget.spent + budget.reserved <= budget.cap + self.overrun


def test_sums_and_caps_hold_in_random_schedules(make_study, owner, replies):
    for seed in range(80):
        schedule = Schedule(make_study(f"study-{seed}", items=0), owner, seed)
        steps = [schedule.begin] * 5 + [schedule.end] * 3 + [schedule.lose, schedule.batch, schedule.close]
        for _ in range(15):
            schedule.random.choice(steps)()
        schedule.check()


def test_only_an_endpoint_that_counts_more_tokens_can_exceed_a_cap(study, replies):
    """The next call is refused."""
    replies(answered(tokens=(5000, 100)))
    set_cap(study, MOST, None)
    complete(asked(), Charge(study))
    assert sums(study) == [("", None, 0, 5200)]
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))


def test_a_repeated_call_marks_the_lost_one_before_it_locks_its_reservation(study, replies, monkeypatch):
    reservation, locked = reserve_batch(Charge(study), highest_price([asked()] * 2)), []

    def killed(on_text, stopped):
        left = Call.objects.get()
        for module, name in ((budgets, "draw"), (budgets, "_locked")):
            monkeypatch.setattr(module, name, noting(getattr(module, name)))
        replies(answered())
        complete(asked(), Charge(study, work="turn:1"), reservation=reservation)
        assert Call.objects.get(pk=left.pk).status == "lost"
        return answered()

    def noting(act):
        return lambda *given: locked.append(act.__name__) or act(*given)

    replies(killed)
    with pytest.raises(LostError):
        complete(asked(), Charge(study, work="turn:1"), reservation=reservation)
    # The lost one's budgets in a transaction of its own; then the reservation, before any budget, as a closing does.
    assert locked[:2] == ["_locked", "draw"]
