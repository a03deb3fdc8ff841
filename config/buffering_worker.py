"""The web server's worker: a request takes a thread only when all of it has arrived.

Gunicorn's own threads wait for the request's bytes, so as many slow clients as there are threads block the site.
Here the worker's one loop collects requests, drops those that are too slow, and gives complete ones to the threads.

Workers share their load through the listening socket. A connection that is kept open stays with the worker that took
it, so that one worker could have them all while the others have nothing to do. A worker with more requests than
threads, while another worker has clearly fewer, therefore takes no new connections, and closes those that it has after
their answers: their next requests wait at the listening socket, where a worker with fewer requests takes them.
"""

import errno
import io
import mmap
import selectors
import struct
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from socket import MSG_DONTWAIT, MSG_PEEK, SHUT_WR, socket
from threading import Barrier
from typing import Any

from django.conf import settings
from gunicorn import util
from gunicorn.http import get_parser
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker

from config.incoming_request import IncomingRequest
from config.sign_in_thread import IN_SIGN_IN_THREAD
from config.warm_up import warm_up_thread

AT_ONCE = 64 * 1024
WORKERS, FORGOTTEN = 64, 3.0
"""How many workers the board has places for, and after how many seconds without news a place counts as empty."""
SHARE = struct.Struct("qd")
"""A worker's requests that wait for threads or are being answered, and when it last said so. Sign-ins do not count."""
BOARD = mmap.mmap(-1, WORKERS * SHARE.size)
"""Memory that all workers of a web server share: they are forks of the process that has loaded this module."""
GO_ON = b"HTTP/1.1 100 Continue\r\n\r\n"
SIGN_IN = (b"POST /sign-in/ ", b"POST /sign-in/?")
OUT_OF_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)
GONE_AGAIN = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)


class CollectedBytes(Unreader):
    """Gives gunicorn's parser the bytes of a collected request, and nothing of its connection."""

    def __init__(self, content: Any) -> None:
        super().__init__()
        self.content = content
        content.seek(0)

    def chunk(self, size_hint: int | None = None) -> bytes:
        data: bytes = self.content.read(size_hint or io.DEFAULT_BUFFER_SIZE)
        return data


