"""What calls may cost: reserved under lock before each, settled after it, never beyond the cap."""

import random
from datetime import timedelta

import pytest
from django.db.models import Sum
from django.utils import timezone

from accounts.models import AuditEntry
from llm import budgets, ledger
from llm.asking import Charge
from llm.budgets import close, money, most, reserve_batch, set_cap
from llm.calling import LostError, complete
from llm.endpoints import find_model
from llm.errors import BudgetError, CallTimeoutError, RefusedError
from llm.models import Budget, Call, Reservation
from tests.conftest import make_person
from tests.llm.calls import answered, asked, attempt, together, write_endpoints

EACH = 229  # what `asked()` may cost: 29 tokens to read, 100 to write at twice the price


def sums(study):
    return list(
        Budget.objects.filter(study=study).order_by("pk").values_list("run", "person__username", "reserved", "spent")
    )


def test_a_call_falls_to_its_study_its_run_and_its_person(study, owner, replies):
    def look(on_text, stopped):
        assert sums(study) == [("", None, EACH, 0), ("run-1", None, EACH, 0), ("", "owner", EACH, 0)]
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
def test_check_50_each_kind_of_cap_refuses_and_names_itself(study, owner, replies, scope):
    scripted = replies()
    if scope == "study":
        set_cap(study, EACH - 1, None)
    elif scope == "run":
        set_cap(study, EACH - 1, None, run="run-1")
    else:
        set_cap(study, EACH - 1, None, person=owner)
    with pytest.raises(BudgetError, match=f"budget of {scope}") as raised:
        complete(asked(), Charge(study, run="run-1", person=owner))
    assert "0 of 0.000228 is spent or set aside, and this call may cost 0.000229" in raised.value.reason
    assert scripted.asked == []
    assert not Call.objects.exists()
    assert {row[2:] for row in sums(study)} == {(0, 0)}
    other = {"study": {}, "run": {"run": "run-2"}, "person": {"person": make_person("other")}}[scope]
    if scope != "study":
        complete(asked(), Charge(study, **other))


def test_a_cap_set_later_counts_what_was_spent_before_it(study, owner, replies):
    complete(asked(), Charge(study))
    set_cap(study, EACH + 29, owner)
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))
    set_cap(study, EACH + 30, owner)
    complete(asked(), Charge(study))
    set_cap(study, None, owner)
    complete(asked(), Charge(study))
    entries = AuditEntry.objects.filter(action="budget set", actor=owner).order_by("pk").values_list("old", "new")
    assert [(old["cap"], new["cap"]) for old, new in entries] == [
        (None, EACH + 29),
        (EACH + 29, EACH + 30),
        (EACH + 30, None),
    ]


def test_check_50_an_unknown_price_counts_as_the_operators_highest(study, replies, settings):
    settings.UNKNOWN_PRICE = 50
    call = complete(asked(model="campus/unpriced"), Charge(study)).call
    assert (call.price_unknown, call.price_reserved, call.price_charged) == (True, 129 * 50, 25 * 50)
    set_cap(study, 129 * 50, None)
    with pytest.raises(BudgetError):
        complete(asked(model="campus/unpriced"), Charge(study))


def test_what_costs_nothing_is_never_refused(study, replies):
    set_cap(study, 0, None)
    complete(asked(model="campus/free"), Charge(study))


def test_attempts_that_may_be_billed_are_charged_and_others_are_not(study, replies):
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


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "0"), (1, "0.000001"), (1_500_000, "1.5"), (12_000_000, "12"), (10**12, "1,000,000")]
)
def test_money_is_written_exactly(amount, text):
    assert money(amount) == text


def test_check_50_fifty_starts_at_once_never_set_aside_more_than_the_cap(
    transactional_db, study, replies, settings, tmp_path
):
    write_endpoints(settings, tmp_path, in_flight=64)
    cap = 7 * EACH
    set_cap(study, cap, None)
    set_cap(study, 50 * EACH, None, run="run-1")

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


