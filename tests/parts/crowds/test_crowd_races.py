"""Entries, codes and caps at once: nothing is handed out twice."""

import threading
from datetime import timedelta
from http.cookies import SimpleCookie

import pytest
from django.db import connections
from django.utils import timezone

from accounts.models import Person
from annotation.models import Annotation, Assignment, Membership, Slot
from parts.crowds.browser_mark import new_mark
from parts.crowds.ending import end_overdue, settle
from parts.crowds.entering import EntryRefusedError, enter_by_public_link, enter_by_recruiter
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay
from tests.parts.crowds.crowd_study import GENERIC, Guest, crowd_study
from tests.parts.way_in.way_in_study import RIGHT

AT_ONCE = 8


def at_once(steps):
    """Take all steps at the same time, each in a thread; return what each returned or raised."""
    start, found = threading.Barrier(len(steps)), [None] * len(steps)

    def take(place, step):
        start.wait(timeout=60)
        try:
            found[place] = step()
        except EntryRefusedError as refused:
            found[place] = refused
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take, args=one) for one in enumerate(steps)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(timeout=60)
    assert not any(one.is_alive() for one in threads)
    return found


@pytest.fixture
def study(transactional_db, owner):
    return crowd_study(owner, recruiter=GENERIC, link={"people": 3})


def test_one_participant_at_once_gets_one_account(study):
    ids, now, before = {"participant": "p1", "session": "s1"}, timezone.now(), Person.objects.count()
    found = at_once([lambda: enter_by_recruiter(study, ids, new_mark(), now)] * AT_ONCE)
    assert len({person.pk for person in found}) == 1
    assert Person.objects.count() == before + 1
    assert CrowdId.objects.count() == CrowdStay.objects.count() == 1
    assert Membership.objects.filter(person=found[0]).count() == 1
    assert CrowdBrowser.objects.count() == AT_ONCE


def test_participants_at_once_each_get_an_account_of_their_own(study):
    now = timezone.now()
    found = at_once(
        [lambda one=one: enter_by_recruiter(study, {"participant": f"p{one}"}, new_mark(), now)
         for one in range(AT_ONCE)]
    )  # fmt: skip
    assert len({person.pk for person in found}) == AT_ONCE


def test_the_cap_of_the_public_link_holds(study):
    now = timezone.now()
    found = at_once([lambda: enter_by_public_link(study, new_mark(), now)] * AT_ONCE)
    refused = [str(one) for one in found if isinstance(one, EntryRefusedError)]
    assert len(refused) == AT_ONCE - 3
    assert set(refused) == {"All places are taken. Thank you for your interest."}
    assert CrowdStay.objects.filter(source="public").count() == 3


def test_one_browser_at_once_takes_one_place(study):
    mark, now = new_mark(), timezone.now()
    found = at_once([lambda: enter_by_public_link(study, mark, now)] * AT_ONCE)
    assert len({person.pk for person in found}) == 1
    assert CrowdStay.objects.count() == 1


def test_one_person_who_finishes_at_once_gets_one_code(study):
    guest = Guest(study)
    guest.client.post("/studies/study/enter/", {"pid": "p1", "sub": "s1"})
    guest.work()
    person = Person.objects.get(pk=guest.person)
    found = at_once([lambda: settle(study, person).code] * AT_ONCE)
    assert len(set(found)) == 1
    assert found[0] == guest.stay.code != ""


def test_people_who_finish_at_once_get_codes_of_their_own_though_they_are_drawn_alike(study, monkeypatch):
    guests = [Guest(study) for _ in range(2)]
    for number, guest in enumerate(guests):
        guest.client.post("/studies/study/enter/", {"pid": f"p{number}", "sub": "s1"})
        guest.work()
    drawn, lock = iter(["SAME", "SAME", "SECOND", "THIRD"]), threading.Lock()

    def draw():
        with lock:
            return next(drawn)

    monkeypatch.setattr("parts.crowds.ending.new_code", draw)
    people = [Person.objects.get(pk=guest.person) for guest in guests]
    found = at_once([lambda one=one: settle(study, one).code for one in people])
    assert set(found) == {"SAME", "SECOND"}


def test_a_sweep_and_a_person_at_once_give_one_outcome(study):
    guest = Guest(study)
    guest.client.post("/studies/study/enter/", {"pid": "p1", "sub": "s1"})
    guest.work()
    CrowdStay.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    person = Person.objects.get(pk=guest.person)
    found = at_once([end_overdue, lambda: settle(study, person).code, end_overdue])
    assert found[0] + found[2] <= 1
    assert guest.stay.outcome == "complete"
    assert found[1] == guest.stay.code


def test_leaving_beside_answers_and_entries_leaves_nothing_and_lets_nobody_in_again(study):
    ids = {"pid": "p1", "sub": "s1"}
    guest = Guest(study)
    guest.client.post("/studies/study/enter/", ids)
    guest.client.post("/studies/study/begin/", {"version": 1})
    task = guest.client.post("/studies/study/next/")["Location"]
    tabs = [Guest(study) for _ in range(3)]
    for tab in tabs:
        tab.client.cookies = SimpleCookie(guest.client.cookies)
    found = at_once([
        lambda: guest.client.post("/studies/study/leave/").status_code,
        lambda: tabs[0].client.post(f"{task}submit/", {**RIGHT, "revision": "0"}).status_code,
        lambda: tabs[1].client.post("/studies/study/finish/").status_code,
        lambda: Guest(study).client.post("/studies/study/enter/", ids).status_code,
        lambda: tabs[2].client.post(f"{task}draft/", RIGHT).status_code,
    ])  # fmt: skip
    assert found[0] == 200
    assert all(status is not None and status < 500 for status in found), found
    for model in (CrowdStay, CrowdId, Annotation, Assignment):
        assert not model.objects.exists(), (model, found)
    assert not Slot.objects.exclude(state="open").exists()
    assert Guest(study).client.post("/studies/study/enter/", ids).status_code == 422
