"""The broker made of files: nothing is taken twice, half a message harms nobody, order is kept."""

import threading
from contextlib import suppress

import pytest
from django.conf import settings
from kombu import Connection

import config.celery
import config.settings
from config.celery import app

pytestmark = pytest.mark.quick


@pytest.fixture
def connect(tmp_path):
    """A function that connects to a broker in a folder of this test."""
    opened = []

    def open_one(**options) -> Connection:
        connection = Connection("files://localhost", transport_options={"folder": str(tmp_path / "b"), **options})
        opened.append(connection)
        return connection

    yield open_one
    for connection in opened:
        connection.release()


def take_all(queue) -> list:
    found = []
    with suppress(queue.Empty):
        while True:
            message = queue.get(block=False)
            message.ack()
            found.append(message.payload)
    return found


def simple(connection):
    return connection.SimpleQueue("calls")


def test_messages_come_in_order_to_the_first_that_asks(connect):
    for number in range(5):
        simple(connect()).put(number)
    one, other = simple(connect()), simple(connect())
    assert one.get(block=False).payload == 0
    assert other.get(block=False).payload == 1
    assert take_all(one) == [2, 3, 4]
    assert take_all(other) == []


def test_urgent_messages_come_before_all_others(connect, monkeypatch):
    monkeypatch.setattr("config.file_broker.LISTED_FOR", 0)
    taking = simple(connect())
    for number in range(3):
        simple(connect()).put(number, priority=9)
    assert taking.get(block=False).payload == 0
    simple(connect()).put("urgent", priority=0)
    assert take_all(taking) == ["urgent", 1, 2]


def test_messages_outlive_the_process_that_sent_them(connect, tmp_path):
    simple(connect()).put({"a": "ü"})
    (kept,) = (tmp_path / "b" / "calls").iterdir()
    assert kept.suffix == ".json"
    assert take_all(simple(connect())) == [{"a": "ü"}]
    assert list((tmp_path / "b" / "calls").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b'{"body": "x', b"\xff\xfe", b"[" * 100])
def test_a_message_that_cannot_be_read_is_dropped_and_the_next_one_comes(connect, tmp_path, content, caplog):
    queue = simple(connect())
    queue.put("before")
    (tmp_path / "b" / "calls" / "00000000000000000000-x.json").write_bytes(content)
    assert take_all(queue) == ["before"]
    assert "cannot be read" in caplog.text


def test_messages_that_are_being_written_are_not_taken(connect, tmp_path):
    queue = simple(connect())
    assert take_all(queue) == []
    (tmp_path / "b" / "calls" / "1-x.unfinished").write_bytes(b'{"bo')
    assert take_all(queue) == []
    assert queue.qsize() == 0


def test_several_takers_never_take_the_same_message(connect):
    sender = simple(connect())
    for number in range(200):
        sender.put(number)
    taken, takers = [], [simple(connect()) for _ in range(4)]
    threads = [threading.Thread(target=lambda queue=queue: taken.extend(take_all(queue))) for queue in takers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(200))


def test_waiting_messages_can_be_counted_and_discarded(connect):
    queue = simple(connect())
    for number in range(3):
        queue.put(number)
    assert queue.qsize() == 3
    assert queue.clear() == 3
    assert queue.qsize() == 0


def test_the_application_uses_the_files_of_var_when_it_is_embedded():
    if settings.BROKER_URL:
        pytest.skip("BROKER_URL is set")
    with app.connection_for_write() as connection:
        assert connection.default_channel.root == config.settings.VAR / "broker"  # not the folder of this test process


def test_the_application_has_the_settings_that_background_work_needs():
    conf = app.conf
    assert conf.task_ignore_result
    assert conf.task_acks_late
    assert conf.task_reject_on_worker_lost
    assert conf.worker_prefetch_multiplier == 1
    assert not conf.worker_redirect_stdouts
    assert conf.timezone == "UTC"
    assert "config.background.worker_upkeep:WorkerUpkeep" in app.steps["worker"]
    assert "config.background.messages" in conf.include
