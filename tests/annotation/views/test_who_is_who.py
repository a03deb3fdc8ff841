"""Pages with figures and answers call annotators by random names; who they are is apart, after an audited press."""

import pytest
from django.utils import timezone

from accounts.models import AuditEntry
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.membership import add_member, rater_for
from parts.crowds.models import CrowdId, CrowdStay
from parts.mail.models import MailAddress
from parts.rater_messages.sending_messages import write_to_researchers
from tests.conftest import make_person
from tests.parts.crowds.crowd_study import crowd_study

WHO = ("Ann Fullname", "ann-user-name", "ann@mail.example", "ann@new.example", "CANARY-PARTICIPANT")
PAGES = ("", "people/", "progress/", "funnel/", "rater-checks/", "messages/", "submissions/", "items/", "routing/",
         "background/", "invitations/", "comments/", "disagreement/", "who-is-who/")  # fmt: skip


@pytest.fixture
def worked(owner, db):
    """A study in which Ann has answered a task and written a message, and Ben has done nothing yet."""
    study = crowd_study(owner)
    ann = make_person("ann-user-name", full_name="Ann Fullname", email="ann@mail.example")
    ben = make_person("ben-user-name", full_name="Ben Fullname")
    for person in (ann, ben):
        add_member(study, person, "annotator", owner)
    rater = rater_for(study, ann)
    task = next_assignment(study, rater)
    submit(task, Submission({"q-follows": ["true"], "q-how_well": ["5"]}, revision=0, guidelines_version=1))
    write_to_researchers(rater, task.task, "A question.")
    CrowdStay.objects.create(study=study, rater=rater, source="recruiter", entered_at=timezone.now())
    CrowdId.objects.create(study=study, person=ann, participant="CANARY-PARTICIPANT")
    MailAddress.objects.create(person=ann, pending="ann@new.example")
    return study, rater, task.task.item


def test_no_page_with_figures_or_answers_names_an_annotator(worked, client, owner):
    study, rater, item = worked
    client.force_login(owner)
    named, seen = [], []
    for page in (*PAGES, f"items/{item.pk}/", f"raters/{rater.pk}/messages/", f"raters/{rater.pk}/pause/"):
        response = client.get(f"/studies/{study.slug}/{page}")
        if response.status_code == 200:
            text = response.content.decode()
            seen += [page] if rater.name in text else []
            named += [(page, who) for who in (*WHO, "Ben Fullname", "ben-user-name") if who in text]
    assert named == []
    assert {"", "people/", "progress/", "funnel/", "submissions/", f"items/{item.pk}/"} <= set(seen)


def test_names_are_shown_after_a_press_and_the_audit_says_who_pressed(worked, client, owner):
    study, rater, _ = worked
    client.force_login(owner)
    assert not AuditEntry.objects.filter(action="who is who shown").exists()
    text = client.post(f"/studies/{study.slug}/who-is-who/").content.decode()
    for who in (rater.name, "Ann Fullname", "ann-user-name", "ann@mail.example", "CANARY-PARTICIPANT", "Ben Fullname"):
        assert who in text
    assert AuditEntry.objects.get(action="who is who shown").actor.person == owner


def test_the_order_of_people_does_not_follow_their_names(owner, client, make_study):
    study = make_study("study")
    add_member(study, owner, "owner", None)
    people = [make_person(f"person-{letter}") for letter in "abcdefgh"]
    raters = [rater_for(study, add_member(study, person, "annotator", owner).person).name for person in people]
    client.force_login(owner)
    text = client.get("/studies/study/people/").content.decode()
    assert sorted(raters, key=text.index) == sorted(raters)
