"""A row of background work is claimed, done, retried, stopped or given up."""

import threading
from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from config.background import claiming, sweeping
from config.background.claiming import ask_to_stop, claim, process_row, requeue, run_waiting
from config.background.kinds import ClaimLostError, GiveUpError, StopAskedError, TryLaterError
from config.background.rows import Status
from tests.config.background.conftest import finishing, fresh

pytestmark = [pytest.mark.quick, pytest.mark.both]


def test_a_row_is_processed_once_and_its_result_is_stored(trial):
    row, trial.run = trial.row(), finishing("made")
    assert process_row("trial", row.pk)
    assert (fresh(row).status, row.result, row.attempt, row.token) == (Status.DONE, "made", 1, None)
    assert not process_row("trial", row.pk)


def test_the_statement_for_rows_that_are_due_gives_what_the_query_gives(trial):
    now = timezone.now()
    times = [now - timedelta(days=1), now - timedelta(seconds=1), now + timedelta(days=1)]
    for due, lease, stop in product(times, times, (False, True)):
        trial.row(due_at=due, stop_asked=stop)
        trial.row(status=Status.RUNNING, due_at=due, stop_asked=stop, lease_until=lease, token=uuid4())
        trial.row(status=Status.DONE, due_at=due, stop_asked=stop, ended_at=lease)
    asked = trial.model.objects.filter(claiming.claimable(now)).order_by("due_at", "pk")
    expected = list(asked.values_list("pk", flat=True))
    assert 0 < len(expected) < trial.model.objects.count()
    assert claiming.due_keys(trial.work, 1000) == expected
    assert claiming.due_keys(trial.work, 3) == expected[:3]


def test_one_of_two_workers_with_the_same_message_gets_the_row(trial):
    row = trial.row()
    assert claim(trial.work, row.pk) is not None
    assert claim(trial.work, row.pk) is None


def test_many_threads_with_the_same_message_process_the_row_once(trial):
    row, runs, gate = trial.row(), [], threading.Barrier(8)

    def run(taken):
        runs.append(taken.token)
        finishing("once")(taken)

    trial.run = run

    def worker():
        gate.wait()
        process_row("trial", row.pk)
        connection.close()

    threads = [threading.Thread(target=worker) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(runs), fresh(row).result) == (1, "once")


def test_another_worker_takes_the_row_of_a_killed_one_after_its_lease(trial):
    row = trial.row()
    claim(trial.work, row.pk)
    assert claim(trial.work, row.pk) is None
    trial.later(row)
    trial.run = finishing("second")
    assert process_row("trial", row.pk)
    assert (fresh(row).result, row.attempt) == ("second", 2)


def test_a_worker_that_lost_its_lease_writes_nothing(trial):
    row = trial.row()
    first = claim(trial.work, row.pk)
    trial.later(row)
    second = claim(trial.work, row.pk)
    for write in (lambda: first.update(result="late"), lambda: finishing("late")(first), first.renew):
        with pytest.raises(ClaimLostError):
            write()
    finishing("right")(second)
    assert fresh(row).result == "right"


def test_rows_written_in_finish_are_stored_with_the_result_or_not_at_all(trial):
    row, other = trial.row(), trial.row()
    taken = claim(trial.work, row.pk)

    def write():
        with taken.finish(result="half"):
            trial.model.objects.filter(pk=other.pk).update(result="beside")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write()
    assert (fresh(row).status, row.result, fresh(other).result) == (Status.RUNNING, "", "")


def test_a_heartbeat_renews_the_lease(trial):
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


def test_a_row_that_kills_its_worker_each_time_fails(trial, sent):
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
def test_work_can_end_without_a_result(trial, problem, status, reason, attempt):
    row = trial.row()

    def run(taken):
        raise problem

    trial.run = run
    process_row("trial", row.pk)
    assert (fresh(row).status, row.reason, row.attempt) == (status, reason, attempt)
    assert len(trial.ended) == (status in (Status.FAILED, Status.STOPPED))


def test_a_row_fails_with_a_reason_after_its_last_attempt(trial):
    row = trial.row()

    def run(taken):
        raise TryLaterError("It did not answer.", 0)

    trial.run = run
    assert run_waiting() == 3
    assert (fresh(row).status, row.reason, row.attempt) == (Status.FAILED, "It did not answer.", 3)


def test_work_that_stores_no_result_fails(trial):
    row = trial.row()
    process_row("trial", row.pk)
    assert (fresh(row).status, row.reason) == (Status.FAILED, claiming.NO_RESULT)


def test_a_row_waits_until_it_is_due(trial):
    row = trial.row(due_at=timezone.now() + timedelta(minutes=1))
    assert run_waiting() == 0
    trial.later(row)
    assert run_waiting() == 1


def test_a_failed_row_can_be_queued_again_and_a_running_or_finished_one_cannot(trial):
    row = trial.row()
    process_row("trial", row.pk)
    assert requeue(trial.work, row)
    assert (fresh(row).status, row.attempt, row.ended_at, row.reason) == (Status.QUEUED, 0, None, "")
    claim(trial.work, row.pk)
    assert not requeue(trial.work, row)


def test_a_queued_row_stops_at_once_and_a_running_one_at_its_next_heartbeat(trial):
    queued, running = trial.row(), trial.row()
    assert ask_to_stop(trial.work, queued)
    assert fresh(queued).status == Status.STOPPED

    def run(taken):
        taken.update(result="half")
        assert ask_to_stop(trial.work, running)
        assert taken.stop_asked()
        taken.update(result="more")

    trial.run = run
    process_row("trial", running.pk)
    assert (fresh(running).status, running.result) == (Status.STOPPED, "half")
    assert not ask_to_stop(trial.work, running)
    assert [one.pk for one in trial.ended] == [queued.pk, running.pk]


def test_a_running_row_that_should_stop_and_lost_its_worker_is_stopped(trial, sent):
    row = trial.row()
    claim(trial.work, row.pk)
    ask_to_stop(trial.work, row)
    trial.later(row)
    sweeping.sweep()
    assert fresh(row).status == Status.STOPPED


def test_a_row_that_is_put_back_while_asked_to_stop_stops_at_once(trial, sent):
    row = trial.row()
    taken = claim(trial.work, row.pk)
    ask_to_stop(trial.work, row)
    taken.put_back(TryLaterError("busy", 300, counts=False))
    assert claim(trial.work, row.pk) is None
    assert fresh(row).status == Status.STOPPED
    assert trial.ended == [row]
