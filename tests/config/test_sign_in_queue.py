"""Sign-ins queue for one thread of their own in each web process."""

import logging
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from types import SimpleNamespace

import pytest
from gunicorn.config import Config
from gunicorn.workers.gthread import TConn, ThreadWorker

from config.buffering_worker import BufferingWorker
from config.incoming_request import IncomingRequest
from config.sign_in_thread import IN_SIGN_IN_THREAD

pytestmark = pytest.mark.quick
PATIENCE = 60
SIGN_IN = b"POST /sign-in/ HTTP/1.1\r\nHost: here\r\n\r\n"


class RecordingWorker(BufferingWorker):
    """Records which connections were handled by the sign-in thread, which waits for `go_on`, and which by others."""

    def __init__(self) -> None:
        super().__init__(1, os.getppid(), [], None, 30, Config(), logging.getLogger())
        self.poller = SimpleNamespace(unregister=lambda client: None)
        self.method_queue = SimpleNamespace(defer=lambda *call: self.handed_back.put(call))
        self.tpool = ThreadPoolExecutor(1)
        self.signed_in, self.others, self.handed_back = [], Queue(), Queue()
        self.started, self.go_on = threading.Event(), threading.Event()

    def handle(self, conn):
        if not IN_SIGN_IN_THREAD.get():
            self.others.put(conn)
            return True
        self.signed_in.append(conn)
        self.started.set()
        return self.go_on.wait(PATIENCE)


@pytest.fixture
def worker():
    made = RecordingWorker()
    yield made
    made.go_on.set()
    made.sign_in_pool.shutdown(cancel_futures=True)
    made.tpool.shutdown()
    made.tmp.close()


@pytest.fixture
def sign_in(worker):
    """A function that lets a sign-in arrive; it returns the server's and the client's side."""
    opened = []

    def arrive():
        ours, theirs = socket.socketpair()
        theirs.settimeout(PATIENCE)
        conn = TConn(worker.cfg, ours, ("127.0.0.1", 1), ("127.0.0.1", 2))
        worker.waiting[conn] = IncomingRequest(1000, time.monotonic())
        worker.waiting[conn].feed(SIGN_IN)
        worker._answer(conn)
        opened.extend((conn.request, ours, theirs))
        return conn, theirs

    yield arrive
    for one in opened:
        one.close()


def test_sign_ins_are_answered_in_order_and_those_beyond_the_limit_by_ordinary_threads(worker, sign_in):
    worker.most_queued_sign_ins = 3
    conns = [sign_in()[0] for _ in range(5)]
    assert [worker.others.get(timeout=PATIENCE) for _ in range(2)] == conns[3:]
    worker.go_on.set()
    worker.sign_in_pool.shutdown()
    assert worker.signed_in == conns[:3]


def test_a_finished_sign_in_makes_room_for_another(worker, sign_in, monkeypatch):
    monkeypatch.setattr(worker, "finish_request", lambda conn, future: None)
    worker.go_on.set()
    sign_in()
    assert worker.queued_sign_ins == 1
    finish, *call = worker.handed_back.get(timeout=PATIENCE)
    finish(*call)
    assert worker.queued_sign_ins == 0


def test_a_client_that_left_while_it_waited_is_not_signed_in(worker, sign_in):
    first, _ = sign_in()
    _, left = sign_in()
    left.close()
    last, _ = sign_in()
    worker.go_on.set()
    worker.sign_in_pool.shutdown()
    assert worker.signed_in == [first, last]


def test_a_sign_in_that_waited_too_long_is_dropped(worker, sign_in):
    worker.seconds_in_queue = -1.0
    _, client = sign_in()
    assert client.recv(1000).startswith(b"HTTP/1.1 503 ")
    worker.sign_in_pool.shutdown()
    assert worker.signed_in == []


def test_a_worker_that_is_told_to_quit_cancels_the_queue(worker, sign_in, monkeypatch):
    def quit_while_one_is_handled(self):
        sign_in()
        assert worker.started.wait(PATIENCE)
        sign_in()
        raise SystemExit

    monkeypatch.setattr(ThreadWorker, "run", quit_while_one_is_handled)
    with pytest.raises(SystemExit):
        worker.run()
    worker.go_on.set()
    worker.sign_in_pool.shutdown()
    assert len(worker.signed_in) == 1
    assert worker.handed_back.qsize() == 1
