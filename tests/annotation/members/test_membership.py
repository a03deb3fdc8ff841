import re

import pytest

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import MembershipRefusedError, add_member, deactivate_member, rater_for
from annotation.models import Annotation, Membership, Rater, Slot

pytestmark = pytest.mark.quick


def member(study, person):
    return Membership.objects.get(study=study, person=person)


def url(membership, step):
    return f"/studies/{membership.study.slug}/people/{membership.pk}/{step}/"


def test_a_rater_has_a_random_name_that_stays_and_differs_between_studies(study, make_study, rater):
    first = rater_for(study, rater)
    assert re.fullmatch("rater-[a-z]{8}", first.name)
    assert rater_for(study, rater) == first
    other = make_study("other")
    assert rater_for(other, rater).name != first.name
    assert AuditEntry.objects.filter(action="rater named", actor__person=rater).count() == 2


def test_another_name_is_drawn_if_one_is_taken(study, make_study, rater, monkeypatch):
    Rater.objects.create(study=study, name="rater-aaaaaaaa")
    letters = iter("a" * 8 + "b" * 8)
    monkeypatch.setattr("annotation.members.pseudonyms.secrets.choice", lambda _: next(letters))
    assert rater_for(study, rater).name == "rater-bbbbbbbb"


def test_a_removed_member_loses_access_at_once_and_releases_their_tasks(client, study, owner, rater):
    first = next_assignment(study, rater_for(study, rater))
    submit(first, Submission({"q-follows": ["true"], "q-how_well": ["4"]}, revision=0, guidelines_version=1))
    second = next_assignment(study, rater_for(study, rater))
    client.force_login(rater)
    assert client.get(f"/work/{second.key}/").status_code == 200
    deactivate_member(member(study, rater), owner)
    assert client.get(f"/work/{second.key}/").status_code == 404
    assert client.get("/studies/study/guidelines/").status_code == 404
    assert not Slot.objects.filter(state="held").exists()
    assert Slot.objects.filter(state="filled").count() == Annotation.objects.count() == 1
    entry = AuditEntry.objects.get(action="member removed")
    assert (entry.actor.person, entry.about.person, entry.old) == (owner, rater, {"role": "annotator"})


def test_a_member_with_a_lower_role_loses_the_pages_of_the_old_one(client, study, owner, stranger):
    membership = add_member(study, stranger, "researcher", owner)
    client.force_login(stranger)
    assert client.get("/studies/study/").status_code == 200
    client.force_login(owner)
    assert client.post(url(membership, "role"), {"role": "annotator"}).status_code == 302
    client.force_login(stranger)
    assert client.get("/studies/study/").status_code == 404
    entry = AuditEntry.objects.get(action="role changed")
    assert (entry.old, entry.new, entry.actor.person) == ({"role": "researcher"}, {"role": "annotator"}, owner)


def test_a_study_keeps_an_owner(client, study, owner):
    own = member(study, owner)
    with pytest.raises(MembershipRefusedError):
        deactivate_member(own, owner)
    client.force_login(owner)
    for step, form in (("remove", {}), ("role", {"role": "annotator"})):
        page = client.post(url(own, step), form, follow=True)
        assert "only owner" in page.content.decode()
    own.refresh_from_db()
    assert (own.role, own.active) == ("owner", True)


def test_an_owner_who_leaves_is_sent_home(client, study, owner, stranger):
    add_member(study, stranger, "owner", owner)
    client.force_login(owner)
    assert client.post(url(member(study, owner), "role"), {"role": "annotator"})["Location"] == "/"


def test_a_removed_person_can_be_restored_in_their_role(client, study, owner, rater):
    deactivate_member(member(study, rater), owner)
    client.force_login(owner)
    client.post(url(member(study, rater), "restore"))
    assert (member(study, rater).active, member(study, rater).role) == (True, "annotator")
    assert AuditEntry.objects.filter(action="member restored", actor__person=owner).count() == 1


def test_removing_twice_is_recorded_once(study, owner, rater):
    deactivate_member(member(study, rater), owner)
    deactivate_member(member(study, rater), owner)
    assert AuditEntry.objects.filter(action="member removed").count() == 1


def test_adding_a_member_again_changes_nothing(study, owner, rater):
    assert add_member(study, rater, "owner", owner).role == "annotator"
    assert not AuditEntry.objects.filter(action="member added").exists()


def test_an_unknown_role_is_refused(client, study, owner, rater):
    client.force_login(owner)
    page = client.post(url(member(study, rater), "role"), {"role": "king"}, follow=True)
    assert "Choose one of the roles" in page.content.decode()
    assert member(study, rater).role == "annotator"


def test_a_membership_of_another_study_cannot_be_reached_through_mine(client, study, make_study, owner, stranger):
    other = add_member(make_study("other"), stranger, "annotator", None)
    client.force_login(owner)
    mine = client.post(f"/studies/study/people/{other.pk}/remove/")
    nobodys = client.post("/studies/study/people/999999999999999999999/remove/")
    assert (mine.status_code, nobodys.status_code) == (404, 404)
    other.refresh_from_db()
    assert other.active


def test_the_people_page_shows_names_and_pseudonyms_to_those_who_run_the_study(client, study, owner, rater):
    pseudonym = rater_for(study, rater).name
    client.force_login(owner)
    page = client.get("/studies/study/people/").content.decode()
    assert pseudonym in page
    assert "rater" in page
