"""Nothing that is typed is lost, and nothing is sent twice: closed tabs, lost networks, expired sessions, two tabs."""

import re
import threading

import pytest
from django.test import Client
from playwright.sync_api import expect

from accounts.models import BrowserSession
from annotation.models import Annotation, Assignment, DraftConflict, Membership
from tests.browser.conftest import answers_to, moved_on, saved

COMMENT = "A thought that must not be lost"


def rate(page, comment=COMMENT):
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.get_by_label("Why?").fill(comment)


def test_what_is_typed_survives_a_closed_tab(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    page.close()
    again = desk.open(task, desk.tab())
    expect(again.get_by_label("Why?")).to_have_value(COMMENT)
    expect(again.locator("#question-2 :checked")).to_have_value("4")


def test_what_never_reached_the_server_survives_a_closed_tab_on_this_computer(desk, task):
    page = desk.open(task)
    desk.context.route("**/draft/", lambda route: route.abort())
    rate(page)
    expect(page.locator("#state")).to_have_text("offline, saved in this browser")
    page.close()
    desk.context.unroute("**/draft/")
    again = desk.open(task, desk.tab())
    expect(again.get_by_label("Why?")).to_have_value(COMMENT)
    saved(again)
    assert Assignment.objects.get(pk=task.pk).draft["q-comment"] == [COMMENT]


def test_an_answer_sent_without_a_network_goes_out_once_when_it_is_back(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    desk.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("offline, saved in this browser")
    assert Annotation.objects.count() == 0
    desk.context.set_offline(False)
    moved_on(page, task)
    assert [row["answers"]["comment"] for row in answers_to(task)] == [COMMENT]


def test_an_answer_that_arrived_but_was_not_confirmed_is_kept_once(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    sent, lost = [], []

    def lose(route):
        sent.append(route)
        if len(sent) == 1:
            lost.append(route.fetch(max_redirects=0).status)
            route.abort()
        else:
            route.continue_()

    desk.context.route("**/submit/", lose)
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    for _ in range(100):  # on a busy machine the page sends again before the first answer is here
        if lost:
            break
        page.wait_for_timeout(50)
    assert lost == [200]
    assert len(answers_to(task)) == 1


def test_an_answer_that_waits_is_sent_by_the_next_visit_when_the_tab_was_closed(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    desk.context.route("**/submit/", lambda route: route.abort())
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("offline, saved in this browser")
    page.close()
    desk.context.unroute("**/submit/")
    moved_on(desk.open(task, desk.tab()), task)
    assert len(answers_to(task)) == 1


def test_an_expired_sign_in_keeps_the_answer_and_sends_it_once_after_signing_in_again(desk, rater, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    BrowserSession.objects.all().delete()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_have_text("signed out: sign in again, your answer is saved")
    expect(page.get_by_label("Why?")).to_have_value(COMMENT)
    assert Annotation.objects.count() == 0
    with desk.context.expect_page() as opened:
        page.get_by_role("link", name="sign in again").click()
    other = opened.value
    other.get_by_label(re.compile("name", re.I)).first.fill("rater")
    other.get_by_label("Password").fill("rater has a long password")
    other.get_by_role("button", name=re.compile("sign in", re.I)).click()
    moved_on(page, task)
    assert [row["answers"]["comment"] for row in answers_to(task)] == [COMMENT]


def test_somebody_else_who_signs_in_never_sees_the_answer_and_does_not_send_it(desk, stranger, study, rater, task):
    Membership.objects.create(study=study, person=stranger, role="annotator")
    page = desk.open(task)
    rate(page)
    saved(page)
    BrowserSession.objects.all().delete()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#state")).to_contain_text("signed out")
    desk.sign_in(stranger)
    page.wait_for_url(lambda url: f"/work/{task.key}" not in url)
    expect(page.get_by_text(COMMENT)).to_have_count(0)
    theirs = Client()
    theirs.force_login(stranger)
    assert theirs.get(f"/work/{task.key}/").status_code == 404
    assert Annotation.objects.count() == 0
    desk.sign_in(rater)
    moved_on(desk.open(task), task)
    assert [row["answers"]["comment"] for row in answers_to(task)] == [COMMENT]


@pytest.mark.thorough
def test_a_csrf_token_that_changed_does_not_lose_the_answer(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    cookies = [one for one in desk.context.cookies() if one["name"] != "csrftoken"]
    desk.context.clear_cookies()
    desk.context.add_cookies(cookies)
    desk.tab().goto(f"{desk.address}/work/{task.key}/")
    page.bring_to_front()
    page.get_by_label("Why?").press("Control+Enter")
    moved_on(page, task)
    assert len(answers_to(task)) == 1


def test_two_tabs_keep_both_versions_and_ask_which_one_goes_on(desk, task):
    first = desk.open(task)
    second = desk.open(task, desk.tab())
    second.get_by_label("Why?").fill("From the second tab")
    saved(second)
    first.get_by_label("Why?").fill("From the first tab")
    dialog = first.get_by_role("dialog", name="This task was changed in another tab")
    expect(dialog).to_contain_text("From the first tab")
    expect(dialog).to_contain_text("From the second tab")
    dialog.get_by_role("button", name="Keep this version").click()
    saved(first)
    assert Assignment.objects.get(pk=task.pk).draft["q-comment"] == ["From the first tab"]
    assert DraftConflict.objects.get().body["q-comment"] == ["From the first tab"]


def test_the_other_tabs_version_can_be_taken(desk, task):
    first = desk.open(task)
    second = desk.open(task, desk.tab())
    second.get_by_label("Why?").fill("From the second tab")
    saved(second)
    first.get_by_label("Why?").fill("From the first tab")
    first.get_by_role("button", name="Keep the other version").click()
    expect(first.get_by_label("Why?")).to_have_value("From the second tab")
    saved(first)
    desk.choose(1, "Yes", first)
    saved(first)
    assert Assignment.objects.get(pk=task.pk).draft == {"q-comment": ["From the second tab"], "q-follows": ["true"]}


@pytest.mark.thorough
def test_a_tab_left_behind_by_a_submit_is_told_and_shows_both_answers(desk, task):
    first = desk.open(task)
    second = desk.open(task, desk.tab())
    rate(second, "From the second tab")
    second.get_by_label("Why?").press("Control+Enter")
    moved_on(second, task)
    rate(first, "From the first tab")
    expect(first.locator("#message")).to_contain_text("submitted in another tab")
    first.get_by_label("Why?").press("Control+Enter")
    notice = first.locator("[data-part=notices]")
    expect(notice).to_contain_text("This task was changed in another tab")
    expect(notice).to_contain_text("From the second tab")
    expect(first.get_by_label("Why?")).to_have_value("From the first tab")
    first.get_by_role("button", name="Submit mine instead").click()
    moved_on(first, task)
    assert [row["answers"]["comment"] for row in answers_to(task)] == ["From the second tab", "From the first tab"]


def test_a_task_whose_server_breaks_keeps_the_answer_and_tries_again(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    broken = []

    def fail(route):
        if broken:
            route.continue_()
        else:
            broken.append(route.request.url)
            route.fulfill(status=500, body="broken")

    desk.context.route("**/submit/", fail)
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    assert len(broken) == 1
    assert len(answers_to(task)) == 1


@pytest.mark.thorough
def test_a_saved_answer_whose_next_task_cannot_be_opened_is_called_saved(desk, task):
    page = desk.open(task)
    rate(page)
    saved(page)
    submitted, open_next = [], threading.Event()

    def fail_after_saving(route):
        submitted.append(route.fetch(max_redirects=0).status)
        if open_next.is_set():
            return route.continue_()
        return route.fulfill(status=503, body="later", headers={"X-Request-Id": "1", "X-Answer": "saved"})

    desk.context.route("**/submit/", fail_after_saving)
    page.keyboard.press("Control+Enter")
    expect(page.locator("#message")).to_have_text("Your answer is saved. Opening the next task…")
    expect(page.locator("#state")).to_have_text("submitted")
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.includes('pending'))") == []
    open_next.set()
    moved_on(page, task)
    assert submitted[0] == 200
    assert set(submitted[1:]) == {302}  # the same request again: it was saved before, and only leads to the task
    assert len(answers_to(task)) == 1


def test_an_answer_takes_one_request_which_brings_the_next_task(desk, task):
    page, asked = desk.page, []
    desk.open(task)
    watched = ("document", "fetch")
    page.on("request", lambda one: one.resource_type in watched and asked.append((one.method, one.url)))
    places = [page.url]
    for number in range(2):
        rate(page)
        saved(page)
        asked.clear()
        key = page.locator("#desk").get_attribute("data-assignment")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#desk")).not_to_have_attribute("data-assignment", key)
        assert [one for one in asked if not one[1].endswith(("/draft/", "/pulse/"))] == [
            ("POST", f"{places[-1]}submit/")
        ]
        assert page.url == f"{desk.address}{page.locator('#desk').get_attribute('data-page')}"
        places.append(page.url)
        assert Annotation.objects.count() == number + 1
    shown = page.locator("#desk").get_attribute("data-assignment")
    page.reload()
    expect(page.locator("#desk")).to_have_attribute("data-assignment", shown)
    page.go_back()
    expect(page.locator("#desk")).to_have_attribute("data-page", places[1].removeprefix(desk.address))
    assert page.url == places[1]
    expect(page.get_by_label("Why?")).to_have_value(COMMENT)


def test_a_draft_waits_while_its_task_is_flagged(desk, task):
    page, drafts = desk.page, []
    page.clock.install()
    page.on("response", lambda answer: answer.url.endswith("/draft/") and drafts.append(answer.status))

    def answer_late(route):
        flagged = route.fetch(max_redirects=0)
        page.clock.run_for(2_000)  # a draft is due
        route.fulfill(response=flagged)

    page.route("**/flag/", answer_late)
    desk.open(task)
    page.locator("#flag-button").click()
    page.locator("#flag-reason").fill("Odd.")
    page.get_by_label("Why?").fill(COMMENT)
    with page.expect_response("**/draft/"):
        page.locator("#flag form").evaluate("form => form.requestSubmit()")
    saved(page)
    assert drafts == [200]
    assert Assignment.objects.get(pk=task.pk).draft["q-comment"] == [COMMENT]


def test_a_draft_behind_a_refused_answer_is_not_called_saved_before_it_is(desk, task):
    page, held = desk.page, []
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.route("**/draft/", lambda route: held.append(route))
    desk.open(task)
    with page.expect_request("**/draft/"):
        page.evaluate(
            """() => ["y", "Enter"].forEach((key) => document.body.dispatchEvent(
                new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true })))"""
        )
        expect(page.locator("#question-2")).to_have_class(re.compile("has-error"))
    expect(page.locator("#state")).to_have_text("saving…")
    held[0].continue_()
    saved(page)
    assert Assignment.objects.get(pk=task.pk).draft["q-follows"] == ["true"]
