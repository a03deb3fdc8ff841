"""What annotators see while the real proxy answers that the web server is away: nothing typed is lost."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import answers_to, moved_on, saved
from tests.ops.conftest import free_port
from tests.own_proxy import missing_proxy, own_proxy

pytestmark = pytest.mark.skipif(bool(missing_proxy()), reason="nginx is missing")
COMMENT = "A thought that outlives the server"


@pytest.fixture(scope="module")
def away():
    """The address of a proxy whose web server is not there."""
    with own_proxy(free_port()) as port:
        yield f"http://127.0.0.1:{port}"


class WebServer:
    """Whether the desk's requests to a path meet the web server, or the proxy without one."""

    def __init__(self, desk, away, path):
        self.desk, self.away, self.is_away, self.statuses = desk, away, True, []
        desk.context.route(path, self.answer)

    def answer(self, route):
        if not self.is_away:
            return route.continue_()
        answer = route.fetch(url=route.request.url.replace(self.desk.address, self.away))
        self.statuses.append(answer.status)
        return route.fulfill(response=answer)


def test_an_answer_is_kept_while_the_web_server_is_away_and_sent_once_when_it_is_back(desk, task, away):
    page = desk.open(task)
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.get_by_label("Why?").fill(COMMENT)
    saved(page)
    server = WebServer(desk, away, "**/submit/")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("The server is not responding. We'll send it when it does.")).to_be_visible()
    expect(page.get_by_label("Why?")).to_have_value(COMMENT)
    assert answers_to(task) == []
    server.is_away = False
    moved_on(page, task)
    assert set(server.statuses) == {503}
    assert [row["answers"]["comment"] for row in answers_to(task)] == [COMMENT]


@pytest.mark.thorough
def test_a_draft_is_kept_while_the_web_server_is_away_and_saved_when_it_is_back(desk, task, away):
    page = desk.open(task)
    server = WebServer(desk, away, "**/draft/")
    page.get_by_label("Why?").fill(COMMENT)
    expect(page.locator("#state")).to_have_attribute("data-kind", "broken")
    server.is_away = False
    saved(page)
    assert set(server.statuses) == {503}
    task.refresh_from_db()
    assert task.draft["q-comment"] == [COMMENT]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_readable_and_asks_nobody_else(browser, away, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    assert page.goto(f"{away}/work/1/").status == 503
    expect(page.get_by_role("heading")).to_have_text("The site is away for a moment")
    assert asked == [f"{away}/work/1/"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == {"light": "rgb(247, 245, 241)", "dark": "rgb(20, 23, 26)"}[scheme]
    context.close()
