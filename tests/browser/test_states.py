"""What the desk says when something changed meanwhile: a paused study, a lost lease, a condition."""

from datetime import timedelta

from django.utils import timezone
from playwright.sync_api import expect

from annotation.desk.assigning import release_expired
from annotation.models import Question, Study
from tests.browser.conftest import answers_to, moved_on, saved


def test_a_study_paused_while_a_task_is_open_is_said_at_the_next_sign_of_life(desk, study, task):
    page = desk.page
    page.clock.install(time=timezone.now())
    desk.open(task)
    Study.objects.filter(pk=study.pk).update(status="paused")
    page.clock.run_for(61_000)
    expect(page.locator("#message")).to_contain_text("The study has been paused")
    desk.open(task)
    expect(page.locator("[data-part=notices]")).to_contain_text("This study is paused")


def test_a_lost_lease_is_said_and_the_late_answer_is_kept(desk, study, task):
    page = desk.page
    page.clock.install(time=timezone.now())
    desk.open(task)
    saved(page)
    release_expired(study, timezone.now() + timedelta(days=1))
    page.clock.run_for(61_000)
    expect(page.locator("#message")).to_contain_text("Your time for this task ran out")
    page.keyboard.press("y")
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    moved_on(page, task)
    assert [row["status"] for row in answers_to(task)] == ["submitted"]


def test_a_question_with_a_condition_opens_only_when_it_holds_and_is_not_sent_otherwise(desk, study, task):
    Question.objects.create(
        study=study, position=3, key="kind", type="category", text="What is wrong?",
        spec={"choices": ["Too long", "Wrong"], "when": {"question": "follows", "equals": False}},
    )  # fmt: skip
    page = desk.open(task)
    kind = page.get_by_label("Too long")
    page.keyboard.press("n")
    page.keyboard.press("2")
    expect(kind).to_be_enabled()
    kind.check()
    page.keyboard.press("y")
    expect(kind).to_be_disabled()
    saved(page)
    page.locator("#submit").click()
    moved_on(page, task)
    assert answers_to(task)[0]["answers"] == {"follows": True, "how_well": 2}


def test_a_key_of_a_question_that_is_not_asked_says_why_it_does_nothing(desk, study, task):
    study.questions.filter(key="how_well").update(
        spec={"min": 1, "max": 5, "when": {"question": "follows", "equals": True}}
    )
    page = desk.open(task)
    page.keyboard.press("4")
    expect(page.locator("#message")).to_have_text("Answer question 1 first.")
    page.keyboard.press("n")
    expect(page.locator("#message")).to_have_text("")
    page.keyboard.press("4")
    expect(page.locator("#message")).to_have_text("Question 2 is not asked after this answer.")
    page.keyboard.press("y")
    page.keyboard.press("4")
    expect(page.locator("#question-2 :checked")).to_have_value("4")
    saved(page)


def test_the_state_is_announced_to_those_who_do_not_see_it(desk, task):
    page = desk.open(task)
    desk.context.set_offline(True)
    page.keyboard.press("y")
    expect(page.locator("#announce")).to_have_text("offline, saved in this browser")
    desk.context.set_offline(False)
    saved(page)
    expect(page.locator("#announce")).to_have_text("Connected again.")


def test_what_was_typed_in_a_question_that_is_no_longer_asked_is_kept_in_the_draft(desk, study, task):
    study.questions.filter(key="comment").update(spec={"when": {"question": "follows", "equals": False}})
    page = desk.open(task)
    desk.choose(1, "No")
    page.get_by_label("Why?").fill("A long reason.")
    saved(page)
    desk.choose(1, "Yes")
    expect(page.get_by_label("Why?")).to_be_disabled()
    saved(page)
    page.evaluate("localStorage.clear()")
    page.reload()
    desk.choose(1, "No")
    expect(page.get_by_label("Why?")).to_have_value("A long reason.")
