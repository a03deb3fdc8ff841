"""Rating on the desk: by mouse, by keyboard, without scripts; going back, undoing, skipping, flagging."""

from playwright.sync_api import expect

from annotation.models import Annotation, Assignment
from tests.browser.conftest import answers_to, moved_on, saved

FULL = {"follows": True, "how_well": 4, "comment": "Right, but long."}


def test_a_task_is_rated_by_mouse_and_the_next_one_comes(desk, task):
    page = desk.open(task)
    desk.choose(1, "Yes")
    desk.choose(2, "mostly")
    page.get_by_label("Why?").fill("Right, but long.")
    page.get_by_role("button", name="Submit and next").click()
    moved_on(page, task)
    [answer] = answers_to(task)
    assert (answer["status"], answer["answers"]) == ("submitted", FULL)
    assert page.url.endswith(f"/work/{page.locator('#desk').get_attribute('data-assignment')}/")


def test_a_task_is_rated_by_keyboard_alone(desk, task):
    page = desk.open(task)
    for key in ("y", "4", "c"):
        page.keyboard.press(key)
    page.keyboard.type("Right, but long.")
    page.keyboard.press("Escape")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == FULL
    assert page.evaluate("document.activeElement.id") == "task"


def test_keys_do_not_fire_in_a_text_field_and_can_be_switched_off(desk, task):
    page = desk.open(task)
    page.get_by_label("Why?").fill("")
    page.get_by_label("Why?").press_sequentially("yes 4 shfg")
    assert page.locator("input:checked").count() == 1  # the switch in the list of keys, which is closed
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    with page.expect_response("**/keys/"):  # a page fetched before the server has saved it says otherwise
        page.get_by_label("Keys are on").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    page.reload()
    page.keyboard.press("y")
    expect(page.locator("#question-1 :checked")).to_have_count(0)
    saved(page)


def test_ctrl_enter_in_the_comment_submits(desk, task):
    page = desk.open(task)
    page.keyboard.press("n")
    page.keyboard.press("1")
    page.get_by_label("Why?").fill("No.")
    page.keyboard.press("Control+Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"follows": False, "how_well": 1, "comment": "No."}


def test_questions_are_answered_in_any_order_and_keep_their_places(desk, task):
    page = desk.open(task)
    scale = page.locator("#question-2")
    expect(scale).to_contain_text("strictly")
    before = scale.bounding_box()
    page.keyboard.press("4")
    expect(scale.locator(":checked")).to_have_value("4")
    page.keyboard.press("y")
    assert scale.bounding_box() == before
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"follows": True, "how_well": 4}


def test_an_incomplete_answer_is_not_sent_and_the_focus_goes_to_what_is_missing(desk, task):
    page = desk.open(task)
    page.get_by_label("Why?").fill("Kept.")
    page.get_by_role("button", name="Submit and next").click()
    expect(page.locator("#question-1 .field-error")).to_have_text("This question needs an answer.")
    expect(page.locator("#question-1 input").first).to_be_focused()
    expect(page.get_by_label("Why?")).to_have_value("Kept.")
    expect(page.locator("#message")).to_contain_text("still need an answer")
    page.keyboard.press("y")
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"follows": True, "how_well": 5, "comment": "Kept."}


def test_going_back_shows_the_saved_answer_and_a_change_makes_revision_2(desk, task):
    page = desk.open(task)
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("p")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))
    expect(page.locator("[data-part=notices]")).to_contain_text("You submitted this at")
    expect(page.locator("#question-2 :checked")).to_have_value("4")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert [(row["revision"], row["answers"]["how_well"], row["is_current"]) for row in answers_to(task)] == [
        (1, 4, False),
        (2, 2, True),
    ]


def test_the_browsers_back_button_shows_the_saved_answer(desk, task):
    page = desk.open(task)
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.go_back()
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))
    expect(page.locator("#question-2 :checked")).to_have_value("4")
    assert Annotation.objects.count() == 1


def test_undo_takes_the_last_submit_back_and_opens_it_again(desk, task):
    page = desk.open(task)
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    moved_on(page, task)
    page.keyboard.press("u")
    expect(page.locator("#desk")).to_have_attribute("data-assignment", str(task.key))
    expect(page.locator("#question-2 :checked")).to_have_value("4")
    assert [row["status"] for row in answers_to(task)] == ["submitted", "withdrawn"]
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert answers_to(task)[-1]["answers"]["how_well"] == 5


def test_skipping_asks_for_a_reason_and_goes_on(desk, task):
    page = desk.open(task)
    page.keyboard.press("s")
    page.get_by_role("button", name="Skip this task").click()
    expect(page.locator("#skip .field-error")).to_be_visible()
    page.get_by_label("Why are you skipping this task?").fill("Not my language.")
    page.get_by_role("button", name="Skip this task").click()
    moved_on(page, task)
    assert [row["status"] for row in answers_to(task)] == ["skipped"]


def test_flagging_stays_on_the_task_and_keeps_what_is_typed(desk, task):
    page = desk.open(task)
    page.get_by_label("Why?").fill("Half a thought")
    page.keyboard.press("Escape")
    page.keyboard.press("f")
    page.get_by_label("What is wrong with this task?").fill("The text is cut.")
    page.get_by_role("button", name="Flag task").click()
    expect(page.locator("#flag-button")).to_contain_text("Flagged")
    expect(page.get_by_label("Why?")).to_have_value("Half a thought")
    task.refresh_from_db()
    assert task.flag == "The text is cut."
    saved(page)


def test_the_guidelines_are_one_key_away(desk, task):
    page = desk.open(task)
    page.keyboard.press("g")
    expect(page.locator("#guidelines-body")).to_contain_text("Read everything.")
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    expect(page.locator("#question-1 :checked")).to_have_count(1)
    saved(page)


def test_without_scripts_a_task_is_read_answered_flagged_undone_and_skipped(new_desk, rater, task):
    desk = new_desk(rater, java_script_enabled=False)
    page = desk.open(task)
    expect(page.get_by_text("Highlighting needs JavaScript.")).to_be_visible()
    desk.choose(1, "Yes")
    desk.choose(2, "mostly")
    page.locator("#submit").click()
    assert answers_to(task)[0]["answers"] == {"follows": True, "how_well": 4}
    page.locator("#undo").click()
    assert answers_to(task)[-1]["status"] == "withdrawn"
    page.locator("#flag-button").click()
    page.locator("#flag-reason").fill("Odd.")
    page.get_by_role("button", name="Flag task").click()
    page.locator("#skip-button").click()
    page.locator("#skip-reason").fill("Odd.")
    page.get_by_role("button", name="Skip this task").click()
    assert answers_to(task)[-1]["status"] == "skipped"
    assert Assignment.objects.get(pk=task.pk).flag == "Odd."


def test_on_a_phone_the_output_comes_first_and_the_document_keeps_its_place(new_desk, rater, task):
    page = new_desk(rater, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).open(task)
    document, output = page.locator("[data-text=document]"), page.locator("[data-text=output]")
    expect(output).to_be_visible()
    expect(document).to_be_hidden()
    page.get_by_role("tab", name="Document").click()
    expect(document).to_be_visible()
    expect(page.get_by_role("button", name="Submit and next")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
