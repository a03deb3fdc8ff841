"""What owners decide about studies, and what is done to tasks, raters and sessions, by actions of the admin."""

import pytest

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import add_member, rater_for
from annotation.models import Membership, Slot, Study
from annotation.studies.lifecycle import close
from managing.administration.session_admin import RevisionSessionAdmin
from sessions.models import RevisionSession
from tests.managing.test_admin_actions import act, given, listing, page_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client, owner, study):
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    return owner


def now(study):
    return Study.objects.get(pk=study.pk)


def test_a_closed_study_is_locked_archived_and_brought_back(client, staff, study):
    act(client, "lock", [study], confirmed="1")
    assert now(study).locked_at is None  # it is live
    close(study, staff)
    act(client, "lock", [study], confirmed="1")
    assert now(study).locked_at is not None
    act(client, "unlock", [study], confirmed="1", **given(reason=""))
    assert now(study).locked_at is not None  # this needs a reason
    act(client, "unlock", [study], confirmed="1", **given(reason="A typo"))
    assert now(study).locked_at is None
    act(client, "archive", [study], confirmed="1")
    assert now(study).archived_at is not None
    assert "Bring back from the archive" in client.get(page_of(study)).content.decode()
    act(client, "bring_back", [study], confirmed="1")
    assert now(study).archived_at is None
    done = AuditEntry.objects.filter(actor__person=staff).values_list("action", flat=True)
    assert {"study locked", "study unlocked", "study archived", "study brought back"} <= set(done)


def test_a_study_is_moved_to_a_project_and_gets_a_plan(client, staff, study):
    act(client, "project", [study], confirmed="1", **given(name="Ferries"))
    assert now(study).project.name == "Ferries"
    bad = act(client, "plan", [study], confirmed="1", **given(plan="colour: 1"))
    assert bad.status_code == 422
    assert "is unknown" in bad.content.decode()
    act(client, "plan", [study], confirmed="1", **given(plan="most: 5"))
    assert now(study).options["plan"] == {"most": 5}
    assert "most: 5" in act(client, "plan", [study]).content.decode()
    act(client, "plan", [study], confirmed="1", **given(plan=""))
    assert "plan" not in now(study).options


def test_a_blinded_study_is_unblinded_with_a_reason(client, staff, study):
    Study.objects.update(options={"blind_researchers": True})
    assert act(client, "unblind", [study], confirmed="1", **given(reason="")).status_code == 422
    act(client, "unblind", [study], confirmed="1", **given(reason="All answers are in"))
    assert now(study).unblinding.reason == "All answers are in"
    assert now(study).unblinding.by == staff


@pytest.mark.parametrize("key", ["lock", "unlock", "archive", "bring_back", "project", "unblind"])
def test_only_owners_decide(client, staff, study, stranger, key):
    close(study, staff)
    Membership.objects.filter(study=study, person=staff).update(role="researcher")
    page = act(client, key, [study], confirmed="1", **given(name="x", reason="x"))
    assert page.status_code == 302
    after = now(study)
    assert (after.locked_at, after.archived_at, after.project) == (None, None, None)


def test_tasks_are_released_given_and_steered(client, staff, study, rater, stranger):
    add_member(study, stranger, "annotator", None)
    assignment = next_assignment(study, rater_for(study, rater))
    task = assignment.task
    act(client, "free", [task], confirmed="1", **given(reason="Away"))
    assert not Slot.objects.filter(state="held").exists()
    member = Membership.objects.get(study=study, person=stranger)
    act(client, "reassign", [task], confirmed="1", **given(member=member.pk, days=2, reason=""))
    assert [slot.holder.person for slot in task.slots.filter(state="held")] == [stranger]
    both = list(task.item.tasks.order_by("pk")[:2])
    act(client, "redundancy", both, confirmed="2", **given(count=3, reason="Unsure"))
    assert {one.slots.count() for one in task.item.tasks.all()} == {3}
    act(client, "priority", [task], confirmed="1", **given(priority=0, reason="First"))
    task.item.refresh_from_db()
    assert task.item.priority == 0
    act(client, "cancel", [task], confirmed="1", **given(reason="Enough"))
    assert not task.item.slots.filter(state="open").exists()


def test_raters_are_removed_and_let_back_in(client, staff, study, rater):
    mine = rater_for(study, rater)
    next_assignment(study, mine)
    act(client, "remove", [mine], confirmed="1")
    assert not Membership.objects.get(study=study, person=rater).active
    assert not Slot.objects.filter(state="held").exists()
    assert "Let back in" in client.get(page_of(mine)).content.decode()
    act(client, "restore", [mine], confirmed="1")
    assert Membership.objects.get(study=study, person=rater).active
    machine = study.raters.create(name="judge", kind="model")
    act(client, "remove", [machine], confirmed="1")  # nothing to change, and no error


def test_the_place_of_a_session_is_released(client, staff, study, rater):
    mine = rater_for(study, rater)
    task = next_assignment(study, mine).task
    session = RevisionSession.objects.create(study=study, item=task.item, task=task, rater=mine, model="local/small")
    assert RevisionSessionAdmin.steps[0].suits(session)
    assert "Release" in client.get(page_of(session)).content.decode()
    act(client, "free", [session], model=RevisionSession, confirmed="1", **given(reason="Gone"))
    assert not Slot.objects.filter(state="held").exists()
    assert client.get(listing(RevisionSession)).status_code == 200
