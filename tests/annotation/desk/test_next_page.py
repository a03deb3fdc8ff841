"""What an annotator sees when the answer is saved but the next task cannot be opened."""

import uuid

import pytest
from django.db import DatabaseError, connection, connections
from django.urls import reverse

from accounts.models import AuditEntry
from annotation.desk.assigning import BusyError, claim
from annotation.desk.next_page import _next_page
from annotation.models import Annotation, Assignment, Rating, Slot
from annotation.studies.locking import ImportPendingError
from config.site_busy import SiteBusyError
from tests.annotation.desk.test_desk import GOOD, address, desk

pytestmark = pytest.mark.both
__all__ = ["desk"]


CLAIM = "annotation.desk.submitting.claim"


def nothing(*_):
    """A claim that finds nothing in the answer's transaction, so that the ordinary one is tried after it."""


@pytest.fixture
def end_connection():
    """A function that takes the database away from this thread, as a restarted server or a full disk would."""
    other = connections["default"].copy()

    def end() -> None:
        if connection.vendor == "postgresql":
            with other.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(%s)", [connection.connection.info.backend_pid])
        else:
            connection.connection.close()

    yield end
    other.close()
    connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", ["submit_task", "skip_task"])
def test_an_answer_is_reported_as_saved_when_the_connection_is_lost_before_the_claim(
    client, desk, name, end_connection, monkeypatch
):
    sent = GOOD | {"client_key": str(uuid.uuid4()), "reason": "I know the author"}
    with monkeypatch.context() as patched:
        patched.setattr(CLAIM, nothing)
        patched.setattr("annotation.desk.next_page._next_page", lambda *given: end_connection() or _next_page(*given))
        lost = client.post(address(name, desk), sent)
    assert (lost.status_code, lost["X-Answer"], lost["Retry-After"]) == (503, "saved", "2")
    assert "Your answer is saved" in lost.content.decode()
    connection.close()  # what the end of a request does
    again = client.post(address(name, desk), sent)
    following = Assignment.objects.exclude(pk=desk.pk).get()
    assert again["Location"] == address("desk", following)
    assert Annotation.objects.filter(task=desk.task).count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_commit_whose_answer_was_lost_is_found_by_the_client_key(client, desk, end_connection, monkeypatch):
    sent = GOOD | {"client_key": str(uuid.uuid4())}
    client.raise_request_exception = False
    with monkeypatch.context() as patched:
        commit = connection._commit
        patched.setattr(
            connection, "_commit", lambda: (commit(), end_connection(), connection.cursor().execute("SELECT 1"))
        )
        unknown = client.post(address("submit_task", desk), sent)
    assert unknown.status_code >= 500
    connection.close()
    assert client.post(address("submit_task", desk), sent).status_code == 302
    assert Annotation.objects.filter(task=desk.task).count() == 1


@pytest.mark.parametrize("problem", [BusyError, SiteBusyError, ImportPendingError])
def test_an_answer_is_reported_as_saved_when_no_task_can_be_claimed_now(client, desk, monkeypatch, problem):
    def busy(*_):
        raise problem

    monkeypatch.setattr(CLAIM, nothing)
    monkeypatch.setattr("annotation.desk.next_page.next_assignment", busy)
    response = client.post(address("submit_task", desk), GOOD)
    assert (response.status_code, response["X-Answer"]) == (503, "saved")
    assert Annotation.objects.count() == 1


def of_no_kind_that_is_expected():
    raise KeyError


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("fail", [
    lambda: connection.cursor().execute("SELECT nothing FROM nowhere"),
    lambda: connection.cursor().execute("INSERT INTO annotation_slot (id) VALUES (NULL)"),
    of_no_kind_that_is_expected,
], ids=["statement", "constraint", "program"])  # fmt: skip
def test_an_answer_is_kept_when_the_claim_in_its_transaction_fails(client, desk, monkeypatch, fail):
    monkeypatch.setattr(CLAIM, lambda *_: fail())
    response = client.post(address("submit_task", desk), GOOD)
    following = Assignment.objects.exclude(pk=desk.pk).get()
    assert response["Location"] == address("desk", following)  # claimed in the ordinary way
    assert Annotation.objects.get().answers["how_well"] == 4
    assert Slot.objects.get(task=desk.task, holder=desk.rater).state == "filled"
    actions = AuditEntry.objects.filter(action__startswith="task ").values_list("action", flat=True).order_by("pk")
    assert list(actions) == ["task assigned", "task submitted", "task assigned"]
    assert_reset(desk)


