"""Clients that send slowly, endlessly or not at all keep nobody else waiting: real servers, real connections."""

import http.client
import re
import shutil
import socket
from contextlib import ExitStack

import pytest

from tests.load.server import Server
from tests.ops.conftest import clean_environment

PATIENCE = 60
"""Seconds for which a test waits for what must arrive; no test measures how long it took."""
PAGE = b"GET /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
HEAD = b"POST /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
SLOW = [
    b"",
    b"GET /sign-in/ HT",
    b"GET /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    HEAD + b"Content-Length: 1000\r\n\r\nusername=",
]
FORM = b"username=nobody&password=wrong"


def connect(port) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(port)), timeout=PATIENCE)


def send_without_end(connection, piece) -> None:
    while True:
        connection.sendall(piece)


def page_status(port) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=PATIENCE)
    try:
        connection.request("GET", "/sign-in/")
        return connection.getresponse().status
    finally:
        connection.close()


def answer(connection) -> bytes:
    """All that the server sends until it closes."""
    received = bytearray()
    while piece := connection.recv(65536):
        received += piece
    return bytes(received)


def status_line(connection) -> bytes:
    return connection.makefile("rb").readline()


@pytest.fixture(scope="module")
def serve(first_start, tmp_path_factory):
    """A function that starts a web server of 8 threads on a site with the demo."""
    started = {}

    def start(worker_class: str = "config.buffering_worker.BufferingWorker") -> int:
        if worker_class not in started:
            var = shutil.copytree(first_start, tmp_path_factory.mktemp("served") / "var")
            started[worker_class] = Server(clean_environment(VAR=str(var)), worker_class=worker_class)
            started[worker_class].start()
        return started[worker_class].port

    yield start
    for server in started.values():
        server.end()


@pytest.mark.thorough
def test_sixteen_slow_clients_block_nobody_on_a_site_that_make_run_started(launch, kept_var):
    running = launch(kept_var)
    assert running.ready, running.said
    with ExitStack() as opened:
        slow = [(opened.enter_context(connect(running.port)), begun) for begun in SLOW * 4]
        for connection, begun in slow:
            connection.sendall(begun)
        assert [page_status(running.port) for _ in range(10)] == [200] * 10
        for connection, begun in slow[1::4]:  # they are still open, and answered once they have sent everything
            connection.sendall(PAGE[len(begun) :])
            assert status_line(connection) == b"HTTP/1.1 200 OK\r\n"


def test_a_thousand_idle_connections_block_nobody(serve):
    port = serve()
    with ExitStack() as opened:
        for _ in range(1000):
            opened.enter_context(connect(port))
        assert page_status(port) == 200


def test_a_body_that_comes_in_pieces_is_answered_when_it_is_complete(serve):
    with connect(serve()) as connection:
        connection.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(FORM))
        for byte in FORM:
            connection.sendall(bytes([byte]))
        assert answer(connection).startswith(b"HTTP/1.1 403 ")  # without a CSRF token


@pytest.mark.parametrize(
    ("field", "status"),
    [(b"Content-Length: 10000000000", b"413"), (b"Transfer-Encoding: chunked", b"411")],
)
def test_a_body_without_a_bound_is_refused_before_it_is_sent(serve, field, status):
    with connect(serve()) as connection:
        connection.sendall(HEAD + field + b"\r\n\r\n")
        assert status_line(connection).split()[1] == status


def test_an_endless_chunked_body_is_cut(serve):
    port = serve()
    with connect(port) as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        with pytest.raises(ConnectionError):
            send_without_end(connection, b"10000\r\n" + b"a" * 0x10000 + b"\r\n")
    assert page_status(port) == 200


def test_a_refused_request_ends_its_connection(serve):
    """The unread body follows on the connection and must not be read as requests."""
    with connect(serve()) as connection:
        connection.sendall(
            HEAD + b"Transfer-Encoding: chunked\r\n\r\nGET /sign-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        )
        assert answer(connection).count(b"HTTP/1.1 ") == 1


def test_a_client_that_asks_before_sending_a_body_gets_continue(serve):
    with connect(serve()) as connection:
        connection.sendall(
            HEAD + b"Connection: close\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(FORM)
        )
        asked = b"HTTP/1.1 100 Continue\r\n\r\n"
        assert connection.recv(len(asked), socket.MSG_WAITALL) == asked
        connection.sendall(FORM)
        assert answer(connection).startswith(b"HTTP/1.1 403 ")  # asked once, and now without a CSRF token


def test_a_connection_serves_requests_one_after_the_other(serve):
    connection = http.client.HTTPConnection("127.0.0.1", serve(), timeout=PATIENCE)
    for _ in range(5):
        connection.request("GET", "/sign-in/")
        response = connection.getresponse()
        assert response.status == 200
        response.read()
    connection.close()


def test_any_number_of_people_who_sign_in_at_once_is_served_and_leaves_the_threads_to_pages(serve):
    port = serve()
    asked = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    asked.request("GET", "/sign-in/")
    page = asked.getresponse()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())[1]
    cookie = page.headers["Set-Cookie"].partition(";")[0]
    asked.close()
    head = HEAD + b"Cookie: %s\r\nConnection: close\r\n" % cookie.encode()
    with ExitStack() as opened:
        people = [opened.enter_context(connect(port)) for _ in range(9)]  # more than the server has threads
        for number, connection in enumerate(people):
            form = f"csrfmiddlewaretoken={token}&username=person-{number}&password=wrong".encode()
            connection.sendall(head + b"Content-Length: %d\r\n\r\n%s" % (len(form), form))
        assert page_status(port) == 200
        assert {answer(connection)[:12] for connection in people} == {b"HTTP/1.1 422"}


@pytest.mark.thorough
@pytest.mark.parametrize("begun", SLOW)
def test_a_request_that_is_not_complete_in_time_is_cut(serve, begun):
    with connect(serve("tests.ops.impatient_worker.ImpatientWorker")) as connection:
        connection.sendall(begun)
        assert answer(connection) == b""


@pytest.mark.thorough
def test_clients_that_do_not_read_their_answers_block_nobody(serve):
    port = serve("tests.ops.impatient_worker.ImpatientWorker")
    static = b"GET /static/vendor/htmx-4.0.1.min.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as opened:
        for _ in range(16):
            reader = opened.enter_context(socket.socket())
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            reader.settimeout(PATIENCE)
            reader.connect(("127.0.0.1", port))
            reader.sendall(static)
        assert page_status(port) == 200
