"""Workers are woken, and what they missed is found by sweeping."""

import threading
from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.background import kinds, sweeping, waking, worker_upkeep, workers
from config.background.claiming import claimable, process_row
from config.background.kinds import Sweep
from config.background.rows import Status
from config.models import Worker
from tests.config.background.conftest import LEASE, Kept, finishing, fresh

pytestmark = [pytest.mark.quick, pytest.mark.both]


def test_after_a_rollback_no_worker_is_notified(trial, sent):

    def start(*, and_fail):
        with transaction.atomic():
            row = trial.row()
            waking.enqueue(trial.work, row)
            assert sent == []
            if and_fail:
                raise RuntimeError
        return row

    with pytest.raises(RuntimeError):
        start(and_fail=True)
    assert sent == []
    row = start(and_fail=False)
    assert sent == [("trial", row.pk, "calls")]


def test_a_message_about_a_deleted_row_is_ignored(trial):
    assert not process_row("trial", 12345)


def test_the_sweep_notifies_workers_of_forgotten_rows_once(trial, sent):
    lost, told = trial.row(), trial.row(woken_at=timezone.now())
    assert sweeping.sweep() == (1, True)
    assert sweeping.sweep() == (0, True)
    assert sent == [("trial", lost.pk, "calls")]
    trial.model.objects.filter(pk=told.pk).update(woken_at=timezone.now() - sweeping.REWAKE - LEASE)
    sweeping.sweep()
    assert sent[1:] == [("trial", told.pk, "calls")]
    assert sweeping.sweep(("jobs",)) == (0, True)


@pytest.mark.parametrize("problem", [RuntimeError, IntegrityError])
def test_a_row_that_cannot_be_failed_does_not_block_the_others(trial, sent, monkeypatch, problem):
    def fail(row):
        raise problem

    poison = trial.row(attempt=3, created_at=timezone.now() - LEASE)
    waiting = trial.row()
    monkeypatch.setattr(sweeping, "works", lambda: {"trial": replace(trial.work, ended=fail)})
    assert sweeping.sweep() == (1, True)
    assert (sent, fresh(poison).status) == ([("trial", waiting.pk, "calls")], Status.QUEUED)


def test_workers_are_notified_of_a_long_queue_in_parts(trial, sent, monkeypatch):
    monkeypatch.setattr(sweeping, "AT_ONCE", 3)
    rows = [trial.row() for _ in range(5)]
    assert [sweeping.sweep()[0] for _ in range(2)] == [3, 0]
    trial.run = finishing("made")
    process_row("trial", rows[0].pk)
    assert sweeping.sweep() == (1, True)
    assert [pk for _, pk, _ in sent] == [row.pk for row in rows[:4]]


def test_messages_about_work_that_somebody_waits_for_go_first(trial, monkeypatch):
    priorities = []
    monkeypatch.setattr(waking.do_row, "apply_async", lambda given, queue, priority: priorities.append(priority))
    waking.wake(trial.work, 1)
    waking.wake(replace(trial.work, patient=True), 2)
    assert priorities == [waking.FIRST, waking.LAST]
    assert [key for key, work in kinds.works().items() if work.patient] == [
        "dry_run", "judgment", "outgoing_mail", "preparation", "webhook",
    ]  # fmt: skip


@pytest.mark.skipif(connection.vendor != "sqlite", reason="with few rows PostgreSQL reads the table")
def test_the_sweep_finds_the_first_rows_of_a_long_queue_by_their_index(trial):
    due = trial.model.objects.filter(claimable(timezone.now())).order_by("due_at", "pk")
    assert "USING INDEX errand_waiting" in due.explain()
    assert "TEMP B-TREE" not in due.explain()


def test_without_a_broker_rows_stay_queued_until_it_is_back(trial, sent, monkeypatch):
    def refuse(*_, **__):
        sent.append("tried")
        raise OperationalError("refused")

    with monkeypatch.context() as without:
        without.setattr(waking.do_row, "apply_async", refuse)
        rows = [trial.row() for _ in range(5)]
        waking.enqueue(trial.work, *rows)
        assert sweeping.sweep() == (0, False)
    assert sent == ["tried", "tried"]  # one publish each time, not one per row
    assert all(fresh(row).status == Status.QUEUED and row.woken_at is None for row in rows)
    assert sweeping.sweep() == (5, True)


@pytest.mark.django_db
def test_the_worker_status_says_which_queues_are_served():
    assert workers.worker_status() == workers.WorkerStatus(False, False, True)
    workers.report_alive("a", ("calls",), True)
    workers.report_alive("b", ("jobs",), False)
    assert workers.worker_status() == workers.WorkerStatus(True, True, False)
    Worker.objects.filter(name="b").update(seen_at=timezone.now() - workers.ALIVE - LEASE)
    assert workers.worker_status() == workers.WorkerStatus(True, False, True)
    workers.report_end("a")
    assert not workers.worker_status().healthy


@pytest.mark.django_db
def test_upkeep_sends_heartbeats_sweeps_and_runs_what_apps_register(monkeypatch):
    ending, seen = threading.Event(), []

    def look():
        seen.append(workers.worker_status())
        ending.set()

    monkeypatch.setattr(worker_upkeep, "sweeps", lambda: {"trial": Sweep("trial", look)})
    monkeypatch.setattr(worker_upkeep, "reaches_broker", lambda app: True)
    monkeypatch.setattr(worker_upkeep, "connections", Kept())
    monkeypatch.setattr(worker_upkeep, "close_old_connections", lambda: None)
    monkeypatch.setattr(worker_upkeep, "sweep", lambda queues: (0, True))
    worker_upkeep.run_upkeep(None, ("calls",), ending)
    assert seen == [workers.WorkerStatus(True, False, True)]
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_upkeep_survives_errors(monkeypatch):
    ending, seen = threading.Event(), []

    def fail():
        seen.append("looked")
        if len(seen) == 2:
            ending.set()
        raise RuntimeError

    monkeypatch.setattr(worker_upkeep, "EVERY", 0)
    monkeypatch.setattr(worker_upkeep, "sweeps", lambda: {"trial": Sweep("trial", fail, every=1)})
    monkeypatch.setattr(worker_upkeep, "reaches_broker", lambda app: True)
    monkeypatch.setattr(worker_upkeep, "connections", Kept())
    monkeypatch.setattr(worker_upkeep, "close_old_connections", lambda: None)
    monkeypatch.setattr(worker_upkeep, "sweep", lambda queues: (0, True))
    worker_upkeep.run_upkeep(None, ("calls",), ending)
    assert seen == ["looked", "looked"]
