"""Hosts whose clocks are ten minutes apart share a database: no task is given twice, and no lease ends early."""

import time
from datetime import timedelta

import pytest
from django.db import connection

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.models import Annotation, Rater, Slot, Study
from annotation.studies.planning import plan_chunk
from config.background.claiming import claim
from config.background.kinds import works
from config.background.rows import Status
from config.background.workers import report_alive
from config.database_clock import database_now
from reports.models import KeptReport
from tests.other_host import DOINGS, other_host, released_now

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="hosts do not share a file of SQLite"),
]
LEASE, APART = 5, 10


@pytest.fixture(scope="module", params=[-APART, APART], ids=["behind", "ahead"])
def host(request, django_db_setup):
    """A process on the database of the tests whose clock is further off than a lease is long."""
    with other_host(request.param) as made:
        assert abs(made.do("hosts_clock") - time.time() - 60 * request.param) < 30  # the premise of all this
        yield made


@pytest.fixture
def other(host, transactional_db):
    return host


def live(make_study, items, names, **more):
    study = make_study(items=items, options={"lease_minutes": LEASE}, **more)
    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    study = Study.objects.get(pk=study.pk)
    return study, [Rater.objects.create(study=study, name=name) for name in names]


@pytest.fixture
def one_place(make_study):
    """A study in which one rater has everything, and two raters."""
    return live(make_study, 1, ("ada", "ben"), redundancy=1)


def seconds_left(rater):
    return (Slot.objects.filter(holder=rater).first().lease_until - database_now()).total_seconds()


def test_a_host_takes_the_databases_time_whatever_its_own_is(other):
    assert abs(other.do("database_clock") - database_now().timestamp()) < 30


def test_a_lease_that_one_host_gave_holds_at_the_other(one_place, other):
    study, (ada, ben) = one_place
    assert next_assignment(study, ada) is not None
    assert other.do("claim", ben.pk) is None
    assert other.do("release", study.pk) == 0
    assert Slot.objects.filter(holder=ada).exists()
    assert not AuditEntry.objects.filter(action="slot released").exists()


def test_a_lease_that_the_other_host_gave_or_renewed_is_as_long_as_any(one_place, other):
    study, (ada, ben) = one_place
    assert other.do("claim", ada.pk) is not None
    assert 60 * LEASE - 30 < seconds_left(ada) <= 60 * LEASE
    assert next_assignment(study, ben) is None
    assert released_now(study) == 0
    Slot.objects.filter(holder=ada).update(lease_until=database_now() + timedelta(minutes=1))
    assert other.do("beat", ada.pk)
    assert 60 * LEASE - 30 < seconds_left(ada) <= 60 * LEASE


def test_a_lease_that_is_over_is_over_at_the_other_host(one_place, other):
    study, (ada, ben) = one_place
    assert next_assignment(study, ada) is not None
    Slot.objects.filter(holder=ada).update(lease_until=database_now() - timedelta(seconds=1))
    assert other.do("claim", ben.pk) is not None
    assert not Slot.objects.filter(holder=ada).exists()


def test_hosts_that_give_work_at_once_fill_each_place_once(make_study, other):
    raters = live(make_study, 6, ("ada", "ben", "cyn"), redundancy=2)[1]
    with other_host(0) as second:
        second.begin("work", raters[0].pk)
        other.begin("work", raters[1].pk)
        third = DOINGS["work"](raters[2].pk)
        done = third + second.result() + other.result()
    assert done == Slot.objects.filter(state="filled").count() == Slot.objects.count() == 36
    assert Annotation.objects.count() == 36
    assert not Annotation.objects.filter(surplus=True).exists()
    assert not AuditEntry.objects.filter(action="slot released").exists()


@pytest.fixture
def row(make_study):
    return KeptReport.objects.create(study=make_study(), kind="agreement", woken_at=database_now())


def test_a_row_of_work_stays_with_its_worker_on_any_host(row, other):
    taken = claim(works()["report"], row.pk)
    assert taken is not None
    assert not other.do("take", "report", row.pk)
    assert other.do("sweep") == 0
    taken.renew()
    row.refresh_from_db()
    assert (row.status, row.attempt) == (Status.RUNNING, 1)


def test_a_lease_of_work_that_the_other_host_took_is_as_long_as_any(row, other):
    assert other.do("take", "report", row.pk)
    row.refresh_from_db()
    left = (row.lease_until - database_now()).total_seconds()
    lease = works()["report"].lease.total_seconds()
    assert lease - 30 < left <= lease
    assert claim(works()["report"], row.pk) is None


def test_a_row_that_has_to_wait_waits_at_both_hosts_and_is_due_at_both(row, other):
    KeptReport.objects.filter(pk=row.pk).update(due_at=database_now() + timedelta(minutes=LEASE))
    assert not other.do("take", "report", row.pk)
    assert claim(works()["report"], row.pk) is None
    KeptReport.objects.filter(pk=row.pk).update(due_at=database_now() - timedelta(seconds=1))
    assert other.do("take", "report", row.pk)


def test_a_workers_heartbeat_counts_at_the_other_host(other):
    report_alive("here:1:calls,jobs", ("calls", "jobs"), reaches_broker=True)
    assert other.do("workers") == "cjb"