class BufferingWorker(ThreadWorker):
    """Collects requests in its loop. At most half of its connections wait; beyond that the oldest is dropped."""

    seconds_to_send = 30.0
    """How long a client may take for a request, and one second more for each `bytes_per_second` that came."""
    bytes_per_second = 50_000.0
    seconds_to_read = 60.0
    """How long a client may take to read one piece of an answer."""
    seconds_to_close = 2.0
    most_collected = 512 * 1024 * 1024
    """Bytes of all requests that are being collected."""
    most_queued_sign_ins = 200
    """How many sign-ins the sign-in thread has at most; ordinary threads answer those beyond, as any request."""
    seconds_in_queue = 30.0
    """How long a sign-in may wait for the sign-in thread."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.waiting: dict[TConn, IncomingRequest] = {}
        self.closing: dict[TConn, float] = {}
        self.collected = 0
        self.checked = 0.0
        self.queued_sign_ins = 0
        self.in_hand = 0
        """Requests that were given to the threads and are not finished; only the loop changes it."""
        self.sign_in_pool = ThreadPoolExecutor(1, "sign-in", IN_SIGN_IN_THREAD.set, (True,))

    def run(self) -> None:
        """Serve until the worker is told to stop."""
        all_there = Barrier(self.cfg.threads)
        for _ in range(self.cfg.threads):
            self.tpool.submit(warm_up_thread, all_there)
        try:
            super().run()
        finally:  # SIGINT and SIGQUIT end it by SystemExit
            self.sign_in_pool.shutdown(wait=False, cancel_futures=True)

    def accept(self, listener: socket) -> None:
        """Take a new connection and begin to collect its request."""
        try:
            client, address = listener.accept()
        except OSError as problem:
            if problem.errno in OUT_OF_DESCRIPTORS:
                self._drop_oldest()
            elif problem.errno not in GONE_AGAIN:
                raise
            return
        self.nr_conns += 1
        self._collect(TConn(self.cfg, client, address, listener.getsockname()))

    @property
    def is_full(self) -> bool:
        """Whether requests wait for this worker's threads while another worker has clearly fewer."""
        if self.in_hand <= self.cfg.threads:
            return False
        since = time.monotonic() - FORGOTTEN
        fewest: int = min((count for count, at in SHARE.iter_unpack(BOARD) if at > since), default=self.in_hand)
        return fewest + 1 < self.in_hand

    def _tell_others(self) -> None:
        """Write how many requests this worker has, for the other workers of this web server."""
        SHARE.pack_into(BOARD, self.age % WORKERS * SHARE.size, self.in_hand, time.monotonic())

    def set_accept_enabled(self, enabled: bool) -> None:
        """Begin or stop to take new connections; gunicorn asks for it in each round of its loop."""
        super().set_accept_enabled(enabled and not self.is_full)

    def enqueue_req(self, conn: TConn) -> None:
        """Give a request to a thread."""
        self.in_hand += 1
        self._tell_others()
        if self.is_full:
            self.set_accept_enabled(False)
        future = self.tpool.submit(self.handle, conn)
        future.add_done_callback(partial(self.method_queue.defer, self._finish_in_hand, conn))

    def on_client_socket_readable(self, conn: TConn, client: socket) -> None:
        """Collect the next request of a connection that was kept open."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._collect(conn)

    def _collect(self, conn: TConn) -> None:
        conn.sock.setblocking(False)
        self.waiting[conn] = IncomingRequest(settings.LARGEST_BODY, time.monotonic())
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))
        while len(self.waiting) > self.worker_connections // 2:
            self._drop_oldest()

    def _receive(self, conn: TConn, client: socket) -> None:
        request = self.waiting.get(conn)
        if request is None:  # dropped after the poller reported it
            return
        try:
            data = client.recv(AT_ONCE)
            self.collected += len(data)
            if request.feed(data):
                client.send(GO_ON)
        except BlockingIOError:
            return
        except OSError as problem:  # the client is gone, or there is no room for temporary files
            self.log.debug("A request could not be collected: %s", problem)
            data = b""
        if not data:
            self._drop(conn)
        elif request.is_complete:
            self._answer(conn)
        while self.collected > self.most_collected:
            self._drop_oldest()

    def _answer(self, conn: TConn) -> None:
        """Give a collected request to a thread."""
        self.poller.unregister(conn.sock)
        conn.request = self.waiting.pop(conn)
        self.collected -= conn.request.received
        if conn.parser is None:
            conn.parser = get_parser(self.cfg, conn.sock, conn.client)
            conn.initialized = True
        conn.parser.unreader = CollectedBytes(conn.request.content)
        if conn.request.begins_with(SIGN_IN) and self.queued_sign_ins < self.most_queued_sign_ins:
            self._queue_sign_in(conn)
        else:
            self.enqueue_req(conn)

    def _queue_sign_in(self, conn: TConn) -> None:
        """Give a sign-in to the one thread for them: checking a password is slow, and pages need the other threads."""

        def hand_back(future: Future[bool]) -> None:
            if not future.cancelled():  # else the worker has ended, and its loop with it
                self.method_queue.defer(self._finish_sign_in, conn, future)

        self.queued_sign_ins += 1
        self.sign_in_pool.submit(self._handle_sign_in, conn, time.monotonic()).add_done_callback(hand_back)

    def _handle_sign_in(self, conn: TConn, queued: float) -> bool:
        """Answer a sign-in that was queued, if somebody still waits for the answer; in the sign-in thread."""
        if _has_left(conn.sock):
            return False
        if time.monotonic() - queued > self.seconds_in_queue:
            self.log.warning("A sign-in waited too long and was dropped.")
            util.write_error(conn.sock, 503, "Service Unavailable", "The site is busy. Try again in a minute.")
            return False
        return self.handle(conn)

    def _finish_sign_in(self, conn: TConn, future: Future[bool]) -> None:
        self.queued_sign_ins -= 1
        self.finish_request(conn, future)

    def _finish_in_hand(self, conn: TConn, future: Future[bool]) -> None:
        self.in_hand -= 1
        self._tell_others()
        self.finish_request(conn, future)

    def handle(self, conn: TConn) -> bool:
        """Answer a request, in a thread; whether the connection can have another one."""
        reusable = super().handle(conn)
        return bool(reusable) and not conn.request.refused and not conn.request.has_more

    def handle_request(self, req: Any, conn: TConn) -> bool:
        """Call the application, and give up a client that does not read the answer."""
        conn.sock.settimeout(self.seconds_to_read)
        req._expected_100_continue = False  # the loop has sent it, or the body is refused
        if self.is_full:
            req.force_close()
        try:
            return bool(super().handle_request(req, conn))
        except TimeoutError:
            self.log.info("A client did not read its answer.")
            return False

    def finish_request(self, conn: TConn, future: Future[bool]) -> None:
        """Keep the connection for another request, or close it; in the loop."""
        conn.request.close()
        if future.cancelled() or future.exception() is not None or not future.result():
            self._close(conn)
            return
        conn.sock.setblocking(False)
        conn.set_timeout()
        if not self.alive:
            conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)
        self.keepalived_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_client_socket_readable, conn))

    def _close(self, conn: TConn) -> None:
        """Close a connection after its answer, which the client would lose if bytes of it were still unread."""
        try:
            conn.sock.shutdown(SHUT_WR)
            conn.sock.setblocking(False)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._read_away, conn))
        except (OSError, ValueError):  # closed already
            self.nr_conns -= 1
            conn.close()
            return
        self.closing[conn] = time.monotonic() + self.seconds_to_close

    def _read_away(self, conn: TConn, client: socket) -> None:
        if conn not in self.closing:
            return
        try:
            data = client.recv(AT_ONCE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end(conn)

    def _drop(self, conn: TConn) -> None:
        """Close a connection whose request is not complete."""
        request = self.waiting.pop(conn)
        self.collected -= request.received
        request.close()
        self._end(conn)

    def _drop_oldest(self) -> None:
        """Make room for a new connection."""
        if self.waiting:
            self._drop(next(iter(self.waiting)))
        elif self.closing:
            self._end(next(iter(self.closing)))

    def _end(self, conn: TConn) -> None:
        self.closing.pop(conn, None)
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def murder_pending(self) -> None:
        """Close connections that are too slow; gunicorn calls it in each round of its loop."""
        now = time.monotonic()
        if now - self.checked < 0.5:
            return
        self.checked = now
        self._tell_others()
        for conn, request in list(self.waiting.items()):
            unused = not self.alive and not request.received
            if unused or now > request.deadline(self.seconds_to_send, self.bytes_per_second):
                self._drop(conn)
        for conn, deadline in list(self.closing.items()):
            if now > deadline:
                self._end(conn)


def _has_left(client: socket) -> bool:
    """Whether the client has closed its connection."""
    try:
        return not client.recv(1, MSG_PEEK | MSG_DONTWAIT)
    except BlockingIOError:
        return False
    except OSError:
        return True
