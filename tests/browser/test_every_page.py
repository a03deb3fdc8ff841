"""Hostile texts run nothing on any page of any role, in Chromium and in a second browser, Firefox."""

import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

import pytest
from django.db import connections

from tests.browser.conftest import Desk
from tests.browser.firefox import find_firefox, firefox
from tests.browser.test_safety import CORPUS
from tests.test_hostile_texts import make_texts_hostile
from tests.world import ROUTES, build_world

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]
ROLES = ("anonymous", "annotator", "researcher", "owner", "limited_staff", "superuser")
FOREIGN = """() => [...document.querySelectorAll("*")].filter((node) =>
    node.matches("iframe, object, embed, base, math, video, audio, marquee")
    || [...node.attributes].some((one) => one.name.startsWith("on") || one.name.startsWith("hx-on"))
    || /^\\s*(javascript|vbscript):/i.test(node.getAttribute("href") ?? "")).length"""
"""What no page of ours has; the admin's own pages have images and styles."""
LEAST_PAGES = 500


class ChromiumVisits:
    """Opens pages in a new profile of Chromium for each person."""

    def __init__(self, browser, address: str) -> None:
        self.browser, self.address = browser, address

    def open_as(self, client) -> None:
        self.desk = Desk(self.browser, self.address)
        self.stopped: list[str] = []
        self.desk.page.on("console", self._said)
        if cookie := client.cookies.get("sessionid"):
            self.desk.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": self.address}])

    def _said(self, entry) -> None:
        if "Content Security Policy" in entry.text:
            self.stopped.append(entry.text)

    def visit(self, path: str) -> list[str]:
        """What the page did that it must not."""
        self.desk.address = self.address
        self.desk.page.goto(self.address + path)
        foreign = self.desk.page.evaluate(FOREIGN)
        found = [*self.desk.faults, *self.stopped, *(["foreign markup"] if foreign else [])]
        self.desk.faults.clear()
        self.stopped.clear()
        return found

    def close(self) -> None:
        self.desk.context.close()


class FirefoxVisits:
    """Opens pages in one Firefox, with a person's cookie."""

    def __init__(self, browser, address: str) -> None:
        self.browser, self.address = browser, address

    def open_as(self, client) -> None:
        self.browser.forget_cookies()
        if cookie := client.cookies.get("sessionid"):
            self.browser.set_cookie("sessionid", cookie.value, urlsplit(self.address).hostname)

    def visit(self, path: str) -> list[str]:
        """What the page did that it must not."""
        self.browser.heard.clear()
        self.browser.visit(self.address + path)
        foreign = self.browser.evaluate(FOREIGN)
        return [*filter(None, map(self._fault, self.browser.heard)), *(["foreign markup"] if foreign else [])]

    def _fault(self, event: dict) -> str:
        told = event["params"]
        if event["method"] == "browsingContext.userPromptOpened":
            return f"dialog: {told['message']}"
        if event["method"] == "network.beforeRequestSent":
            url = told["request"]["url"]
            return "" if url.startswith((self.address, "data:", "blob:", "about:")) else f"foreign request: {url}"
        stopped = "Content-Security-Policy" in (told["text"] or "") and told["level"] == "error"
        return told["text"] if stopped else ""

    def close(self) -> None:
        pass


@pytest.fixture(params=["chromium", "firefox"])
def visits(request, live_server, tmp_path):
    if request.param == "chromium":
        yield ChromiumVisits(request.getfixturevalue("browser"), live_server.url)
        return
    program = find_firefox()
    if program is None:
        pytest.skip("no Firefox: sudo apt install firefox-esr")
    with firefox(program, tmp_path) as browser:
        yield FirefoxVisits(browser, live_server.url)


HOSTILE_PAGE = b"""<!doctype html><title>Hostile</title><img src=//evil.invalid/ onerror=1>
<script>alert(1)</script>"""


class HostileAnswers(BaseHTTPRequestHandler):
    """Gives the page as it is, or with a policy that stops its script."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        if self.path == "/stopped/":
            self.send_header("Content-Security-Policy", "script-src 'self'")
        self.end_headers()
        self.wfile.write(HOSTILE_PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hostile_site():
    server = ThreadingHTTPServer(("127.0.0.1", 0), HostileAnswers)
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_what_a_hostile_page_does_is_found(visits, hostile_site, client):
    visits.open_as(client)
    visits.address = hostile_site
    ran = " ".join(visits.visit("/"))
    assert "dialog: 1" in ran
    assert "foreign request: http://evil.invalid/" in ran
    assert "foreign markup" in ran
    stopped = " ".join(visits.visit("/stopped/"))
    assert "dialog" not in stopped
    assert re.search("Content.Security.Policy", stopped)
    visits.close()


def test_hostile_texts_run_nothing_on_any_page_of_any_role(visits, transactional_db):
    clients, address = build_world()
    make_texts_hostile(CORPUS)
    wrong, pages = [], 0
    for role in ROLES:
        visits.open_as(clients[role])
        for route in ROUTES:
            path = address(route)
            if is_page(clients[role], path):
                pages += 1
                wrong += [f"{route} for {role}: {fault}" for fault in visits.visit(path)]
        visits.close()
    connections.close_all()
    assert wrong == []
    assert pages > LEAST_PAGES


def is_page(client, path: str) -> bool:
    """Whether a browser shows this as HTML, and it isn't only sent on."""
    response = client.get(path)
    if response.streaming:
        response.close()
    return response.status_code == 200 and response.get("Content-Type", "").startswith("text/html")
