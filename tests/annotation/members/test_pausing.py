"""A researcher pauses a rater by a press: with a reason that the rater reads, and only a press ends it."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.members.standing import PauseRefusedError, end_exclusion, exclude, pause_rater, resume_rater
from annotation.models import Rater, RaterPause
from parts.checks.models import RaterNotice
from parts.checks.rules import answer_notice


@pytest.fixture
def given(study, rater):
    return rater_for(study, rater)


def is_paused(rater):
    return Rater.objects.get(pk=rater.pk).paused_at is not None


def test_a_paused_rater_gets_no_task_reads_why_and_can_write(client, study, rater, owner, given):
    office = Client()
    office.force_login(owner)
    address = f"/studies/study/raters/{given.pk}/pause/"
    assert office.post(address, {"reason": "  "}).status_code == 422
    assert office.post(address, {"reason": "Please read the guidelines again."}).status_code == 302
    assert next_assignment(study, Rater.objects.get(pk=given.pk)) is None
    entry = AuditEntry.objects.get(action="rater paused")
    assert (entry.actor.person, entry.about.person) == (owner, rater)
    assert ">Paused<" in office.get("/studies/study/people/").content.decode()
    client.force_login(rater)
    standing = client.get("/studies/study/my-standing/").content.decode()
    assert "Please read the guidelines again." in standing
    assert "owner" not in standing
    assert client.post("/studies/study/my-messages/study/", {"text": "I have."}).status_code == 302
    assert office.post(address, {"resume": "yes"}).status_code == 302
    assert next_assignment(study, Rater.objects.get(pk=given.pk)) is not None
    assert RaterPause.objects.get().ended_by == owner
    assert "Nothing is wrong" in client.get("/studies/study/my-standing/").content.decode()


def test_a_pause_outlives_an_exclusion_and_a_notice(owner, given):
    pause_rater(given, "Wait.", owner)
    with pytest.raises(PauseRefusedError):
        pause_rater(given, "Wait again.", owner)
    excluded = exclude(given, "All the same.", owner)
    with pytest.raises(PauseRefusedError, match="excluded"):
        resume_rater(given, owner)
    end_exclusion(excluded, "They differ.", owner)
    assert is_paused(given)
    notice = RaterNotice.objects.create(rater=given, rule={"figure": "gold"}, share=0.1, number=5, at=timezone.now())
    answer_notice(notice, "Looked.", owner, resume=True)
    assert is_paused(given)
    resume_rater(given, owner)
    assert not is_paused(given)
    with pytest.raises(PauseRefusedError, match="not paused"):
        resume_rater(given, owner)


def test_resume_ends_the_pause_of_a_rule(owner, given):
    Rater.objects.filter(pk=given.pk).update(paused_at=timezone.now())
    resume_rater(given, owner)
    assert not is_paused(given)
