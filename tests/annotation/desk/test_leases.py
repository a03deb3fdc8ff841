"""A lease that is released between reading and renewing it does not count as held."""

import threading
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.utils import timezone

from annotation.desk.assigning import hold, next_assignment, release_expired, release_held_by, renew_lease
from annotation.desk.drafting import pulse
from annotation.desk.submitting import Effort
from annotation.models import Assignment, Rater, Slot

pytestmark = pytest.mark.both


@pytest.fixture
def ada(study):
    return Rater.objects.create(study=study, name="ada")


def release_before_renewal(study, rater):
    """An execute wrapper that releases the rater's slots just before their lease is renewed."""
    done = []

    def wrapper(execute, sql, params, many, context):
        if sql.startswith("UPDATE") and "lease_until" in sql and "open" not in params and not done:
            done.append(sql)
            release_held_by(study, rater, "released meanwhile")
        return execute(sql, params, many, context)

    return connection.execute_wrapper(wrapper)


def test_renewing_a_released_slot_reports_that_it_is_lost(study, ada):
    next_assignment(study, ada)
    slot = Slot.objects.filter(holder=ada).first()
    assert renew_lease(study, slot, timezone.now())
    Slot.objects.filter(pk=slot.pk).update(state="open", holder=None, lease_until=None)
    assert not renew_lease(study, slot, timezone.now())


def test_a_task_released_while_its_rater_returns_to_it_is_claimed_again(study, ada):
    first = next_assignment(study, ada)
    with release_before_renewal(study, ada):
        second = next_assignment(study, ada)
    assert second.task_id == first.task_id
    assert Slot.objects.get(task=second.task, holder=ada).state == "held"


def test_a_task_that_is_given_again_through_another_slot_keeps_its_letters(study, ada):
    """An open page and a draft name the outputs by letter."""
    first = next_assignment(study, ada)
    release_held_by(study, ada, "lease expired")
    Slot.objects.filter(task=first.task).update(order=[1, 0])
    again = next_assignment(study, ada)
    assert again.pk == first.pk
    assert Assignment.objects.get(pk=first.pk).order == first.order != [1, 0]


def test_a_pulse_on_a_released_slot_reports_no_lease(study, ada):
    assignment = next_assignment(study, ada)
    with release_before_renewal(study, ada):
        assert pulse(assignment, Effort()) is None


def test_a_slot_released_while_it_is_held_again_is_taken_again_or_reported_as_lost(study, ada):
    assignment = next_assignment(study, ada)
    slots = Slot.objects.filter(task=assignment.task)
    with transaction.atomic(), release_before_renewal(study, ada):
        assert hold(study, ada, assignment.task_id, timezone.now())
    assert slots.get(holder=ada).state == "held"
    slots.exclude(holder=ada).update(state="filled", holder=Rater.objects.create(study=study, name="ben"))

    def give_away(*_):
        cleo = Rater.objects.create(study=study, name="cleo")
        slots.filter(holder=ada).update(state="filled", holder=cleo, lease_until=None)
        return False

    with transaction.atomic(), pytest.MonkeyPatch.context() as patched:
        patched.setattr("annotation.desk.assigning.renew_lease", give_away)
        assert not hold(study, ada, assignment.task_id, timezone.now())


def test_a_pulse_reports_the_renewed_lease(study, ada):
    assignment = next_assignment(study, ada)
    Slot.objects.filter(holder=ada).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert pulse(assignment, Effort()).lease_until > timezone.now()


@pytest.mark.django_db(transaction=True)
def test_a_claim_that_waits_for_a_release_gives_a_task_that_is_held(study, ada):
    """The claim reads the expired lease as held, then waits for the transaction that releases it."""
    next_assignment(study, ada)
    Slot.objects.filter(holder=ada).update(lease_until=timezone.now() - timedelta(seconds=1))
    given, waits = [], threading.Event()

    def announce(execute, sql, params, many, context):
        waits.set()
        return execute(sql, params, many, context)

    def claim():
        try:
            if connection.vendor == "sqlite":  # it waits in the queue, before its first statement
                waits.set()
            with connection.execute_wrapper(announce):
                given.append(next_assignment(study, ada))
        finally:
            connection.close()

    thread = threading.Thread(target=claim)
    with transaction.atomic():
        assert release_expired(study, timezone.now()) == 3
        thread.start()
        assert waits.wait(10)
        if connection.vendor == "postgresql":
            wait_until_somebody_is_blocked()
    thread.join(10)
    (assignment,) = given
    assert Slot.objects.get(task=assignment.task, holder=ada).state == "held"


def wait_until_somebody_is_blocked():
    for _ in range(200):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0")
            if cursor.fetchone()[0]:
                return
            cursor.execute("SELECT pg_sleep(0.05)")
    raise AssertionError("The claim never waited.")