def assert_reset(desk):
    """The clocks and the draft of an assignment are as an answer leaves them."""
    before = desk.draft_version
    desk.refresh_from_db()
    assert (desk.draft, desk.opened_at, desk.visible_seconds, desk.tool_use) == (None, None, 0, {})
    assert desk.draft_version == before + 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("far", [False, True])
def test_an_answer_whose_last_statement_fails_is_not_there_and_can_be_sent_again(
    client, desk, monkeypatch, settings, far
):
    settings.DATABASE_FAR = far
    before, sent = AuditEntry.objects.count(), GOOD | {"client_key": str(uuid.uuid4())}

    def fail(*_):
        raise DatabaseError

    monkeypatch.setattr("annotation.desk.submitting.run_as_one", fail)
    with pytest.raises(DatabaseError):
        client.post(address("submit_task", desk), sent)
    assert not Annotation.objects.exists()
    assert not Rating.objects.exists()
    assert Slot.objects.get(task=desk.task, holder=desk.rater).state == "held"
    assert (Assignment.objects.count(), AuditEntry.objects.count()) == (1, before)
    monkeypatch.undo()
    for _ in range(2):
        assert client.post(address("submit_task", desk), sent).status_code == 302
    assert Annotation.objects.count() == 1
    assert {rating.annotation for rating in Rating.objects.all()} == {Annotation.objects.get()}
    assert [step.action for step in AuditEntry.objects.order_by("pk")[before:]] == ["task submitted", "task assigned"]
    assert_reset(desk)


@pytest.mark.django_db(transaction=True)
def test_a_claim_that_fails_half_way_leaves_nothing_of_itself(client, study, desk, monkeypatch):
    def half(*given):
        claim(*given)
        raise DatabaseError

    monkeypatch.setattr(CLAIM, half)
    monkeypatch.setattr("annotation.desk.next_page.next_assignment", nothing)
    response = client.post(address("submit_task", desk), GOOD)
    assert response["Location"] == reverse("annotation:end", args=["study"])
    assert Annotation.objects.count() == Assignment.objects.count() == 1
    assert AuditEntry.objects.filter(action="task assigned").count() == 1


@pytest.mark.django_db(transaction=True)
def test_an_answer_is_written_again_when_the_connection_is_lost_during_the_claim(
    client, desk, end_connection, monkeypatch
):
    monkeypatch.setattr(CLAIM, lambda *given: end_connection() or claim(*given))
    response = client.post(address("submit_task", desk), GOOD)
    following = Assignment.objects.exclude(pk=desk.pk).get()
    assert response["Location"] == address("desk", following)
    assert Annotation.objects.filter(task=desk.task).count() == 1
    assert AuditEntry.objects.filter(action="task submitted").count() == 1


def test_an_annotator_is_asked_to_try_again_while_all_tasks_are_being_taken(client, study, rater, monkeypatch):
    def busy(*_):
        raise BusyError

    monkeypatch.setattr("annotation.desk.next_page.next_assignment", busy)
    client.force_login(rater)
    response = client.post(reverse("annotation:next_task", args=[study.slug]))
    assert (response.status_code, response["Retry-After"]) == (503, "2")
    assert "X-Answer" not in response
    assert "try again in a moment" in response.content.decode()


def test_a_failure_before_anything_is_saved_is_not_reported_as_saved(client, study, rater, monkeypatch):
    def fail(*_):
        raise DatabaseError

    monkeypatch.setattr("annotation.desk.next_page.next_assignment", fail)
    client.force_login(rater)
    client.raise_request_exception = False
    response = client.post(reverse("annotation:next_task", args=[study.slug]))
    assert response.status_code == 500
    assert "X-Answer" not in response


def test_an_answer_that_is_sent_again_later_takes_no_second_slot(client, desk):
    sent = GOOD | {"client_key": str(uuid.uuid4())}
    client.post(address("submit_task", desk), sent)
    client.post(address("undo_task", desk), {"revision": "1", "client_key": str(uuid.uuid4())})
    others = Slot.objects.filter(state="held").exclude(task=desk.task)
    others.update(state="open", holder=None, lease_until=None)
    assert client.post(address("submit_task", desk), sent)["Location"] == address("desk", desk)
    assert [slot.task_id for slot in Slot.objects.filter(state="held")] == [desk.task_id]
