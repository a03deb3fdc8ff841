"""A pause is a wait: it ends no stay, hands out no code, and a researcher's decision says how it goes on."""

from datetime import timedelta

import pytest
from django.db.models import F
from django.utils import timezone

from annotation.members.standing import exclude, pause_rater, resume_rater
from annotation.models import Rater, Slot
from parts.checks.models import RaterNotice
from parts.checks.rules import _write, answer_notice
from parts.crowds.ending import end_overdue
from parts.crowds.entering import places_taken
from parts.crowds.models import CrowdStay
from tests.parts.crowds.crowd_study import LINK, Guest, crowd_study, prolific_ids, texts

WAITS, OVER = "A researcher is looking at this pause", "give you no more tasks in this study"
RULE = {"figure": "gold", "below": 0.5, "of": 5, "do": "pause"}


@pytest.fixture
def study(owner):
    return crowd_study(owner, link=LINK)


@pytest.fixture
def guest(study):
    """Somebody whom a rule has paused after their first answer."""
    guest = Guest(study)
    guest.enter(prolific_ids())
    guest.work(1)
    pause_by_rule(guest)
    page = guest.client.post("/studies/study/next/")["Location"]  # what they hold, they may finish
    assert guest.client.get(page).status_code == 200
    let_go()
    return guest


def rater_of(guest):
    return Rater.objects.select_related("study", "person").get(person=guest.person)


def let_go():
    Slot.objects.filter(state="held").update(state="open", holder=None, lease_until=None)


def pause_by_rule(guest):
    _write(rater_of(guest), RaterNotice(rater=rater_of(guest), rule=RULE, share=0.2, number=5, paused=True))
    return RaterNotice.objects.get(answered_at=None)


def overdue(guest, minutes):
    """Move the guest's stay and pause into the past."""
    CrowdStay.objects.filter(pk=guest.stay.pk).update(due_at=F("due_at") - timedelta(minutes=minutes))


def test_a_pause_by_a_rule_ends_nothing_and_says_what_comes_next(guest):
    for address in ("/", "/studies/study/my-standing/"):
        page = guest.client.get(address)
        assert WAITS in texts(page), address
        assert "do not return your submission yet" in texts(page)
        assert "finish/" not in page.content.decode()
    guest.finish()
    overdue(guest, 120)
    assert end_overdue() == 0
    assert (guest.stay.outcome, guest.stay.code) == ("", "")
    assert guest.outcome()["Location"] == "/"
    Rater.objects.update(paused_at=timezone.now() - timedelta(hours=3))
    left = guest.stay.due_at
    answer_notice(RaterNotice.objects.get(), "It was the text.", None, resume=True)
    assert guest.stay.due_at >= left + timedelta(hours=3)
    assert end_overdue() == 0
    assert WAITS not in texts(guest.client.get("/"))
    guest.work(1)
    guest.finish()
    assert guest.stay.outcome == "complete"


def test_who_gets_no_tasks_after_the_decision_is_told_and_gets_the_code_for_it(guest):
    answer_notice(RaterNotice.objects.get(), "Too hasty.", None, resume=False)
    standing = guest.client.get("/studies/study/my-standing/")
    assert OVER in texts(standing)
    assert WAITS not in texts(standing)
    assert "finish/" in standing.content.decode()
    guest.finish()
    assert (guest.stay.outcome, guest.stay.code) == ("failed", "CFAIL1")


def test_a_researchers_pause_waits_too_and_an_exclusion_ends_it(study, owner):
    guest = Guest(study)
    guest.join()
    guest.work(1)
    pause_rater(rater_of(guest), "Please wait.", owner)
    guest.finish()
    assert guest.stay.outcome == ""
    assert places_taken(study) == 1
    resume_rater(rater_of(guest), owner)
    pause_by_rule(guest)
    exclude(rater_of(guest), "A program.", owner)
    let_go()
    guest.finish()
    assert guest.stay.outcome == "failed"
    assert places_taken(study) == 0
