"""Entering from Prolific: one account per participant, which the same link opens again, and nobody else's."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Person
from annotation.models import Membership, Rater, Slot, Study
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay
from tests.conftest import make_person
from tests.parts.crowds.crowd_study import Guest, answers_of, crowd_study, held_by, prolific_ids, texts
from tests.parts.way_in.way_in_study import CONSENT

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


@pytest.fixture
def study(owner):
    return crowd_study(owner)


def test_opening_the_link_changes_nothing_and_start_makes_an_account_without_a_password(study):
    guest, before = Guest(study), Person.objects.count()
    page = guest.open(prolific_ids())
    assert (page.status_code, Person.objects.count(), CrowdStay.objects.count()) == (200, before, 0)
    assert "Start" in texts(page)
    assert not guest.client.cookies.get("interrater_browser")
    guest.enter(prolific_ids())
    person = Person.objects.get(pk=guest.person)
    assert not person.has_usable_password()
    assert (person.is_staff, person.is_superuser) == (False, False)
    assert list(Membership.objects.filter(person=person).values_list("study", "role")) == [(study.pk, "annotator")]
    known = CrowdId.objects.get(person=person)
    assert (known.participant, known.recruiter_study, known.session) == ("pid1", "study1", "session1")
    assert "pid1" not in person.username + guest.stay.rater.name


def test_a_participant_walks_through_tasks_to_the_code_and_the_way_back(study):
    guest = Guest(study)
    assert guest.enter(prolific_ids())["Location"] == "/studies/study/begin/"
    assert guest.finish()["Location"] == "/"
    assert guest.stay.outcome == ""
    assert guest.work()["Location"] == "/studies/study/end/"
    assert "Finish and get my code" in texts(guest.client.get("/studies/study/end/"))
    assert guest.finish()["Location"] == "/studies/study/outcome/"
    page = guest.outcome()
    assert "CDONE1" in texts(page)
    assert 'href="https://app.prolific.com/submissions/complete?cc=CDONE1"' in page.content.decode()
    assert (guest.stay.outcome, answers_of(guest.stay.rater_id)) == ("complete", 2)
    assert "Show my code" in texts(guest.client.get("/"))


def test_the_same_link_leads_back_to_the_same_account_from_another_browser(study):
    first, second = Guest(study), Guest(study)
    first.enter(prolific_ids())
    second.enter(prolific_ids())
    assert first.person == second.person
    assert CrowdStay.objects.count() == 1
    assert CrowdBrowser.objects.filter(person=first.person).count() == 2


def test_a_finished_participant_comes_back_to_the_code_and_gets_no_tasks(study):
    guest = Guest(study)
    guest.enter(prolific_ids())
    guest.work()
    guest.finish()
    again = Guest(study)
    assert again.enter(prolific_ids())["Location"] == "/studies/study/outcome/"
    Slot.objects.filter(study=study, state="filled").update(state="open", holder=None)
    assert again.client.post("/studies/study/next/")["Location"] == "/studies/study/end/"
    assert held_by(guest.stay.rater_id) == 0


def test_a_participant_with_another_submission_is_refused_and_researchers_see_it(study):
    first, second = Guest(study), Guest(study)
    first.enter(prolific_ids())
    page = second.enter(prolific_ids(SESSION_ID="another"))
    assert page.status_code == 422
    assert "_auth_user_id" not in second.client.session
    assert "Each person can join once" in texts(page)
    assert CrowdId.objects.get().repeats == 1


@pytest.mark.parametrize(
    "changes",
    [{"PROLIFIC_PID": ""}, {"PROLIFIC_PID": "=cmd"}, {"PROLIFIC_PID": "x" * 101}, {"SESSION_ID": ""},
     {"STUDY_ID": "a\nb"}, {"PROLIFIC_PID": "\u202epid"}, {"PROLIFIC_PID": "a\x00b"}],
)  # fmt: skip
def test_ids_that_no_recruiter_gives_are_refused(study, changes):
    guest = Guest(study)
    assert guest.open(prolific_ids(**changes)).status_code == 422
    assert guest.enter(prolific_ids(**changes)).status_code == 422
    assert CrowdStay.objects.count() == 0


def test_only_the_named_studies_of_the_recruiter_lead_in(study):
    study.recruiting["recruiter"] = {**study.recruiting["recruiter"], "study_ids": ["another"]}
    study.save(update_fields=["recruiting"])
    assert Guest(study).enter(prolific_ids()).status_code == 422
    assert CrowdStay.objects.count() == 0


@pytest.mark.parametrize("is_operator", [True, False])
def test_somebody_who_is_signed_in_is_told_and_neither_signed_out_nor_counted(study, owner, is_operator):
    if is_operator:
        Person.objects.filter(pk=owner.pk).update(is_superuser=True)
    client = Client()
    client.force_login(owner)
    guest = Guest(study, client)
    for page in (guest.open(prolific_ids()), guest.enter(prolific_ids())):
        assert "You are signed in as" in texts(page)
    assert guest.person == owner.pk
    assert CrowdStay.objects.count() == 0


def test_entry_never_opens_an_account_of_another_kind(study):
    guest = Guest(study)
    guest.enter(prolific_ids())
    person = guest.person
    for change in ({"is_staff": True}, {"is_superuser": True}, {"is_active": False}, {"password": "md5$a$b"}):
        unchanged = Person.objects.filter(pk=person).values(*change).get()
        Person.objects.filter(pk=person).update(**change)
        other = Guest(study)
        assert other.enter(prolific_ids()).status_code == 422, change
        assert "_auth_user_id" not in other.client.session
        Person.objects.filter(pk=person).update(**unchanged)
    Membership.objects.filter(person=person).update(role="researcher")
    assert Guest(study).enter(prolific_ids()).status_code == 422
    Membership.objects.filter(person=person).update(role="annotator", active=False)
    assert Guest(study).enter(prolific_ids()).status_code == 422


@pytest.mark.thorough
def test_the_same_participant_has_another_account_in_another_study(study, owner):
    other = crowd_study(owner, slug="other")
    guest, there = Guest(study), Guest(other)
    guest.enter(prolific_ids())
    there.enter(prolific_ids())
    assert guest.person != there.person
    same_browser = Guest(other, guest.client)
    same_browser.enter(prolific_ids())
    assert same_browser.person == there.person


@pytest.mark.parametrize("status", ["paused", "closed"])
def test_nobody_enters_a_study_that_is_not_live(study, status):
    Study.objects.filter(pk=study.pk).update(status=status)
    guest = Guest(study)
    assert guest.open(prolific_ids()).status_code == guest.enter(prolific_ids()).status_code == 422
    assert CrowdStay.objects.count() == 0


def test_a_draft_a_dry_run_and_a_study_without_recruiter_tell_nothing(study):
    guest = Guest(study)
    Study.objects.filter(pk=study.pk).update(options={"dry_run": {"of": "study"}})
    assert guest.enter(prolific_ids()).status_code == 422
    Study.objects.filter(pk=study.pk).update(options={}, status="draft")
    assert guest.enter(prolific_ids()).status_code == 404
    Study.objects.filter(pk=study.pk).update(status="live", recruiting={})
    assert guest.open(prolific_ids()).status_code == guest.client.get("/studies/study/join/").status_code == 404


def test_steps_come_first_after_entry(owner):
    study = crowd_study(owner, steps=[CONSENT])
    guest = Guest(study)
    assert guest.enter(prolific_ids())["Location"] == "/studies/study/way-in/"
    assert "We ask you to rate texts." in texts(guest.client.get("/studies/study/way-in/"))


def test_the_same_browser_under_two_ids_is_shown_and_not_refused(study, owner):
    guest = Guest(study)
    guest.enter(prolific_ids(1))
    first = guest.stay.rater.name
    guest.enter(prolific_ids(2))
    second = guest.stay.rater.name
    assert first != second
    researcher = Client()
    researcher.force_login(owner)
    page = texts(researcher.get("/studies/study/submissions/?odd=1"))
    assert f"Same browser as {first}" in page
    assert f"Same browser as {second}" in page
    key = CrowdBrowser.objects.values_list("key", flat=True).first()
    cookie = guest.client.cookies["interrater_browser"]
    assert cookie.value not in key
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")


def test_many_entries_from_one_address_are_limited(study, monkeypatch):
    monkeypatch.setattr("parts.crowds.entry_limits.ENTRIES", 2)
    pages = [Guest(study).enter(prolific_ids(number)).status_code for number in range(4)]
    assert pages == [302, 302, 429, 429]
    assert CrowdStay.objects.count() == 2


def test_the_audit_names_no_participant(study):
    Guest(study).enter(prolific_ids())
    said = str(list(AuditEntry.objects.values("subject", "old", "new")))
    assert "pid1" not in said
    assert "session1" not in said


def test_strangers_have_no_outcome(study):
    client = Client()
    client.force_login(make_person("somebody"))
    assert client.get("/studies/study/outcome/").status_code == 404
    assert client.post("/studies/study/finish/").status_code == 404
    assert client.get("/studies/study/finish/").status_code == 405
    Study.objects.filter(pk=study.pk).update(status="closed", archived_at=timezone.now())
    assert client.post("/studies/study/finish/").status_code == 404


def test_raters_of_entries_wait_for_the_steps(owner):
    study = crowd_study(owner, steps=[CONSENT])
    Guest(study).enter(prolific_ids())
    assert not Rater.objects.get(crowd_stay__isnull=False).admitted
