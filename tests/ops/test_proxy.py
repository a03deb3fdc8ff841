"""The shipped proxy configuration with a real nginx on free ports."""

import http.client
import http.server
import re
import shutil
import threading
from contextlib import ExitStack, contextmanager, suppress

import pytest
from django.conf import settings

from tests.load.server import Server
from tests.ops.conftest import ROOT, clean_environment
from tests.ops.test_slow_clients import HEAD, PAGE, SLOW, answer, connect, page_status, status_line
from tests.own_proxy import missing_proxy, own_proxy

pytestmark = pytest.mark.skipif(bool(missing_proxy()), reason="nginx is missing")
FILE = ROOT / "proxy" / "nginx.conf"


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with the header fields that it got."""

    def do_GET(self):
        body = str(self.headers).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def start_proxy():
    """A function that starts the shipped proxy before the web server on a port; returns the proxy's port."""
    with ExitStack() as started:
        yield lambda web: started.enter_context(own_proxy(web))


@pytest.fixture(scope="module")
def site(first_start, tmp_path_factory, start_proxy):
    """The proxy's port; behind it a web server with only two threads, which any two slow clients would stop."""
    with served(first_start, tmp_path_factory.mktemp("served")) as port:
        yield start_proxy(port)


@pytest.fixture(scope="module")
def impatient_site(first_start, tmp_path_factory, start_proxy):
    """The proxy's port; behind it a web server with short deadlines."""
    with served(first_start, tmp_path_factory.mktemp("served"), "tests.ops.impatient_worker.ImpatientWorker") as port:
        yield start_proxy(port)


@contextmanager
def served(first_start, folder, worker_class="config.buffering_worker.BufferingWorker"):
    """Run a web server of two threads on a copy of a site; yields its port."""
    var = shutil.copytree(first_start, folder / "var")
    server = Server(clean_environment(VAR=str(var), BEHIND_PROXY="true"), worker_class=worker_class, threads=2)
    server.start()
    try:
        yield server.port
    finally:
        server.end()


@pytest.fixture(scope="module")
def echo(start_proxy):
    """A function that sends a request through the proxy and returns the header fields that the web server got."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    port = start_proxy(server.server_port)

    def ask(**fields: str) -> http.client.HTTPMessage:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/", headers={name.replace("_", "-"): value for name, value in fields.items()})
        text = connection.getresponse().read()
        connection.close()
        return dict(line.split(": ", 1) for line in text.decode().splitlines() if line)

    yield ask
    server.shutdown()
    server.server_close()


def test_sixteen_slow_clients_block_nobody_behind_the_proxy(site):
    with ExitStack() as opened:
        slow = [(opened.enter_context(connect(site)), begun) for begun in SLOW * 4]
        for connection, begun in slow:
            connection.sendall(begun)
        assert [page_status(site) for _ in range(5)] == [200] * 5
        for connection, begun in slow[1::4]:
            connection.sendall(PAGE[len(begun) :])
            assert status_line(connection) == b"HTTP/1.1 200 OK\r\n"


def test_a_body_over_the_limit_is_refused_before_it_is_sent(site):
    with connect(site) as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (settings.LARGEST_BODY + 1))
        assert status_line(connection).split()[1] == b"413"


def test_the_limits_of_proxy_and_application_are_the_same():
    (megabytes,) = re.findall(r"client_max_body_size (\d+)m;", FILE.read_text(encoding="utf-8"))
    assert int(megabytes) * 1024 * 1024 == settings.LARGEST_BODY


def test_a_chunked_body_whose_end_does_not_come_with_its_head_is_refused(site):
    with connect(site) as connection:
        connection.sendall(HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
        assert status_line(connection).split()[1] == b"411"


def test_a_large_body_arrives_whole(site):
    body = b"username=" + b"a" * 1_500_000
    with connect(site) as connection:
        connection.sendall(HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert answer(connection).split()[1] == b"403"  # read, and refused without a CSRF token


@pytest.mark.parametrize("field", [b"Content-Length: 1000000", b"Transfer-Encoding: chunked"])
def test_a_body_that_dribbles_for_ever_is_cut(impatient_site, field):
    with connect(impatient_site) as connection:
        connection.sendall(HEAD + field + b"\r\n\r\n" + (b"" if b"Length" in field else b"F4240\r\n"))
        assert is_cut_while_it_sends(connection, b"a")
    assert page_status(impatient_site) == 200


def is_cut_while_it_sends(connection, piece) -> bool:
    """Whether the server ends a connection that sends `piece` ten times per second, for at most 15 seconds."""
    connection.settimeout(0.1)
    for _ in range(150):
        try:
            connection.sendall(piece)
            with suppress(TimeoutError):
                while connection.recv(65536):  # an answer may come first
                    pass
                return True
        except ConnectionError:
            return True
    return False


def test_one_address_gets_a_bounded_number_of_requests_at_once(site):
    (most,) = re.findall(r"limit_conn addresses (\d+);", FILE.read_text(encoding="utf-8"))
    begun = HEAD + b"X-Forwarded-For: 198.51.100.7\r\nContent-Length: 1000\r\n\r\nusername="
    given = None
    with ExitStack() as opened:
        for _ in range(4):  # on a slow machine the first ones may have been cut before the last ones are counted
            for _ in range(int(most)):
                opened.enter_context(connect(site)).sendall(begun)
            if given := answered_soon(site, begun):
                break
        assert given
        status, retry_after, page = given
        assert (status, retry_after) == (503, "5")
        assert b"<h1>The site is away for a moment</h1>" in page
        assert page_status(site) == 200  # from another address


def answered_soon(site, request) -> tuple[int, str | None, bytes] | None:
    """Status, Retry-After and body of the answer to what is sent, or None if none comes soon."""
    with connect(site) as connection, suppress(TimeoutError):
        connection.settimeout(1)
        connection.sendall(request)
        with http.client.HTTPResponse(connection) as given:
            given.begin()
            return given.status, given.headers["Retry-After"], given.read()
    return None


@pytest.mark.parametrize(
    "path",
    [
        "/../../../etc/passwd", "/static/../../../../etc/passwd", "/static/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
        "/static/..%2f..%2f..%2f..%2fetc/passwd", "/static/....//....//etc/passwd", "/%2e%2e%5c%2e%2e%5cetc/passwd",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_site(site, path):
    with connect(site) as connection:
        connection.sendall(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n" % path.encode())
        given = answer(connection)
    assert given.split()[1] in (b"400", b"404")
    assert b"root:" not in given


def test_addresses_that_a_client_claims_are_replaced_by_the_one_before_the_proxy(echo):
    assert echo()["X-Forwarded-For"] == "127.0.0.1"
    assert echo(X_Forwarded_For="198.51.100.7, 203.0.113.9")["X-Forwarded-For"] == "203.0.113.9"


@pytest.mark.parametrize(("said", "passed"), [(None, "http"), ("https", "https"), ("http", "http"), ("ftp", "http")])
def test_the_application_knows_whether_the_client_used_https(echo, said, passed):
    fields = {} if said is None else {"X_Forwarded_Proto": said}
    assert echo(**fields)["X-Forwarded-Proto"] == passed