def test_many_calls_draw_from_what_was_set_aside_at_once(study, replies):
    requests = [asked(f"question {number}") for number in range(5)]
    amount = sum(most(request).amount for request in requests)
    set_cap(study, amount, None)
    reservation = reserve_batch(Charge(study, run="run-1"), requests)
    assert sums(study) == [("", None, amount, 0), ("run-1", None, amount, 0)]
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))
    for request in requests[:3]:
        call = complete(request, Charge(study, run="run-1"), reservation=reservation).call
        assert call.reservation == reservation
    reservation.refresh_from_db()
    assert sums(study) == [("", None, reservation.left, 90), ("run-1", None, reservation.left, 90)]
    assert close(reservation) == reservation.left > 0
    assert close(reservation) == 0
    assert sums(study) == [("", None, 0, 90), ("run-1", None, 0, 90)]
    call = complete(asked(), Charge(study, run="run-1"), reservation=reservation).call
    assert call.reservation is None


def test_a_batch_beyond_the_cap_is_refused_whole(study, replies):
    set_cap(study, 3 * EACH, None)
    with pytest.raises(BudgetError):
        reserve_batch(Charge(study), [asked()] * 4)
    assert not Reservation.objects.exists()
    assert sums(study) == [("", None, 0, 0)]


def test_a_reservation_serves_nobody_else(study, make_study, replies):
    reservation = reserve_batch(Charge(study, run="run-1"), [asked()])
    for charge in (Charge(study), Charge(study, run="run-2"), Charge(make_study("other"), run="run-1")):
        with pytest.raises(ValueError, match="serves"):
            complete(asked(), charge, reservation=reservation)


def test_a_reservation_that_was_left_is_given_back_after_its_lease(study, replies):
    reserve_batch(Charge(study), [asked()], lease=timedelta(hours=1))
    assert ledger.sweep(timezone.now() + timedelta(minutes=59)) == 0
    assert ledger.sweep(timezone.now() + timedelta(minutes=61)) == 1
    assert sums(study) == [("", None, 0, 0)]


def test_a_call_that_is_refused_first_looks_for_what_others_left(study, replies, monkeypatch):
    set_cap(study, EACH, None)
    reserve_batch(Charge(study), [asked()], lease=timedelta(seconds=-1))
    complete(asked(), Charge(study))


class Schedule:
    """A random order of begun, ended, lost and set-aside calls, up to fifty under way at once."""

    def __init__(self, study, person, seed):
        self.random, self.running, self.reservations = random.Random(seed), [], []
        self.study, self.overrun = study, 0
        self.charges = [Charge(study), Charge(study, run="a"), Charge(study, run="b", person=person)]
        self.endpoint, self.model = find_model("campus/small")
        self.cap = self.random.randint(1, 20) * EACH
        set_cap(study, self.cap, None)

    def begin(self):
        charge = self.random.choice(self.charges)
        fitting = [one for one in self.reservations if one.run == charge.run and one.person == charge.person]
        reservation = self.random.choice(fitting) if fitting else None
        try:
            call = ledger.begin(asked(), charge, self.endpoint, self.model, budgets.Price(EACH, False), reservation)
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
            ledger._lose(call.pk, timezone.now())

    def batch(self):
        charge = self.random.choice(self.charges)
        try:
            self.reservations.append(reserve_batch(charge, [asked()] * self.random.randint(1, 10)))
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


def test_check_50_two_hundred_random_schedules_keep_the_sums_and_the_cap(make_study, owner, replies):
    for seed in range(200):
        schedule = Schedule(make_study(f"study-{seed}", items=0), owner, seed)
        steps = [schedule.begin] * 5 + [schedule.end] * 3 + [schedule.lose, schedule.batch, schedule.close]
        for _ in range(15):
            schedule.random.choice(steps)()
        schedule.check()


def test_the_overrun_of_a_cap_is_at_most_what_the_calls_under_way_cost_more_than_was_reserved(study, replies):
    """An endpoint that counts more than was reckoned cannot be foreseen; the next call is refused."""
    replies(answered(tokens=(5000, 100)))
    set_cap(study, EACH, None)
    complete(asked(), Charge(study))
    assert sums(study) == [("", None, 0, 5200)]
    with pytest.raises(BudgetError):
        complete(asked(), Charge(study))


def test_a_call_begun_anew_resolves_the_lost_one_before_it_locks_its_reservation(study, replies, monkeypatch):
    reservation, locked = reserve_batch(Charge(study), [asked()] * 2), []

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
