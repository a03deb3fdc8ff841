"""Revision sessions in a real browser: with the mouse, by keyboard alone, without scripts, and through faults."""

# ruff: noqa: F811 - the names of fixtures

import threading

import pytest
from django.core.management import call_command
from django.db import connections
from django.urls import reverse
from playwright.sync_api import expect

from annotation.members.membership import rater_for
from annotation.models import Assignment, DraftConflict, Study
from config.background.claiming import run_waiting
from files.reading import import_study
from files.writing import export_study
from llm.call_errors import UnreachableError
from sessions import steps
from sessions.models import RevisionSession, Turn
from sessions.topic_preferences import choose_topics
from tests.browser.conftest import saved
from tests.files.writing.conftest import bytes_of
from tests.sessions.conftest import begun, folder, models, session, study, turned  # noqa: F401 - fixtures

LONG = "\n\n".join(
    " ".join(
        f"Sentence {n} of part {part} tells of ferries, trains and fares in the winter [{part % 4}]." for n in range(8)
    )
    for part in range(6)
)


def address(session):
    key = Assignment.objects.get(task=session.task_id, rater=session.rater_id).key
    return reverse("revision_sessions:session", args=[key])


@pytest.fixture
def opened(desk, session):
    """The session's page, with its first answer, on the desk of its user."""
    desk.page.goto(desk.address + address(session))
    expect(desk.page.locator("#instruction")).to_be_visible()
    return desk.page


def written(page):
    """Have what is due written, and wait until the page shows it."""
    expect(page.locator("#desk")).to_have_attribute("data-due", "writing")
    run_waiting()
    expect(page.locator("#desk")).not_to_have_attribute("data-due", "writing")


def test_a_whole_session_with_the_mouse_is_exported_and_imports_again(desk, study, rater, models, tmp_path):
    page = desk.page
    page.goto(desk.address + "/")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I have read the guidelines").click()
    page.get_by_role("button", name="Start").click()
    written(page)
    page.locator("a.citation").first.click()
    expect(page.locator("#details-paper-0")).to_have_attribute("open", "")
    expect(page.locator("#details-paper-0")).to_have_class("paper is-cited")
    page.locator("#instruction").fill("Add the fares.")
    page.locator("label", has_text="New facts").click()
    page.get_by_role("button", name="Send instruction").click()
    written(page)
    page.get_by_role("tab", name="Changes").click()
    expect(page.locator(".changes ins").first).to_be_visible()
    page.locator(".faces label", has_text="neutral").click()
    page.get_by_label("Why?").fill("In part.")
    page.get_by_role("button", name="Save rating").click()
    page.get_by_role("link", name="Edit the answer").click()
    page.locator("#edit").fill("The ferry sails at nine [0].")
    page.get_by_role("button", name="Save edit").click()
    page.get_by_role("link", name="Ready to send").click()
    expect(page.locator("#step-help")).to_contain_text("answer of turn 1, edited by you")
    expect(page.locator("#answer-text")).to_contain_text("The ferry sails at nine")
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Sent. Thank you.")).to_be_visible()
    assert RevisionSession.objects.get().status == "satisfied"
    assert Turn.objects.get(number=1).edited_answer == "The ferry sails at nine [0]."
    export_study(study, tmp_path / "first")
    first = bytes_of(tmp_path / "first")
    for words in (b"Add the fares.", b"In part.", b"The ferry sails at nine [0]."):
        assert words in first["sessions.jsonl"]
    page.goto("about:blank")  # a page's last words would meet the next database
    call_command("flush", interactive=False, verbosity=0)
    import_study(tmp_path / "first")
    export_study(Study.objects.get(), tmp_path / "second")
    assert bytes_of(tmp_path / "second") == first


@pytest.mark.thorough
def test_a_whole_session_by_keyboard_alone(opened, session):
    page, press = opened, opened.keyboard.press
    press("i")
    page.keyboard.type("Shorter? 12 words.")  # no key of the page fires in a text field
    press("Escape")
    press("2")
    saved(page)
    press("Enter")
    written(page)
    press("d")
    expect(page.locator("#answer-changes")).to_be_visible()
    press("]")
    expect(page.locator(".changes .now")).to_have_count(1)
    press("3")
    press("c")
    page.keyboard.type("No.")
    press("Control+Enter")
    expect(page.locator("#instruction")).to_be_visible()
    expect(page.locator("#step-help")).to_contain_text("Current answer: first answer")
    press("e")
    expect(page.locator("#edit")).to_be_focused()
    page.keyboard.type("Mine: ")
    press("Control+Enter")
    expect(page.locator("#instruction")).to_be_visible()
    press("r")
    expect(page.locator("#not-yet")).to_be_visible()
    press("Enter")
    expect(page.get_by_text("Sent. Thank you.")).to_be_visible()
    turn = Turn.objects.get(number=1)
    assert (turn.instruction, turn.kind, turn.annotation.answers["rating"]) == ("Shorter? 12 words.", "style", "bad")
    assert "Mine: " in turn.edited_answer


