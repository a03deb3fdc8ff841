"""What clients of the shipped proxy get while the web server is away: the application's 503, not nginx's own errors."""

import http.client
import http.server
import json
import re
import threading
from contextlib import contextmanager

import pytest
from django.test import RequestFactory

from config.error_pages import error_response
from tests.ops.conftest import ROOT, free_port
from tests.own_proxy import missing_proxy, own_proxy

pytestmark = pytest.mark.skipif(bool(missing_proxy()), reason="nginx is missing")
PAGE = ROOT / "proxy" / "away.html"
HEADING = "<h1>The site is away for a moment</h1>"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class Failing(http.server.BaseHTTPRequestHandler):
    """Answers with the status that the address names, and never if it names none."""

    def do_GET(self):
        if self.path == "/silent":
            self.server.over.wait(60)
            return
        body = b"the application's own"
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def failing_server():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Failing)
    server.over = threading.Event()
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield server.server_port
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def away():
    """The port of a proxy whose web server is not there."""
    with own_proxy(free_port()) as port:
        yield port


@pytest.fixture(scope="module")
def failing():
    """The port of a proxy whose web server fails, and whose patience is a second."""
    with failing_server() as web, own_proxy(web, ("proxy_read_timeout 300s", "proxy_read_timeout 1s")) as port:
        yield port


def ask(port, method="GET", path="/", body=None, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
    given = connection.getresponse()
    text = given.read().decode()
    connection.close()
    return given, text


@pytest.mark.parametrize(("method", "body"), [("GET", None), ("POST", b"q-comment=Good"), ("POST", b"x" * 3_000_000)])
def test_people_get_a_page_that_says_when_to_try_again(away, method, body):
    given, text = ask(away, method, "/work/1/submit/", body, Accept=BROWSER)
    assert (given.status, given.headers["Retry-After"], given.headers["Cache-Control"]) == (503, "5", "no-store")
    assert given.headers["Content-Type"] == "text/html; charset=utf-8"
    assert given.headers["X-Request-Id"]
    assert given.headers["Connection"] == "close"  # the rest of a body that nginx has not read would be a request
    assert text == PAGE.read_text(encoding="utf-8")


def test_the_page_needs_no_other_file_and_is_light_and_dark():
    text = PAGE.read_text(encoding="utf-8")
    assert HEADING in text
    assert set(re.findall(r'(?:src|href|action)="([^"]*)"|url\(|@import', text)) == {"/"}
    assert "prefers-color-scheme: dark" in text
    assert "<script" not in text
    assert set(re.findall(r'lang="([^"]*)"', text)) == {"en", "de", "es", "ar", "zh-Hans"}


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/api/studies/", {}), ("/api/studies/", {"Accept": BROWSER}), ("/api/x", {"Accept": "application/json"}),
        ("/work/1/draft/", {"Accept": "application/json"}),
    ],
)  # fmt: skip
def test_programs_and_scripts_get_the_fields_of_the_applications_answer(away, path, fields):
    given, text = ask(away, "POST", path, b"{}", **fields)
    request = RequestFactory().post(path, headers=fields)
    request.htmx = False
    own = error_response(request, 503)
    assert (given.status, given.headers["Retry-After"]) == (503, "5")
    assert given.headers["Content-Type"] == own.headers["Content-Type"]
    assert json.loads(text).keys() == json.loads(own.content).keys()
    assert json.loads(text)["request_id"] == given.headers["X-Request-Id"]
    assert json.loads(text).get("status", 503) == 503


def test_htmx_gets_a_fragment(away):
    given, text = ask(away, "POST", "/studies/a/", b"", Accept="text/html", HX_Request="true")
    assert (given.status, given.headers["Retry-After"]) == (503, "5")
    assert text.startswith('<div class="broken" role="alert"><h1>')


@pytest.mark.parametrize(("accept", "kind"), [
    (None, "text/html"), ("*/*", "text/html"), ("text/*", "text/html"), ("application/json", "application/json"),
    ("application/json, text/html;q=0.5", "text/html"), ("image/png", "application/json"),
])  # fmt: skip
def test_the_form_is_the_one_that_the_application_would_choose(away, accept, kind):
    fields = {} if accept is None else {"Accept": accept}
    request = RequestFactory().get("/", headers=fields)
    request.htmx = False
    assert error_response(request, 503).headers["Content-Type"].split(";")[0] == kind
    assert ask(away, **fields)[0].headers["Content-Type"].split(";")[0] == kind


@pytest.mark.parametrize("status", [404, 500, 502, 503, 504, 507])
def test_errors_of_the_application_pass_through(failing, status):
    given, text = ask(failing, path=f"/{status}", Accept=BROWSER)
    assert (given.status, text) == (status, "the application's own")
    assert given.headers["Retry-After"] is None


def test_a_web_server_that_does_not_answer_is_away(failing):
    given, text = ask(failing, path="/silent", Accept=BROWSER)
    assert (given.status, given.headers["Retry-After"]) == (503, "5")
    assert HEADING in text


@pytest.mark.parametrize("form", ["page", "fragment", "json", "problem"])
def test_nobody_opens_the_answers_by_their_addresses(failing, form):
    given, text = ask(failing, path=f"/away/{form}")
    assert given.status == 404
    assert "away for a moment" not in text
