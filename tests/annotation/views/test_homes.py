import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, skip, submit
from annotation.members.invitations import invite
from annotation.members.membership import add_member, rater_for
from annotation.models import Slot, Study
from annotation.studies.planning import plan_chunk
from annotation.studies.queries import MOST_COUNTED, work_of

FORM = {"q-follows": ["true"], "q-how_well": ["4"]}


def answer(study, person, times=1):
    for _ in range(times):
        assignment = next_assignment(study, rater_for(study, person))
        submit(assignment, Submission(FORM, revision=0, guidelines_version=1))


def home(client, person):
    client.force_login(person)
    return client.get("/").content.decode()


def set_status(study, status):
    Study.objects.filter(pk=study.pk).update(status=status)


def test_a_new_annotator_sees_how_much_work_there_is_and_starts(client, study, rater):
    page = home(client, rater)
    assert "<strong>6</strong> left" in page
    assert "Start" in page
    assert 'href="/studies/study/begin/"' in page


def test_the_page_counts_what_i_did_and_what_is_left_for_me(client, study, rater, stranger):
    add_member(study, stranger, "annotator", None)
    answer(study, rater, 2)
    answer(study, stranger, 3)
    work = work_of(rater)[0]
    assert (work.done, work.left, work.state) == (2, 4, "work")
    assert "<strong>2</strong> done · <strong>4</strong> left" in home(client, rater)
    assert "Continue" in home(client, rater)


def test_a_skipped_task_is_neither_left_nor_answered(study, rater):
    skip(next_assignment(study, rater_for(study, rater)), Submission({}, revision=0, guidelines_version=1), "no")
    [work] = work_of(rater)
    assert (work.done, work.skipped, work.left) == (0, 1, 5)


def test_tasks_that_others_have_filled_are_not_left_for_me(study, rater, owner, stranger):
    for person in (stranger, owner):
        answer(study, person, 6)
    assert (work_of(rater)[0].left, work_of(rater)[0].state) == (0, "done")


def test_the_page_thanks_when_no_more_tasks_can_come(client, study, rater):
    answer(study, rater, 6)
    page = home(client, rater)
    assert "All done. Thank you." in page
    assert "You answered 6 tasks." in page
    assert "Check again" not in page


def test_no_more_for_now_is_said_while_others_have_the_last_tasks(client, study, rater, stranger):
    Slot.objects.filter(number=1).delete()
    next_assignment(study, rater_for(study, stranger))
    answer(study, rater, 3)
    page = home(client, rater)
    assert work_of(rater)[0].state == "waiting"
    assert "No more tasks for now." in page
    assert "You answered 3 tasks." in page
    assert "Check again" in page


@pytest.mark.parametrize(
    ("status", "words"), [("paused", "Paused"), ("closed", "Finished."), ("draft", "Not started yet.")]
)
def test_a_study_that_gives_no_work_says_why_and_has_no_button(client, study, rater, status, words):
    set_status(study, status)
    page = home(client, rater)
    assert words in page
    assert "/next/" not in page


def test_the_contact_line_is_beside_the_work(client, study, rater):
    Study.objects.update(contact="Ask <b>us</b> at help@example.org")
    page = home(client, rater)
    assert "Ask &lt;b&gt;us&lt;/b&gt; at" in page
    assert 'href="mailto:help@example.org"' in page


def test_somebody_in_no_study_sees_the_next_step(client, stranger):
    assert "You are not in any study yet" in home(client, stranger)


def test_others_studies_are_not_on_my_page(client, study, make_study, stranger):
    add_member(make_study("theirs"), stranger, "annotator", None)
    page = home(client, stranger)
    assert page.count("<article") == 1
    assert "/studies/study/" not in page


def test_a_researcher_sees_the_progress_of_a_study_and_what_needs_attention(client, study, owner, rater):
    answer(study, rater, 3)
    flag(next_assignment(study, rater_for(study, rater)), "no document")
    page = home(client, owner)
    assert "3 of 12 answers · 1 annotator" in page
    assert "1 flag to resolve" in page


def test_a_study_without_annotators_says_whether_any_are_invited(client, study, owner, rater):
    study.memberships.filter(person=rater).update(active=False)
    assert "invite them" in home(client, owner)
    invite(study, "annotator", owner, count=3)
    assert "3 invitations open" in home(client, owner)


def test_an_operator_sees_all_studies_and_annotates_in_none(client, study, admin_user):
    page = home(client, admin_user)
    assert "Studies I run" in page
    assert "/next/" not in page


def test_the_page_takes_the_same_queries_for_many_studies_and_items(client, make_study, rater, owner):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            assert client.get("/").status_code == 200
        return len(captured)

    def add(slug, items):
        study = make_study(slug, items=items, status="live")
        while plan_chunk(study):
            pass
        add_member(study, rater, "annotator", None)
        add_member(make_study(f"{slug}-run", items=items), rater, "researcher", None)

    client.force_login(rater)
    add("first", 1)
    before = queries()
    for number in range(4):
        add(f"more-{number}", 3)
    assert queries() == before <= 9


def test_counting_ends_at_a_thousand_tasks(study, rater, monkeypatch):
    monkeypatch.setattr("annotation.studies.queries.MOST_COUNTED", 3)
    work = work_of(rater)[0]
    assert (work.left, work.more) == (3, True)
    assert MOST_COUNTED == 1000