def test_the_answer_grows_in_place_and_can_be_stopped(opened, models):
    seen, go_on = threading.Event(), threading.Event()

    def slow(on_text, **_):
        on_text("The ferry")
        seen.set()
        for _ in range(200):
            if go_on.wait(0.1):
                break
            on_text("The ferry sails")
        return "The ferry sails at nine."

    def work():
        try:
            run_waiting()
        finally:
            connections.close_all()

    models.script = [slow]
    opened.locator("#instruction").fill("Shorter.")
    opened.locator("label", has_text="Only style").click()
    opened.locator("#submit").click()
    expect(opened.locator("#desk")).to_have_attribute("data-due", "writing")
    worker = threading.Thread(target=work)
    worker.start()
    try:
        assert seen.wait(10)
        expect(opened.locator("[data-partial]")).to_have_text("The ferry sails")
        opened.keyboard.press("x")
        expect(opened.locator("#step")).to_contain_text("Stopped")
    finally:
        go_on.set()
        worker.join(20)
    expect(opened.locator(".interrupted")).to_contain_text("The ferry sails")
    expect(opened.locator("#answer-text")).to_contain_text("Answer 1")
    opened.get_by_role("button", name="Try again").click()
    written(opened)
    expect(opened.locator(".faces")).to_be_visible()
    assert Turn.objects.filter(number=1).count() == 1


def test_a_failure_is_said_and_the_instruction_can_be_changed(opened, models):
    models.script = [UnreachableError("The model could not be reached.")]
    opened.locator("#instruction").fill("Shorter.")
    opened.locator("label", has_text="Only style").click()
    opened.locator("#submit").click()
    written(opened)
    expect(opened.locator(".interrupted")).to_contain_text("could not be reached")
    opened.get_by_role("button", name="Change the instruction").click()
    expect(opened.locator("#instruction")).to_have_value("Shorter.")
    expect(opened.locator(".where")).to_have_text("Turn 1 of 10")


def test_errors_are_shown_beside_their_fields_and_take_the_focus(opened):
    typed_and_sent = """() => {
        document.querySelector("#instruction").value = "Half of it.";
        document.querySelector("#instruction").dispatchEvent(new Event("input", {bubbles: true}));
        document.querySelector("#submit").click();
    }"""
    with opened.expect_response("**/draft/"):
        opened.evaluate(typed_and_sent)  # at once, before the draft is saved
    expect(opened.locator("#kind-error")).to_be_visible()
    expect(opened.locator("[name='q-:kind']").first).to_be_focused()
    expect(opened.locator("#instruction")).to_have_value("Half of it.")
    opened.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")  # so that the server alone has it
    opened.reload()
    expect(opened.locator("#instruction")).to_have_value("Half of it.")


def test_two_tabs_make_one_turn_and_nothing_typed_is_lost(desk, opened, session):
    second = desk.tab()
    second.goto(opened.url)
    for page, text in ((opened, "From the first."), (second, "From the second.")):
        page.locator("#instruction").fill(text)
        page.locator("label", has_text="Only style").click()
        if page is second:
            page.get_by_role("button", name="Keep this version").click()
        saved(page)
    opened.locator("#submit").click()
    expect(opened.locator("#desk")).to_have_attribute("data-due", "writing")
    second.locator("#submit").click()
    expect(second.locator("[data-focus-first]")).to_contain_text("From the second.")
    expect(second.locator("#desk")).to_have_attribute("data-due", "writing")
    assert [turn.instruction for turn in Turn.objects.filter(number=1)] == ["From the first."]
    assert "From the second." in str(DraftConflict.objects.values_list("body", flat=True))


def test_a_tab_left_open_says_that_the_session_was_sent_and_what_was_typed(desk, opened, session):
    turned(session, "Shorter.", "good")
    opened.reload()
    opened.locator("#instruction").fill("Typed too late.")
    opened.locator("label", has_text="Only style").click()
    saved(opened)
    steps.finish(session)
    opened.locator("#submit").click()
    expect(opened.locator("[data-focus-first]")).to_contain_text("Typed too late.")
    expect(opened.locator("#step")).to_have_text("This session is over")
    opened.get_by_role("link", name="Show the session").click()
    expect(opened.get_by_text("Sent. Thank you.")).to_be_visible()
    opened.locator("a.citation").first.click()
    expect(opened.locator("#paper-0")).to_be_visible()


@pytest.mark.thorough
def test_the_next_step_begins_at_the_top_of_a_page_that_scrolls(opened, models):
    models.script = [LONG]
    opened.set_viewport_size({"width": 844, "height": 390})
    opened.locator("#instruction").fill("Longer.")
    opened.locator("label", has_text="Only style").click()
    opened.locator("#submit").scroll_into_view_if_needed()
    assert opened.evaluate("scrollY") > 0
    opened.locator("#submit").click()
    written(opened)
    expect(opened.locator(".faces")).to_be_attached()
    assert opened.evaluate("scrollY") == 0


