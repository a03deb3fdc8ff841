"""Flags are resolved or dismissed with a note, and the annotator is told; comments are read through a mark."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, flag, submit
from annotation.members.membership import rater_for
from annotation.models import Assignment, FlagAnswer, ReadComments, Task
from annotation.review.comments import mark_read, unread_comments
from annotation.review.flags import answer_flag, open_flags
from annotation.review.verdicts import ReviewedMeanwhileError
from annotation.studies.newest_first import NewestFirst, newest_first
from annotation.studies.study_overview import count_overview
from annotation.views import attention

pytestmark = pytest.mark.quick
PAGE = "/studies/study/attention/"
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ["COMMENT"]}


@pytest.fixture
def flagged(study, rater):
    """A task with the flag "odd" on it."""
    assignment = next_assignment(study, rater_for(study, rater))
    flag(assignment, "odd")
    return Assignment.objects.select_related("rater__study", "rater__person").get(pk=assignment.pk)


def answer(study, rater, comment="COMMENT"):
    assignment = next_assignment(study, rater_for(study, rater))
    form = FORM | {"q-comment": [comment]}
    submit(assignment, Submission(form, revision=0, guidelines_version=1))


def test_an_answered_flag_is_no_longer_open(study, flagged, owner):
    answer_flag(flagged, "resolved", "It is fixed.", owner, flag="odd")
    assert not open_flags(study).exists()
    assert count_overview(study)["flagged"] == 0
    entry = AuditEntry.objects.get(action="flag answered")
    assert entry.new == {"outcome": "resolved", "number": 1, "reason": "It is fixed."}
    assert entry.about.person == flagged.rater.person


def test_a_flag_with_other_words_is_open_again_and_gets_another_answer(study, flagged, owner):
    answer_flag(flagged, "dismissed", "It is meant so.", owner, flag="odd")
    flag(flagged, "still odd")
    assert open_flags(study).get().flag == "still odd"
    answer_flag(flagged, "resolved", "You are right.", owner, flag="still odd")
    rows = FlagAnswer.objects.order_by("number").values_list("outcome", "flag", "is_current")
    assert list(rows) == [("dismissed", "odd", False), ("resolved", "still odd", True)]


def test_a_second_answer_to_the_same_flag_is_refused(flagged, owner, stranger):
    answer_flag(flagged, "resolved", "Done.", owner, flag="odd")
    with pytest.raises(ReviewedMeanwhileError):
        answer_flag(flagged, "dismissed", "No.", stranger, flag="odd")


def test_an_answer_to_words_that_have_changed_is_refused(flagged, owner):
    flag(flagged, "odder")
    with pytest.raises(ReviewedMeanwhileError):
        answer_flag(flagged, "resolved", "Done.", owner, flag="odd")
    assert not FlagAnswer.objects.exists()


def test_the_page_saves_an_answer_and_the_annotator_reads_it(client, study, flagged, owner, rater):
    client.force_login(owner)
    assert "odd" in client.get(PAGE).content.decode()
    posted = {f"{flagged.pk}-outcome": "resolved", f"{flagged.pk}-note": "NOTE-TO-RATER", f"{flagged.pk}-flag": "odd"}
    assert client.post(f"{PAGE}flags/{flagged.pk}/", posted).status_code == 302
    assert "No flagged tasks to resolve" in client.get(PAGE).content.decode()
    assert "NOTE-TO-RATER" in client.get(f"{PAGE}?kind=answered").content.decode()
    client.force_login(rater)
    assert "1 answer to your flags" in client.get("/").content.decode()
    mine = client.get("/studies/study/my-answers/?show=answers").content.decode()
    assert "NOTE-TO-RATER" in mine
    assert "(new)" in mine
    client.post("/studies/study/my-answers/flags/", {"answer": FlagAnswer.objects.get().pk})
    assert FlagAnswer.objects.get().seen_at is not None
    assert "answer to your flags" not in client.get("/").content.decode()


def test_an_answer_without_a_note_is_not_saved_and_what_was_typed_stays(client, flagged, owner):
    client.force_login(owner)
    posted = {f"{flagged.pk}-note": "TYPED", f"{flagged.pk}-flag": "odd"}
    response = client.post(f"{PAGE}flags/{flagged.pk}/", posted)
    assert response.status_code == 422
    page = response.content.decode()
    assert "TYPED" in page
    assert "Resolve or dismiss it." in page
    assert not FlagAnswer.objects.exists()


def test_an_outdated_page_is_told(client, flagged, owner):
    client.force_login(owner)
    flag(flagged, "odder")
    posted = {f"{flagged.pk}-outcome": "resolved", f"{flagged.pk}-note": "Done.", f"{flagged.pk}-flag": "odd"}
    response = client.post(f"{PAGE}flags/{flagged.pk}/", posted, follow=True)
    assert "has been answered or changed" in response.content.decode()


def test_nobody_marks_answers_to_others_as_read(client, study, flagged, owner, stranger):
    answer_flag(flagged, "resolved", "Done.", owner, flag="odd")
    study.memberships.create(person=stranger, role="annotator")
    client.force_login(stranger)
    client.post("/studies/study/my-answers/flags/", {"answer": FlagAnswer.objects.get().pk})
    assert FlagAnswer.objects.get().seen_at is None


def test_comments_are_listed_until_they_are_marked_as_read(client, study, owner, rater):
    answer(study, rater, "FIRST-COMMENT")
    answer(study, rater, "SECOND-COMMENT")
    client.force_login(owner)
    page = client.get(f"{PAGE}?kind=comments").content.decode()
    assert page.index("FIRST-COMMENT") < page.index("SECOND-COMMENT")
    first = unread_comments(study).first().pk
    client.post(f"{PAGE}comments/", {"through": first})
    page = client.get(f"{PAGE}?kind=comments").content.decode()
    assert "FIRST-COMMENT" not in page
    assert "SECOND-COMMENT" in page
    assert "FIRST-COMMENT" in client.get(f"{PAGE}?kind=comments&after=0").content.decode()
    assert AuditEntry.objects.get(action="comments read").new == first


def test_the_mark_never_moves_back_or_to_what_is_no_comment(study, owner, rater):
    answer(study, rater)
    answer(study, rater)
    first, second = unread_comments(study)
    assert mark_read(study, owner, second.pk)
    assert not mark_read(study, owner, first.pk)
    assert not mark_read(study, owner, second.pk + 1000)
    assert ReadComments.objects.get().through == second.pk
    assert not unread_comments(study).exists()


def test_a_list_begins_after_a_row_and_counts_none(client, study, flagged, owner):
    task = Task.objects.exclude(pk=flagged.task_id).first()
    later = Assignment.objects.create(
        task=task, rater=flagged.rater, order=[], flag="odd, too", created_at=timezone.now()
    )
    first = newest_first(open_flags(study), "", size=1)
    assert ([row.flag for row in first.rows], first.older, first.is_first) == (["odd, too"], later.pk, True)
    last = newest_first(open_flags(study), str(first.older), size=1)
    assert ([row.flag for row in last.rows], last.older, last.is_first) == (["odd"], None, False)
    client.force_login(owner)
    with CaptureQueriesContext(connection) as captured:
        page = client.get(f"{PAGE}?before={later.pk}").content.decode()
    assert "Newest" in page
    assert len(captured) <= 15
    assert not any("COUNT(" in query["sql"] for query in captured)
    documents = [query["sql"] for query in captured if '"annotation_item"."document"' in query["sql"]]
    assert [sql.count("LIMIT 51") for sql in documents] == [0]  # not read for all rows that are sorted


def test_a_page_whose_rows_have_all_gone_meanwhile_leads_to_older_ones(client, study, owner, monkeypatch):
    monkeypatch.setattr(attention, "newest_first", lambda rows, before: NewestFirst([], 7, is_first=True))
    client.force_login(owner)
    page = client.get(PAGE).content.decode()
    assert "before=7" in page
    assert "No flagged tasks" not in page
