"""Rows as the queue: claims, leases, tokens, attempts, stops, sweeps; on a kind of work made for these tests."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.test.utils import isolate_apps
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.background import claiming, keeping, sweeping, waking, workers
from config.background.claiming import ask_to_stop, claim, do, requeue, run_waiting
from config.background.rows import Row, Status
from config.background.work import ClaimLostError, GiveUpError, StopAskedError, Sweep, TryLaterError, Work
from config.models import Worker

LEASE = timedelta(seconds=30)


class Kept:
    """Database connections that a test goes on with."""

    def close_all(self):
        pass


class Trial:
    """One kind of work whose `run` a test sets."""

    def __init__(self, model):
        self.model, self.ended, self.run = model, [], lambda taken: None
        self.work = Work("trial", model, lambda taken: self.run(taken), "calls", LEASE, 3, self.ended.append)

    def row(self, **more):
        return self.model.objects.create(**more)

    def later(self, row):
        """As if the lease and every wait were over."""
        past = timezone.now() - timedelta(seconds=1)
        self.model.objects.filter(pk=row.pk).update(due_at=past)
        self.model.objects.filter(pk=row.pk, status="running").update(lease_until=past)


@pytest.fixture
def trial(transactional_db, monkeypatch):
    with isolate_apps("config"):

        class Errand(Row):
            result = models.TextField(blank=True)

            class Meta(Row.Meta):
                app_label = "config"

        with connection.schema_editor() as editor:
            editor.create_model(Errand)
        made = Trial(Errand)
        for module in (claiming, sweeping):
            monkeypatch.setattr(module, "works", lambda: {"trial": made.work})
        yield made
        with connection.schema_editor() as editor:
            editor.delete_model(Errand)


@pytest.fixture
def sent(monkeypatch):
    """What would have gone through the broker."""
    messages = []
    monkeypatch.setattr(waking.do_row, "apply_async", lambda given, queue: messages.append((*given, queue)))
    return messages


def finishing(result):
    def run(taken):
        with taken.finish(result=result):
            pass

    return run


def fresh(row):
    row.refresh_from_db()
    return row


def test_a_row_is_done_once_and_its_result_is_kept(trial):
    row, trial.run = trial.row(), finishing("made")
    assert do("trial", row.pk)
    assert (fresh(row).status, row.result, row.attempt, row.token) == (Status.DONE, "made", 1, None)
    assert not do("trial", row.pk)


def test_check_45_of_two_workers_with_the_same_message_one_gets_the_row(trial):
    row = trial.row()
    assert claim(trial.work, row.pk) is not None
    assert claim(trial.work, row.pk) is None


def test_check_45_many_threads_with_the_same_message_do_the_row_once(trial):
    row, runs, gate = trial.row(), [], threading.Barrier(8)

    def run(taken):
        runs.append(taken.token)
        finishing("once")(taken)

    trial.run = run

    def worker():
        gate.wait()
        do("trial", row.pk)
        connection.close()

    threads = [threading.Thread(target=worker) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(runs), fresh(row).result) == (1, "once")


def test_check_44_a_worker_that_was_killed_is_followed_by_another_after_its_lease(trial):
    row = trial.row()
    claim(trial.work, row.pk)
    assert claim(trial.work, row.pk) is None
    trial.later(row)
    trial.run = finishing("second")
    assert do("trial", row.pk)
    assert (fresh(row).result, row.attempt) == ("second", 2)


def test_check_45_whoever_lost_the_lease_writes_nothing(trial):
    row = trial.row()
    first = claim(trial.work, row.pk)
    trial.later(row)
    second = claim(trial.work, row.pk)
    for write in (lambda: first.update(result="late"), lambda: finishing("late")(first), first.renew):
        with pytest.raises(ClaimLostError):
            write()
    finishing("right")(second)
    assert fresh(row).result == "right"


def test_what_is_written_in_finish_is_kept_with_the_result_or_not_at_all(trial):
    row, other = trial.row(), trial.row()
    taken = claim(trial.work, row.pk)

    def write():
        with taken.finish(result="half"):
            trial.model.objects.filter(pk=other.pk).update(result="beside")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert (fresh(row).status, row.result, fresh(other).result) == (Status.RUNNING, "", "")


def test_a_sign_of_life_renews_the_lease(trial):
    row = trial.row()
    taken = claim(trial.work, row.pk)
    trial.later(row)
    taken.update(result="so far")
    assert claim(trial.work, row.pk) is None
    assert fresh(row).result == "so far"


def test_asking_whether_to_stop_keeps_the_claim_alive(trial):
    row = trial.row()
    taken = claim(trial.work, row.pk)
    trial.later(row)
    assert not taken.stop_asked()
    assert claim(trial.work, row.pk) is None
    trial.later(row)
    claim(trial.work, row.pk)
    assert taken.stop_asked()


def test_check_44_a_row_that_ends_its_worker_each_time_is_given_up(trial, sent):
    row = trial.row()
    for _ in range(3):
        assert claim(trial.work, row.pk) is not None
        trial.later(row)
    assert claim(trial.work, row.pk) is None
    sweeping.sweep()
    assert (fresh(row).status, row.reason) == (Status.FAILED, claiming.NEVER_ENDED.format(3))
    assert [one.pk for one in trial.ended] == [row.pk]
    assert sent == []


@pytest.mark.parametrize(
    ("problem", "status", "reason", "attempt"),
    [
        (GiveUpError("There is no such paper.", result="partly"), Status.FAILED, "There is no such paper.", 1),
        (TryLaterError("The endpoint is full.", 5, counts=False), Status.QUEUED, "The endpoint is full.", 0),
        (TryLaterError("It did not answer.", 5), Status.QUEUED, "It did not answer.", 1),
        (StopAskedError(), Status.STOPPED, claiming.STOPPED, 1),
        (ZeroDivisionError("key-12345"), Status.QUEUED, claiming.UNEXPECTED, 1),
    ],
)
def test_how_work_may_end_without_a_result(trial, problem, status, reason, attempt):
    row = trial.row()

    def run(taken):
        raise problem

    trial.run = run
    do("trial", row.pk)
    assert (fresh(row).status, row.reason, row.attempt) == (status, reason, attempt)
    assert len(trial.ended) == (status in (Status.FAILED, Status.STOPPED))


def test_the_last_attempt_that_fails_is_a_stated_failure(trial):
    row = trial.row()

    def run(taken):
        raise TryLaterError("It did not answer.", 0)

    trial.run = run
    assert run_waiting() == 3
    assert (fresh(row).status, row.reason, row.attempt) == (Status.FAILED, "It did not answer.", 3)


def test_work_that_forgets_its_result_has_failed(trial):
    row = trial.row()
    do("trial", row.pk)
    assert (fresh(row).status, row.reason) == (Status.FAILED, claiming.NO_RESULT)


def test_a_row_waits_until_it_is_due(trial):
    row = trial.row(due_at=timezone.now() + timedelta(minutes=1))
    assert run_waiting() == 0
    trial.later(row)
    assert run_waiting() == 1


def test_a_failed_row_is_queued_anew_and_a_running_or_finished_one_is_not(trial):
    row = trial.row()
    do("trial", row.pk)
    assert requeue(trial.work, row)
    assert (fresh(row).status, row.attempt, row.ended_at, row.reason) == (Status.QUEUED, 0, None, "")
    claim(trial.work, row.pk)
    assert not requeue(trial.work, row)


def test_a_queued_row_stops_at_once_and_a_running_one_at_its_next_sign_of_life(trial):
    queued, running = trial.row(), trial.row()
    assert ask_to_stop(trial.work, queued)
    assert fresh(queued).status == Status.STOPPED

    def run(taken):
        taken.update(result="half")
        assert ask_to_stop(trial.work, running)
        assert taken.stop_asked()
        taken.update(result="more")

    trial.run = run
    do("trial", running.pk)
    assert (fresh(running).status, running.result) == (Status.STOPPED, "half")
    assert not ask_to_stop(trial.work, running)
    assert [one.pk for one in trial.ended] == [queued.pk, running.pk]


def test_a_running_row_that_was_asked_to_stop_and_lost_its_worker_is_stopped(trial, sent):
    row = trial.row()
    claim(trial.work, row.pk)
    ask_to_stop(trial.work, row)
    trial.later(row)
    sweeping.sweep()
    assert fresh(row).status == Status.STOPPED


def test_a_row_that_was_put_back_as_it_was_asked_to_stop_does_not_wait_until_it_is_due(trial, sent):
    row = trial.row()
    taken = claim(trial.work, row.pk)
    ask_to_stop(trial.work, row)
    taken.put_back(TryLaterError("busy", 300, counts=False))
    assert claim(trial.work, row.pk) is None
    sweeping.sweep()
    assert fresh(row).status == Status.STOPPED


def test_check_46_a_rollback_wakes_nobody(trial, sent):

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


def test_check_46_a_message_about_a_row_that_is_gone_ends_quietly(trial):
    assert not do("trial", 12345)


def test_the_sweeper_wakes_what_nobody_was_told_of_once(trial, sent):
    lost, told = trial.row(), trial.row(woken_at=timezone.now())
    assert sweeping.sweep() == (1, True)
    assert sweeping.sweep() == (0, True)
    assert sent == [("trial", lost.pk, "calls")]
    trial.model.objects.filter(pk=told.pk).update(woken_at=timezone.now() - sweeping.REWAKE - LEASE)
    sweeping.sweep()
    assert sent[1:] == [("trial", told.pk, "calls")]
    assert sweeping.sweep(("jobs",)) == (0, True)


@pytest.mark.parametrize("problem", [RuntimeError, IntegrityError])
def test_a_row_that_cannot_be_given_up_keeps_no_other_from_being_woken(trial, sent, monkeypatch, problem):
    def fail(row):
        raise problem

    poison = trial.row(attempt=3, created_at=timezone.now() - LEASE)
    waiting = trial.row()
    monkeypatch.setattr(sweeping, "works", lambda: {"trial": replace(trial.work, ended=fail)})
    assert sweeping.sweep() == (1, True)
    assert (sent, fresh(poison).status) == ([("trial", waiting.pk, "calls")], Status.QUEUED)


def test_a_long_queue_is_told_of_a_part_at_a_time(trial, sent, monkeypatch):
    monkeypatch.setattr(sweeping, "AT_ONCE", 3)
    rows = [trial.row() for _ in range(5)]
    assert [sweeping.sweep()[0] for _ in range(2)] == [3, 0]
    trial.run = finishing("made")
    do("trial", rows[0].pk)
    assert sweeping.sweep() == (1, True)
    assert [pk for _, pk, _ in sent] == [row.pk for row in rows[:4]]


def test_check_47_without_a_broker_rows_stay_queued_and_are_sent_when_it_is_back(trial, sent, monkeypatch):
    def refuse(*_, **__):
        sent.append("tried")
        raise OperationalError("refused")

    with monkeypatch.context() as without:
        without.setattr(waking.do_row, "apply_async", refuse)
        rows = [trial.row() for _ in range(5)]
        waking.enqueue(trial.work, *rows)
        assert sweeping.sweep() == (0, False)
    assert sent == ["tried", "tried"]  # one publish each time, not one a row
    assert all(fresh(row).status == Status.QUEUED and row.woken_at is None for row in rows)
    assert sweeping.sweep() == (5, True)


@pytest.mark.django_db
def test_check_47_the_situation_says_which_queues_are_served():
    assert workers.situation() == workers.Situation(False, False, True)
    workers.report_alive("a", ("calls",), True)
    workers.report_alive("b", ("jobs",), False)
    assert workers.situation() == workers.Situation(True, True, False)
    Worker.objects.filter(name="b").update(seen_at=timezone.now() - workers.ALIVE - LEASE)
    assert workers.situation() == workers.Situation(True, False, True)
    workers.report_end("a")
    assert not workers.situation().well


@pytest.mark.django_db
def test_a_worker_s_keeper_reports_sweeps_and_looks_after_what_apps_ask_for(monkeypatch):
    ending, seen = threading.Event(), []

    def look():
        seen.append(workers.situation())
        ending.set()

    monkeypatch.setattr(keeping, "sweeps", lambda: {"trial": Sweep("trial", look)})
    monkeypatch.setattr(keeping, "reaches_broker", lambda app: True)
    monkeypatch.setattr(keeping, "connections", Kept())
    monkeypatch.setattr(keeping, "close_old_connections", lambda: None)
    monkeypatch.setattr(keeping, "sweep", lambda queues: (0, True))
    keeping.keep(None, ("calls",), ending)
    assert seen == [workers.Situation(True, False, True)]
    assert not Worker.objects.exists()


@pytest.mark.django_db
def test_a_worker_s_keeper_outlives_what_fails_in_it(monkeypatch):
    ending, seen = threading.Event(), []

    def fail():
        seen.append("looked")
        if len(seen) == 2:
            ending.set()
        raise RuntimeError

    monkeypatch.setattr(keeping, "EVERY", 0)
    monkeypatch.setattr(keeping, "sweeps", lambda: {"trial": Sweep("trial", fail, every=1)})
    monkeypatch.setattr(keeping, "reaches_broker", lambda app: True)
    monkeypatch.setattr(keeping, "connections", Kept())
    monkeypatch.setattr(keeping, "close_old_connections", lambda: None)
    monkeypatch.setattr(keeping, "sweep", lambda queues: (0, True))
    keeping.keep(None, ("calls",), ending)
    assert seen == ["looked", "looked"]
