"""The public link: a text that has to be read, one account per browser, a cap, and a switch."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Person
from annotation.models import Study
from parts.crowds.attention_texts import BUILT_IN, draw, is_followed
from parts.crowds.ending import end_overdue
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay
from tests.clock import at_time
from tests.parts.crowds.crowd_study import Guest, crowd_study, texts
from tests.parts.way_in.way_in_study import FITTING, SCREEN, Walk

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return crowd_study(owner, recruiter=None, link={"people": 2})


@pytest.fixture
def researcher(owner):
    client = Client()
    client.force_login(owner)
    return client


def test_who_follows_the_text_comes_in_with_a_random_name_and_without_an_id(study):
    guest, before = Guest(study), Person.objects.count()
    page = guest.client.get("/studies/study/join/")
    assert Person.objects.count() == before
    assert page.context["drawn"].shown in BUILT_IN
    assert guest.join().status_code == 302
    person = Person.objects.get(pk=guest.person)
    assert person.username.startswith("guest-")
    assert not person.has_usable_password()
    assert (guest.stay.source, CrowdId.objects.count()) == ("public", 0)
    guest.work()
    guest.finish()
    assert guest.stay.outcome == "complete"
    page = texts(guest.outcome())
    assert "All done. Thank you." in page
    assert "code" not in page


def test_guests_are_offered_nothing_that_needs_a_password(study, researcher):
    guest = Guest(study)
    guest.join()
    mine, theirs = guest.client.get("/").content.decode(), researcher.get("/").content.decode()
    for offered in ("/my-settings/tokens/", "/password/"):
        assert offered not in mine
        assert offered in theirs
    assert "/my-data/" in mine


def test_a_wrong_answer_draws_again_and_three_are_too_many(study):
    guest = Guest(study)
    for _ in range(3):
        page = guest.join(answer="boats")
        assert page.status_code == 422
        assert "not what the text asks for" in texts(page)
        assert page.context["drawn"]
    assert guest.join().status_code == 429
    assert CrowdStay.objects.count() == 0
    assert Guest(study).join().status_code == 302


def test_wrong_answers_of_many_browsers_at_one_address_are_limited(study, monkeypatch):
    monkeypatch.setattr("parts.crowds.entry_limits.ADDRESS_ANSWERS", 2)
    assert [Guest(study).join(answer="boats").status_code for _ in range(3)] == [422, 422, 429]


def test_every_built_in_text_has_its_answer_in_it_and_names_no_choice_as_right_by_its_question():
    for one in BUILT_IN:
        assert one.answer in one.text
        assert one.answer in one.choices
        assert len(set(one.choices)) == len(one.choices) >= 5


def test_an_answer_fits_only_the_text_and_the_study_it_was_drawn_for(study):
    drawn = draw(study, BUILT_IN, "mine")
    assert is_followed(study, BUILT_IN, drawn.token, drawn.shown.answer, "mine")
    assert not is_followed(study, BUILT_IN, drawn.token, drawn.shown.answer, "theirs")
    for one in BUILT_IN:
        assert is_followed(study, BUILT_IN, drawn.token, one.answer, "mine") == (one == drawn.shown)
    assert not is_followed(Study(pk=study.pk + 1), BUILT_IN, drawn.token, drawn.shown.answer, "mine")
    assert not is_followed(study, BUILT_IN, drawn.token[:-1], drawn.shown.answer, "mine")
    assert not is_followed(study, BUILT_IN[:0], drawn.token, drawn.shown.answer, "mine")


def test_the_solution_of_one_browser_lets_no_other_in(study):
    one, other = Guest(study), Guest(study)
    drawn = one.client.get("/studies/study/join/").context["drawn"]
    solution = {"drawn": drawn.token, "answer": drawn.shown.answer}
    other.client.get("/studies/study/join/")
    assert other.client.post("/studies/study/join/", solution).status_code == 422
    assert not CrowdStay.objects.exists()
    assert one.client.post("/studies/study/join/", solution).status_code == 302


def test_places_on_which_nobody_works_become_free_and_others_stay(study):
    Study.objects.update(recruiting={"public_link": {"people": 2, "minutes": 30}})
    idle, busy, third = Guest(study), Guest(study), Guest(study)
    with at_time(timezone.now() - timedelta(minutes=40)):
        idle.join()
        busy.join()
        idle.work(0)
    busy.work(1)
    assert third.client.get("/studies/study/join/").status_code == 422
    assert end_overdue() == 1
    assert (idle.stay.outcome, busy.stay.outcome) == ("timed_out", "")
    assert busy.stay.due_at > timezone.now() + timedelta(minutes=29)
    assert third.join().status_code == 302
    assert end_overdue() == 0
    CrowdStay.objects.filter(pk=busy.stay.pk).update(due_at=timezone.now() - timedelta(days=1))
    Study.objects.update(recruiting={"public_link": {"people": 2}})
    assert end_overdue() == 0
    assert busy.stay.due_at is None  # the limit was taken away


def test_a_study_draws_from_its_own_texts(study):
    own = {"text": "Take b.", "question": "Which?", "choices": ["a", "b", "c"], "answer": "b"}
    Study.objects.update(recruiting={"public_link": {"people": 2, "attention": [own]}})
    guest = Guest(study)
    assert "Take b." in texts(guest.client.get("/studies/study/join/"))
    assert guest.join("a").status_code == 422
    assert guest.join("b").status_code == 302


def test_a_browser_comes_back_to_its_account_without_a_text(study):
    guest = Guest(study)
    guest.join()
    person = guest.person
    del guest.client.cookies["sessionid"]
    page = guest.client.get("/studies/study/join/")
    assert "drawn" not in page.context
    assert guest.join().status_code == 302
    assert guest.person == person
    assert (CrowdStay.objects.count(), CrowdBrowser.objects.count()) == (1, 1)


def test_leaving_is_no_way_to_try_a_failed_screen_again(owner):
    study = crowd_study(owner, recruiter=None, link={"people": 5}, steps=[SCREEN])
    guest = Guest(study)
    guest.join()
    Walk(guest.client, study).post("screen", **{**FITTING, "reply-native": "no"})
    assert guest.stay.outcome == "screened_out"
    left = guest.client.post(f"{guest.base}leave/")
    assert left.status_code == 200
    assert not CrowdBrowser.objects.exists()
    before = Person.objects.count()
    page = guest.client.get(f"{guest.base}join/")
    assert (page.status_code, "cannot join this study any more" in texts(page)) == (422, True)
    drawn = draw(study, BUILT_IN, guest.client.cookies["interrater_browser"].value)
    page = guest.client.post(f"{guest.base}join/", {"drawn": drawn.token, "answer": drawn.shown.answer})
    assert page.status_code == 422
    assert Person.objects.count() == before
    assert Guest(study).join().status_code == 302  # others come in


def test_a_browser_without_cookies_is_told(study):
    page = Client().post("/studies/study/join/", {"answer": "lantern"})
    assert page.status_code == 422
    assert "Allow cookies" in texts(page)


def test_the_cap_counts_people_who_are_in_and_those_who_completed(study):
    first, second, third = Guest(study), Guest(study), Guest(study)
    assert (first.join().status_code, second.join().status_code) == (302, 302)
    page = third.client.get("/studies/study/join/")
    assert (page.status_code, "All places are taken" in texts(page)) == (422, True)
    second.client.post("/studies/study/leave/")
    assert third.join().status_code == 302


def test_a_researcher_closes_the_link_and_changes_its_cap(study, researcher):
    guest = Guest(study)
    guest.join()
    form = {"people": "1", "intro": "Rate two texts."}
    assert researcher.post("/studies/study/entry-links/", form)["Location"] == "/studies/study/entry-links/"
    assert Study.objects.get().recruiting == {"public_link": {"people": 1, "open": False, "intro": "Rate two texts."}}
    page = Guest(study).client.get("/studies/study/join/")
    assert (page.status_code, "not open now" in texts(page)) == (422, True)
    del guest.client.cookies["sessionid"]
    assert guest.join().status_code == 302  # who is in may continue
    researcher.post("/studies/study/entry-links/", {"people": "2", "is_open": "on", "intro": ""})
    assert Study.objects.get().recruiting == {"public_link": {"people": 2, "open": True}}
    assert Guest(study).join().status_code == 302
    page = texts(researcher.get("/studies/study/entry-links/"))
    assert "2 of 2 places taken" in page
    assert "/studies/study/join/" in page
    changed = AuditEntry.objects.filter(action="public link changed").order_by("pk")
    assert [entry.new["public_link"]["people"] for entry in changed] == [1, 2]


@pytest.mark.parametrize("people", ["", "-1", "1000001", "many"])
def test_a_cap_that_is_none_changes_nothing(study, researcher, people):
    assert researcher.post("/studies/study/entry-links/", {"people": people, "is_open": "on"}).status_code == 422
    assert Study.objects.get().recruiting == {"public_link": {"people": 2}}


def test_a_study_without_a_link_gets_one_on_the_page(owner, researcher):
    crowd_study(owner, recruiter=None, link=None)
    assert "has no public link" in texts(researcher.get("/studies/study/entry-links/"))
    researcher.post("/studies/study/entry-links/", {"people": "7", "is_open": "on"})
    assert Study.objects.get().recruiting == {"public_link": {"people": 7, "open": True}}


def test_annotators_do_not_reach_the_page(study):
    guest = Guest(study)
    guest.join()
    for page in ("entry-links/", "submissions/", "submissions/approve.csv"):
        assert guest.client.get(f"/studies/study/{page}").status_code == 404
    assert guest.client.post("/studies/study/entry-links/", {"people": "9"}).status_code == 404
