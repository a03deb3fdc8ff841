"""Citations in the answer of a session, tapped on a phone."""

# ruff: noqa: F811 - the names of fixtures

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Assignment
from tests.sessions.conftest import folder, models, session, study, turned  # noqa: F401 - fixtures

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
HIT = """(link, far) => {
    const box = link.getBoundingClientRect();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const places = [[x - far, y], [x + far, y], [x, y - far], [x, y + far]];
    return places.map((place) => document.elementFromPoint(...place) === link);
}"""


@pytest.fixture
def reading(new_desk, rater, session, models):
    models.script = ["The ferry sails at nine [1], and at noon [0][1]."]
    turned(session, "Say when.", "good")
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    desk = new_desk(rater, **PHONE)
    desk.page.goto(desk.address + reverse("revision_sessions:session", args=[key]))
    return desk.page


def test_a_tapped_citation_shows_its_paper(reading):
    reading.locator("#answer-text a.citation").nth(1).tap()
    expect(reading.locator("#tab-papers")).to_have_attribute("aria-selected", "true")
    expect(reading.locator("#paper-0")).to_be_visible()
    expect(reading.locator("#details-paper-0")).to_be_in_viewport()
    reading.locator("#tab-answer").tap()
    reading.locator("#answer-text a.citation").first.tap()
    expect(reading.locator("#paper-1")).to_be_visible()
    expect(reading.locator("#details-paper-1")).to_have_class("paper is-cited")
    expect(reading.locator(".is-cited")).to_have_count(1)


def test_a_citation_takes_taps_around_it(reading):
    alone = reading.locator("#answer-text a.citation").first
    assert alone.evaluate(HIT, 20) == [True] * 4
    neighbours = reading.locator("#answer-text a.citation").all()[1:]
    assert [link.evaluate(HIT, 12) for link in neighbours] == [[True] * 4] * 2
