"""Threads between a rater and the researchers: blind both ways, with receipts, notes and limits."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEntry, Person
from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.data_download import own_data
from annotation.members.membership import add_member, deactivate_member, rater_for
from annotation.models import Annotation, Assignment, Membership, SpotCheck, Study
from annotation.review.spot_checks import check
from parts.crowds.models import CrowdId
from parts.rater_messages import sending_messages
from parts.rater_messages.models import MessageThread, RaterMessage
from tests.conftest import SYSTEMS, make_person

pytestmark = pytest.mark.quick
FORM = {"q-follows": ["true"], "q-how_well": ["4"]}


@pytest.fixture
def asked(study, rater):
    """The task that the rater has now, and the address of its thread."""
    assignment = next_assignment(study, rater_for(study, rater))
    return assignment, f"/studies/study/my-messages/{assignment.key}/"


@pytest.fixture
def desk(client, rater):
    client.force_login(rater)
    return client


@pytest.fixture
def office(owner):
    owner.full_name = "Olive Researcher"
    owner.save()
    client = Client()
    client.force_login(owner)
    return client


def page(client, address):
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


def test_a_question_is_answered_without_names_on_either_side(desk, office, study, rater, asked):
    assignment, address = asked
    Person.objects.filter(pk=rater.pk).update(username="QUIET-NAME")
    name = rater_for(study, rater).name
    assert f'href="{address}"' in page(desk, reverse("annotation:desk", args=[assignment.key]))
    assert desk.post(address, {"text": "Which <b>harbour</b>?"}).status_code == 302
    overview = page(office, "/studies/study/")
    assert "1 thread of messages waits for a reply" in overview
    inbox = page(office, "/studies/study/messages/")
    thread = f"/studies/study/messages/{assignment.rater_id}/{assignment.task_id}/"
    assert f'href="{thread}"' in inbox
    assert name in inbox
    assert "QUIET-NAME" not in inbox
    text = page(office, thread)
    assert "Which &lt;b&gt;harbour&lt;/b&gt;?" in text
    assert f'href="/studies/study/items/{assignment.task.item_id}/"' in text
    assert office.post(thread, {"text": "The northern one."}).status_code == 302
    assert MessageThread.objects.get().waiting_since is None
    assert "1 new message</a> from the researchers" in page(desk, "/")
    shown = page(desk, address)
    assert "The northern one." in shown
    assert "The researchers" in shown
    assert "Opened " in shown
    assert not any(one in shown for one in ("Olive", "owner", *SYSTEMS))
    assert "new message" not in page(desk, "/")
    assert "Opened " in page(office, thread)


def test_a_thread_has_the_notes_of_its_task_without_copies_of_them(desk, office, study, rater, owner, asked):
    assignment, address = asked
    answer = submit(assignment, Submission(form=FORM, revision=0, guidelines_version=1))
    check(answer, "problem", "Look at the time again.", owner, number=0)
    assert "Look at the time again." in page(desk, address)
    assert SpotCheck.objects.get().seen_at is None  # it is read when the rater says so, as on the page of notes
    listed = page(desk, "/studies/study/my-messages/")
    assert address in listed
    assert "1 new" in listed
    desk.post(reverse("annotation:notes", args=["study"]), {"note": SpotCheck.objects.get().pk})
    seen = page(office, f"/studies/study/messages/{assignment.rater_id}/{assignment.task_id}/")
    assert "Note on the answer: Problem" in seen
    assert not RaterMessage.objects.exists()


def test_only_the_rater_and_the_people_who_run_the_study_open_a_thread(desk, office, study, rater, stranger, asked):
    assignment, address = asked
    other = make_person("other")
    add_member(study, other, "annotator", None)
    for person in (other, stranger):
        client = Client()
        client.force_login(person)
        assert client.get(address).status_code == 404
        assert client.get(f"/studies/study/messages/{assignment.rater_id}/").status_code == 404
    assert desk.get(f"/studies/study/my-messages/{uuid4()}/").status_code == 404
    assert desk.get(f"/studies/other/my-messages/{assignment.key}/").status_code == 404
    theirs = rater_for(study, other)
    assert office.get(f"/studies/study/messages/{theirs.pk}/{assignment.task_id}/").status_code == 404
    deactivate_member(Membership.objects.get(person=rater), None)
    assert desk.get(address).status_code == 404


def test_messages_have_limits_on_length_characters_and_rate(desk, study, asked, monkeypatch):
    _, address = asked
    for text in ("", "  \n ", "x" * 4001, "nul \0"):
        response = desk.post(address, {"text": text})
        assert response.status_code == 422
    assert not RaterMessage.objects.exists()
    monkeypatch.setattr(sending_messages, "MOST_OF_RATER", 2)
    for _ in range(2):
        assert desk.post(address, {"text": "x" * 4000}).status_code == 302
    refused = desk.post(address, {"text": "Once more."})
    assert refused.status_code == 422
    assert "No more than 2 messages" in refused.content.decode()
    assert "Once more." in refused.content.decode()
    assert RaterMessage.objects.count() == 2


@pytest.mark.parametrize("words", ["Ask ann fullname.", "I am user-of-ann", "Write to ANN@mail.example!", "pid-77"])
def test_raters_are_asked_once_before_their_own_name_is_sent(desk, study, rater, asked, words):
    Person.objects.filter(pk=rater.pk).update(
        username="user-of-ann", full_name="Ann Fullname", email="ann@mail.example"
    )
    CrowdId.objects.create(study=study, person=rater, participant="pid-77")
    response = desk.post(asked[1], {"text": words})
    assert response.status_code == 422
    assert "Researchers do not know whose messages they read" in response.content.decode()
    assert words.split()[0] in response.content.decode()
    assert not RaterMessage.objects.exists()
    mark = response.context["mark"]
    assert desk.post(asked[1], {"text": f"{words} More.", "asked": mark}).status_code == 422
    assert desk.post(asked[1], {"text": words, "asked": mark}).status_code == 302
    assert RaterMessage.objects.get().text == words
    assert desk.post(asked[1], {"text": "Anna and username are no names of mine."}).status_code == 302


def test_researchers_are_asked_once_before_they_name_a_system_or_another_rater(office, study, rater):
    address = reverse("rater_messages:rater_thread", args=["study", rater_for(study, rater).pk])
    other = rater_for(study, add_member(study, make_person("other"), "annotator", None).person).name
    for words in (f"The output of {SYSTEMS[0].upper()}.", f"As {other} said."):
        response = office.post(address, {"text": words})
        assert response.status_code == 422
        assert "Raters do not know the names" in response.content.decode()
        assert office.post(address, {"text": words, "asked": response.context["mark"]}).status_code == 302
        assert RaterMessage.objects.latest("pk").text == words
    assert office.post(address, {"text": f"{rater_for(study, rater).name}: the second output."}).status_code == 302


def test_the_question_confirms_no_guess_of_a_systems_name_in_a_blinded_study(office, study, rater):
    Study.objects.filter(pk=study.pk).update(options={**study.options, "blind_researchers": True})
    address = reverse("rater_messages:rater_thread", args=["study", rater_for(study, rater).pk])
    assert office.post(address, {"text": f"Is it {SYSTEMS[0]}?"}).status_code == 302


def test_a_thread_is_done_without_a_reply_and_comes_back(desk, office, study, asked):
    assignment, address = asked
    desk.post(address, {"text": "Thanks."})
    done = f"/studies/study/messages/{assignment.rater_id}/done/"
    assert office.post(done, {"task": assignment.task_id}).status_code == 302
    assert "No message waits" in page(office, "/studies/study/messages/")
    assert address.split("/")[-2] not in page(office, "/studies/study/messages/?show=all")
    assert assignment.rater.name in page(office, "/studies/study/messages/?show=all")
    for query in (
        "show=unread",
        f"show=all&rater={assignment.rater.name}",
        f"show=all&item={assignment.task.item.key}",
    ):
        assert "Thanks." in page(office, f"/studies/study/messages/?{query}"), query
    assert "Nothing found" in page(office, "/studies/study/messages/?show=all&item=no-such")
    desk.post(address, {"text": "One more thing."})
    assert "One more thing." in page(office, "/studies/study/messages/")


def test_a_head_request_opens_nothing(desk, office, asked):
    assignment, address = asked
    desk.post(address, {"text": "Hello?"})
    office.head(f"/studies/study/messages/{assignment.rater_id}/{assignment.task_id}/")
    assert RaterMessage.objects.get().seen_at is None


def test_the_audit_has_no_words_of_messages_and_the_download_has_them(desk, study, rater, asked):
    desk.post(asked[1], {"text": "WORDS-OF-SOMEBODY"})
    entry = AuditEntry.objects.get(action="message to researchers")
    assert "WORDS" not in f"{entry.subject}{entry.old}{entry.new}"
    assert "WORDS-OF-SOMEBODY" in "".join(own_data(rater))


@pytest.mark.thorough
def test_the_lists_take_as_many_queries_for_many_threads(desk, office, study, rater):
    given = rater_for(study, rater)

    def queries(client, address):
        client.get(address)
        with CaptureQueriesContext(connection) as captured:
            page(client, address)
        return len(captured)

    found = []
    for _ in range(3):
        assignment = next_assignment(study, given)
        sending_messages.write_to_researchers(given, assignment.task, "Why?")
        submit(assignment, Submission(form=FORM, revision=0, guidelines_version=1))
        found.append(
            (
                queries(desk, "/studies/study/my-messages/"),
                queries(office, "/studies/study/messages/"),
                queries(desk, "/"),
            )
        )
    assert Annotation.objects.count() == Assignment.objects.count() == 3
    assert len(set(found)) == 1, found
