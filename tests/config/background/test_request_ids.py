"""Lines of background work name the request that queued it."""

import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import DatabaseError

from config.background import claiming
from config.background.claiming import process_row, requeue
from config.background.rows import Status
from config.request_ids import request_id_of, working_for
from tests.config.background.conftest import fresh


@pytest.fixture
def with_ids(caplog):
    """The log, whose records keep the id of the request that they were written for."""
    caplog.set_level("INFO", "config.background")
    handler, found = caplog.handler, []
    plain = handler.emit
    handler.emit = lambda record: (found.append((request_id_of(record), record.getMessage())), plain(record))
    yield found
    handler.emit = plain


@pytest.mark.postgresql
def test_log_lines_of_work_have_the_id_of_the_request_that_queued_it(trial, sent, with_ids):
    with working_for("aaaaaaaaaaaa"):
        row = trial.row()
    assert row.request_id == "aaaaaaaaaaaa"

    def fails(taken):
        claiming.logger.info("begun")
        trial.row(result="queued by work")
        raise RuntimeError("unforeseen")

    trial.run = fails
    process_row("trial", row.pk)
    assert [request_id for request_id, _ in with_ids] == ["aaaaaaaaaaaa"] * 2
    assert "failed at attempt 1" in with_ids[1][1]
    assert trial.model.objects.get(result="queued by work").request_id == "aaaaaaaaaaaa"
    claiming.logger.info("between rows")
    assert with_ids[-1][0] == ""


def test_the_thread_that_renews_a_lease_logs_the_same_id(trial, with_ids, monkeypatch):
    said = threading.Event()

    def away(taken):
        claiming.logger.warning("heartbeat failed")
        said.set()
        raise DatabaseError("away")

    def run(taken):
        monkeypatch.setattr(claiming.Claim, "_mine", away)
        with taken.kept_alive():
            assert said.wait(60)
        monkeypatch.undo()
        taken.give_up(Status.FAILED, "over", {})

    trial.work = replace(trial.work, lease=timedelta(milliseconds=100))
    monkeypatch.setattr(claiming, "works", lambda: {"trial": trial.work})
    with working_for("bbbbbbbbbbbb"):
        row = trial.row()
    trial.run = run
    process_row("trial", row.pk)
    assert ("bbbbbbbbbbbb", "heartbeat failed") in with_ids


def test_work_that_is_queued_again_belongs_to_the_request_that_did_so(trial):
    with working_for("aaaaaaaaaaaa"):
        row = trial.row()
    trial.run = lambda taken: taken.give_up(Status.FAILED, "no", {})
    process_row("trial", row.pk)
    with working_for("bbbbbbbbbbbb"):
        assert requeue(trial.work, row)
    assert fresh(row).request_id == "bbbbbbbbbbbb"


def test_work_of_a_command_belongs_to_no_request(trial):
    assert trial.row().request_id == ""
