"""What stale pages send is kept, but neither large nor often enough to fill the disk."""

import threading
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from django.db import connection

from annotation.desk.assigning import next_assignment
from annotation.desk.conflicting_drafts import MOST_KEPT, FormTooLargeError, check_size, keep_aside
from annotation.desk.drafting import DraftConflictError, save_draft
from annotation.desk.submitting import StaleRevisionError, Submission, submit
from annotation.models import Assignment, DraftConflict, Rater
from annotation.questions.text import LONGEST
from tests.annotation.desk.test_desk import GOOD, address, desk

pytestmark = pytest.mark.both
__all__ = ["desk"]


@pytest.fixture
def assignment(study, rater):
    return next_assignment(study, Rater.objects.create(study=study, name="ada", person=rater))


def draft(comment):
    return {"q-comment": [comment]}


def test_equal_drafts_of_a_stale_page_are_kept_once(assignment):
    save_draft(assignment, draft("first"), base_version=0, revision=0)
    for _ in range(5):
        with pytest.raises(DraftConflictError):
            save_draft(assignment, draft("stale"), base_version=0, revision=0)
    assert [kept.body for kept in DraftConflict.objects.all()] == [draft("stale")]


def test_equal_answers_of_a_stale_page_are_kept_once(assignment):
    submit(assignment, Submission({"q-follows": ["true"], "q-how_well": ["5"]}, revision=0))
    for _ in range(5):
        with pytest.raises(StaleRevisionError):
            submit(assignment, Submission({"q-follows": ["true"], "q-how_well": ["1"]}, revision=0))
    assert DraftConflict.objects.count() == 1


def test_the_newest_drafts_of_a_stale_page_are_kept(assignment):
    save_draft(assignment, draft("first"), base_version=0, revision=0)
    for number in range(MOST_KEPT + 5):
        with pytest.raises(DraftConflictError):
            save_draft(assignment, draft(f"stale {number}"), base_version=0, revision=0)
    kept = {row.body["q-comment"][0] for row in DraftConflict.objects.all()}
    assert kept == {f"stale {number}" for number in range(5, MOST_KEPT + 5)}


def test_a_draft_that_is_sent_again_counts_as_new(assignment):
    for number in range(MOST_KEPT):
        keep_aside(assignment, draft(str(number)))
    keep_aside(assignment, draft("0"))
    keep_aside(assignment, draft("one more"))
    kept = {row.body["q-comment"][0] for row in DraftConflict.objects.all()}
    assert "0" in kept
    assert "1" not in kept


def test_one_assignments_drafts_do_not_push_out_anothers(assignment, study):
    other = next_assignment(study, Rater.objects.create(study=study, name="ben"))
    keep_aside(other, draft("kept"))
    for number in range(MOST_KEPT + 1):
        keep_aside(assignment, draft(str(number)))
    assert DraftConflict.objects.get(assignment=other).body == draft("kept")


def test_a_draft_as_long_as_its_questions_allow_is_kept(client, desk):
    longest = {"q-comment": "x" * LONGEST, "q-follows": "true", "q-how_well": "5", "draft_version": "0"}
    assert client.post(address("save_draft", desk), longest).json() == {"version": 1}


def post(client, task, fields):
    """A draft as the page's script sends it."""
    return client.post(address("save_draft", task), urlencode(fields), content_type="application/x-www-form-urlencoded")


@pytest.mark.parametrize("more", [{"q-comment": "x" * 60_000}, {"q-other": "x" * 60_000}, {f"q-{'x' * 60_000}": "1"}])
def test_a_draft_longer_than_any_answer_is_refused(client, desk, more):
    response = post(client, desk, more | {"draft_version": "0"})
    assert response.status_code == 413
    assert "characters in all answers together" in response.json()["error"]
    assert Assignment.objects.get().draft is None
    post(client, desk, {"q-comment": "a", "draft_version": "0"})
    assert post(client, desk, more | {"draft_version": "0"}).status_code == 413
    assert not DraftConflict.objects.exists()


def test_a_stale_answer_with_more_text_than_its_questions_take_is_refused(client, desk):
    client.post(address("submit_task", desk), GOOD)
    response = client.post(address("submit_task", desk), GOOD | {"q-how_well": "1", "q-other": "x" * 60_000})
    assert response.status_code == 413
    assert not DraftConflict.objects.exists()


def test_the_limit_grows_with_the_texts_that_spans_may_quote(assignment, study):
    item = assignment.task.item
    study.questions.create(position=3, key="marks", type="spans", text="Mark", spec={"on": "document"})
    with pytest.raises(FormTooLargeError) as short:
        check_size(assignment, draft("x" * 3_000_000))
    item.document *= 1000
    with pytest.raises(FormTooLargeError) as long:
        check_size(assignment, draft("x" * 3_000_000))
    assert str(short.value) != str(long.value)


@pytest.mark.django_db(transaction=True)
def test_equal_drafts_sent_at_once_are_kept_once(assignment):
    start = threading.Barrier(8)

    def keep(number):
        try:
            start.wait(30)
            keep_aside(assignment, draft(str(number % 2)))
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep, range(8)))
    assert DraftConflict.objects.count() == 2