def test_a_double_click_is_one_turn_and_back_shows_where_the_session_is(opened, session):
    opened.locator("#instruction").fill("Shorter.")
    opened.locator("label", has_text="Only style").click()
    opened.locator("#submit").dblclick()
    written(opened)
    expect(opened.locator(".faces")).to_be_visible()
    assert Turn.objects.filter(number=1).count() == 1
    opened.goto(opened.url.split("/sessions/")[0] + "/")
    opened.go_back()
    expect(opened.locator(".faces")).to_be_visible()


def test_what_is_typed_offline_is_kept_and_sent_by_itself(desk, opened, session):
    desk.context.set_offline(True)
    opened.locator("#instruction").fill("Typed offline.")
    opened.locator("label", has_text="Only style").click()
    expect(opened.locator("#state")).to_have_text("offline, saved in this browser")
    opened.locator("#submit").click()
    expect(opened.locator("#message")).to_contain_text("We'll send it")
    desk.context.set_offline(False)
    expect(opened.locator("#desk")).to_have_attribute("data-due", "writing")
    assert Turn.objects.get(number=1).instruction == "Typed offline."


def test_a_closed_tab_loses_nothing(desk, opened):
    opened.locator("#instruction").fill("Half a thought")
    saved(opened)
    opened.close()
    page = desk.tab()
    page.goto(desk.address + address(RevisionSession.objects.get()))
    expect(page.locator("#instruction")).to_have_value("Half a thought")


@pytest.mark.thorough
def test_earlier_answers_and_passages_are_looked_at_while_what_is_typed_stays(opened, session):
    turned(session, "What does a ticket for the ferry cost?", "good", "information")
    turned(session, "Second.", "good")
    opened.reload()
    opened.locator("#instruction").fill("Being typed")
    opened.locator("#turn-1 > summary").click()
    opened.locator("#turn-1 [data-look-at=answer]").click()
    expect(opened.locator("#answer-title")).to_contain_text("Answer of turn 1")
    opened.locator("#passages-of").select_option("0")
    expect(opened.locator("#passages-title")).to_have_text("Passages for the question")
    opened.keyboard.press("Escape")
    opened.get_by_role("tab", name="Changes").click()
    opened.locator("#from").select_option("0")
    expect(opened.locator(".changes-count")).to_contain_text("changed")
    expect(opened.locator("#instruction")).to_have_value("Being typed")


@pytest.mark.thorough
def test_a_session_goes_without_scripts(new_desk, rater, session):
    desk = new_desk(rater, java_script_enabled=False)
    page = desk.page
    page.goto(desk.address + address(session))
    page.locator("#instruction").fill("Shorter.")
    page.locator("label", has_text="Only style").click()
    page.get_by_role("button", name="Send instruction").click()
    run_waiting()
    page.get_by_role("link", name="Refresh").click()
    page.get_by_text("good").first.click()
    page.get_by_role("button", name="Save rating").click()
    expect(page.get_by_text("This question needs an answer.")).to_be_visible()
    page.locator("textarea[name=q-comment]").fill("Yes.")
    page.get_by_role("button", name="Save rating").click()
    page.get_by_role("tab", name="Changes").click()
    expect(page.locator(".changes-count")).to_be_visible()
    page.get_by_role("link", name="Ready to send").click()
    page.get_by_role("button", name="Send answer").click()
    expect(page.get_by_text("Sent. Thank you.")).to_be_visible()


def test_no_response_of_a_whole_session_names_the_model(desk, study, rater, models):
    choose_topics(rater_for(study, rater), [])
    own = begun(study, rater)
    run_waiting()
    turned(own, "Shorter.", "bad")
    page, bodies = desk.page, []
    for query in ("", "?send=1", "?edit=1", "?view=changes", "writing/"):
        answer = page.goto(desk.address + address(own) + query)
        bodies += [f"{answer.url} {answer.all_headers()} {answer.text()}", page.content()]
    page.goto(desk.address + "/")
    bodies.append(page.content())
    assert [body for body in bodies if "scripted" in body] == []


@pytest.mark.thorough
def test_an_edit_in_markdown_is_previewed(desk, session):
    turned(session, "Shorter.", "bad")
    session.study.options |= {"markdown": True}
    session.study.save(update_fields=["options"])
    page = desk.page
    page.goto(f"{desk.address}{address(session)}?edit=1")
    page.locator("#edit").fill("It sails **late** [0].")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#edit-preview strong")).to_have_text("late")
    expect(page.locator("#edit")).to_be_hidden()
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("#edit")).to_be_focused()
    expect(page.locator("#edit")).to_have_value("It sails **late** [0].")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Save edit").click()
    expect(page.locator("#desk")).not_to_have_attribute("data-due", "edit")
    assert Turn.objects.get(number=1).edited_answer == "It sails **late** [0]."
