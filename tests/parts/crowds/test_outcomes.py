"""How stays end: by each outcome with its code and way back, by themselves when time is over, and once."""

import random
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Person
from annotation.members.standing import end_exclusion, exclude
from annotation.models import Annotation, PendingImport, Rater, Slot, Study
from config.background.kinds import sweeps
from parts.crowds.ending import AT_ONCE, CODE_LETTERS, LETTERS, end_overdue, end_stay, new_code
from parts.crowds.models import CrowdBrowser, CrowdId, CrowdStay
from parts.way_in.models import StepPassage
from tests.annotation.test_erasing import everything
from tests.parts.crowds.crowd_study import GENERIC, PROLIFIC, Guest, crowd_study, held_by, prolific_ids, texts
from tests.parts.way_in.way_in_study import CONSENT, FITTING, QUALIFICATION, RIGHT, SCREEN, WRONG, Walk

pytestmark = pytest.mark.django_db
HARD = {**QUALIFICATION, "attempts": 1}
PILOT = {"key": "pilot", "kind": "pilot", "items": 1, "pool": "qualification"}


def entered(study, number=1):
    guest = Guest(study)
    guest.enter(prolific_ids(number))
    return guest


def late(guest, **by):
    CrowdStay.objects.filter(rater__person=guest.person).update(due_at=timezone.now() - timedelta(**by))


def test_who_does_not_fit_gets_the_code_for_that_and_the_way_back_at_once(owner):
    guest = entered(crowd_study(owner, steps=[CONSENT, SCREEN]))
    walk = Walk(guest.client, guest.study)
    walk.consent()
    page = walk.post("screen", **{**FITTING, "reply-native": "no"})
    assert page["Location"] == "/studies/study/outcome/"
    shown = guest.outcome()
    assert "CSCREEN1" in texts(shown)
    assert "submissions/complete?cc=CSCREEN1" in shown.content.decode()
    assert guest.stay.outcome == "screened_out"


def skip_rest(guest):
    """Skip every task that is left; return the addresses of the skipped ones."""
    skipped = []
    while "/work/" in (address := guest.client.post(f"{guest.base}next/")["Location"]):
        assert guest.client.post(f"{address}skip/", {"reason": "Tired.", "revision": "0"}).status_code == 302
        skipped.append(address)
    return skipped


def test_one_answer_and_skips_are_not_complete_until_the_skipped_tasks_are_answered(owner):
    guest = entered(crowd_study(owner))
    guest.work(1)
    (address,) = skip_rest(guest)
    said = "You skipped 1 task that is still open to you. Once you have answered it, you get your code"
    for place in (f"{guest.base}end/", "/"):
        page = texts(guest.client.get(place))
        assert said in page, place
        assert "Finish and get my code" not in page, place
    assert guest.finish()["Location"] == f"{guest.base}my-answers/?show=skipped"
    assert (guest.stay.outcome, guest.stay.code) == ("", "")
    assert address in guest.client.get(f"{guest.base}my-answers/?show=skipped").content.decode()
    guest.client.post(f"{address}submit/", {**RIGHT, "revision": "1"})
    assert "Finish and get my code" in texts(guest.client.get(f"{guest.base}end/"))
    guest.finish()
    assert (guest.stay.outcome, guest.stay.code) == ("complete", "CDONE1")


def test_a_skipped_task_is_late_like_one_that_was_not_opened(owner):
    guest = entered(crowd_study(owner))
    guest.work(1)
    skip_rest(guest)
    late(guest, hours=1)
    end_overdue()
    assert (guest.stay.outcome, guest.stay.code) == ("timed_out", "CLATE1")


@pytest.mark.parametrize("way", ["taken", "least", "paused", "closed", "full"])
def test_a_skipped_task_that_is_not_owed_keeps_nobody(owner, way):
    study = crowd_study(owner, recruiter=PROLIFIC | ({"least": 1} if way == "least" else {}))
    if way == "full":
        study.options = {**study.options, "plan": {"most": 1}}
        study.save()
    guest = entered(study)
    if way == "full":  # they skip the first and answer the second
        guest.client.post(f"{guest.base}begin/", {"version": 1})
        address = guest.client.post(f"{guest.base}next/")["Location"]
        guest.client.post(f"{address}skip/", {"reason": "Odd.", "revision": "0"})
        guest.work(1)
    else:
        guest.work(1)
        skip_rest(guest)
    if way == "taken":
        for number in (2, 3):
            entered(study, number).work(2 if number == 2 else 1)
        assert not Slot.objects.filter(study=study, state="open").exists()
    if way in ("paused", "closed"):
        Study.objects.filter(pk=study.pk).update(status=way)
    guest.finish()
    assert (guest.stay.outcome, guest.stay.code) == ("complete", "CDONE1")


def test_who_fits_goes_on(owner):
    guest = entered(crowd_study(owner, steps=[CONSENT, SCREEN]))
    walk = Walk(guest.client, guest.study)
    walk.consent()
    walk.post("screen", **FITTING)
    assert guest.stay.outcome == ""
    assert guest.outcome()["Location"] == "/"


def test_who_fails_the_qualification_gets_the_code_for_that(owner):
    guest = entered(crowd_study(owner, steps=[HARD]))
    assert Walk(guest.client, guest.study).attempt("test", WRONG, WRONG) == "failed"
    assert guest.stay.outcome == "failed"
    assert "CFAIL1" in texts(guest.outcome())
    home = texts(guest.client.get("/"))
    assert "You cannot continue in this study. Thank you for your time." in home
    assert "Show my code" in home
    assert "for now" not in home


def test_a_researchers_no_after_a_pilot_ends_the_stay(owner):
    guest = entered(crowd_study(owner, steps=[PILOT]))
    assert Walk(guest.client, guest.study).attempt("pilot", WRONG) == "waiting"
    late(guest, hours=1)
    end_overdue()
    assert guest.stay.outcome == ""  # they wait for the researcher
    assert guest.stay.due_at > timezone.now()
    researcher = Client()
    researcher.force_login(owner)
    waiting = StepPassage.objects.get(outcome="waiting")
    researcher.post(f"/studies/study/funnel/{waiting.pk}/", {"decision": "stop"})
    assert (guest.stay.outcome, guest.stay.code) == ("failed", "CFAIL1")


def test_the_halted_page_offers_the_end_if_it_was_missed(owner, monkeypatch):
    guest = entered(crowd_study(owner, steps=[SCREEN]))
    monkeypatch.setattr("parts.way_in.views.step_pages.settle", lambda rater: None)
    Walk(guest.client, guest.study).post("screen", **{**FITTING, "reply-native": "no"})
    assert guest.stay.outcome == ""
    assert "Finish and get my code" in texts(guest.client.get("/studies/study/way-in/"))
    guest.finish()
    assert guest.stay.outcome == "screened_out"


@pytest.mark.parametrize("steps", [[], [CONSENT]])
def test_leaving_shows_the_code_once_and_erases_person_and_ids(owner, steps):
    guest = entered(crowd_study(owner, steps=steps))
    if not steps:
        guest.work(1)
    assert "Leave" in texts(guest.client.get("/my-data/"))
    page = guest.client.post("/studies/study/leave/")
    assert page.status_code == 200
    assert "CGONE1" in texts(page)
    assert "Sign out" not in texts(page)
    assert "submissions/complete?cc=CGONE1" in page.content.decode()
    assert not CrowdId.objects.exists()
    assert not CrowdBrowser.objects.exists()
    assert not CrowdStay.objects.exists()
    assert not Slot.objects.filter(study=guest.study, state="held").exists()
    assert not Annotation.objects.exists()
    assert "pid1" not in everything()


@pytest.mark.parametrize("rule", ["keep", "erase"])
def test_leaving_is_no_way_to_try_again_or_to_get_a_second_code(owner, rule):
    study = crowd_study(owner, steps=[CONSENT | {"on_withdrawal": rule}, SCREEN])
    other = crowd_study(owner, slug="other")
    guest = entered(study)
    Walk(guest.client, study).consent()
    Walk(guest.client, study).post("screen", **{**FITTING, "reply-native": "no"})
    assert guest.stay.outcome == "screened_out"
    assert "You cannot join this study again." in texts(guest.client.get("/studies/study/leave/"))
    guest.client.post("/studies/study/leave/")
    again = Guest(study)
    for ids in (prolific_ids(), prolific_ids(SESSION_ID="another")):
        page = again.enter(ids)
        assert (page.status_code, "You cannot join this study any more." in texts(page)) == (422, True)
    assert "_auth_user_id" not in again.client.session
    assert "pid1" not in everything()
    assert entered(study, 2).stay.outcome == ""
    assert entered(other).stay.outcome == ""


def test_leaving_by_the_rule_keep_keeps_the_outcome_without_a_person(owner):
    guest = entered(crowd_study(owner, steps=[CONSENT | {"on_withdrawal": "keep"}]))
    Walk(guest.client, guest.study).consent()
    guest.client.post("/studies/study/leave/")
    stay = CrowdStay.objects.select_related("rater").get()
    assert (stay.outcome, stay.rater.person) == ("withdrawn", None)
    assert not CrowdId.objects.exists()
    researcher = Client()
    researcher.force_login(owner)
    assert "Withdrawn" in texts(researcher.get("/studies/study/submissions/"))


def test_a_stay_whose_time_is_over_ends_and_its_task_is_free_again(owner):
    study = crowd_study(owner)
    guest = entered(study)
    guest.work(1)
    guest.client.post("/studies/study/next/")
    assert held_by(guest.stay.rater_id) == 1
    assert end_overdue() == 0
    late(guest, minutes=1)
    assert end_overdue() == 1
    assert end_overdue() == 0
    stay = guest.stay
    assert (stay.outcome, stay.code, held_by(stay.rater_id)) == ("timed_out", "CLATE1", 0)
    assert Slot.objects.filter(study=study, state="open").count() == 3
    assert guest.client.post("/studies/study/next/")["Location"] == "/studies/study/end/"
    assert "CLATE1" in texts(guest.outcome())
    assert "The time for this study is over" in texts(guest.outcome())
    assert "Show my code" in texts(guest.client.get("/"))


def test_workers_end_stays_by_themselves():
    assert sweeps()["crowd_stays"].run is end_overdue


def test_who_has_done_everything_has_completed_the_study_also_without_the_last_press(owner):
    guest = entered(crowd_study(owner))
    guest.work()
    late(guest, minutes=1)
    end_overdue()
    assert guest.stay.outcome == "complete"


def test_who_finds_no_task_gets_the_code_of_those_who_could_not_take_part(owner):
    study = crowd_study(owner)
    for number in (0, 1):
        other = Rater.objects.create(study=study, name=f"r{number}")
        Slot.objects.filter(study=study, number=number).update(state="filled", holder=other)
    guest = entered(study)
    guest.work(0)
    guest.finish()
    assert guest.stay.outcome == "screened_out"


def test_who_is_given_no_more_tasks_has_failed(owner):
    guest = entered(crowd_study(owner))
    guest.work(1)
    Slot.objects.filter(state="held").update(state="open", holder=None, lease_until=None)
    Rater.objects.filter(pk=guest.stay.rater_id).update(paused_at=timezone.now())
    guest.finish()
    assert guest.stay.outcome == "failed"


def test_a_study_that_is_closed_ends_stays_with_answers_as_complete(owner):
    guest = entered(crowd_study(owner))
    guest.work(1)
    Study.objects.update(status="closed")
    guest.finish()
    assert guest.stay.outcome == "complete"


def test_an_outcome_is_final(owner):
    study = crowd_study(owner)
    guest = entered(study)
    guest.work()
    guest.finish()
    stay = guest.stay
    rater = Rater.objects.select_related("person").get(pk=stay.rater_id)
    assert not end_stay(study, rater, "failed", timezone.now(), actor=None)
    for change in ({"outcome": "failed"}, {"code": "X"}, {"ended_at": timezone.now()}):
        with pytest.raises(IntegrityError), transaction.atomic():
            CrowdStay.objects.filter(pk=stay.pk).update(**change)
    assert guest.stay.code == "CDONE1"


def test_a_rater_who_is_included_again_gets_no_tasks_after_the_end_of_their_stay(owner):
    guest = entered(crowd_study(owner))
    guest.work(1)
    exclusion = exclude(Rater.objects.select_related("study").get(pk=guest.stay.rater_id), "Hasty.", owner)
    end_exclusion(exclusion, "A mistake.", owner)
    assert Rater.objects.get(pk=guest.stay.rater_id).paused_at is None
    late(guest, minutes=1)
    end_overdue()
    exclusion = exclude(Rater.objects.select_related("study").get(pk=guest.stay.rater_id), "Hasty.", owner)
    end_exclusion(exclusion, "A mistake.", owner)
    assert guest.client.post("/studies/study/next/")["Location"] == "/studies/study/end/"


def test_each_person_has_a_code_of_their_own_where_the_recruiter_allows_it(owner, monkeypatch):
    study = crowd_study(owner, recruiter=GENERIC)
    codes = []
    for number in (1, 2):
        guest = Guest(study)
        guest.enter({"pid": f"p{number}", "sub": "s"})
        guest.work()
        if number == 2:
            monkeypatch.setattr("parts.crowds.ending.new_code", iter([codes[0], "FRESHCODE123"]).__next__)
        guest.finish()
        codes.append(guest.stay.code)
        page = guest.outcome().content.decode()
        assert f"https://panel.example/back?code={guest.stay.code}&amp;who=p{number}&amp;how=complete" in page
    assert codes[1] == "FRESHCODE123"
    assert len(codes[0]) == 12
    assert Guest(study).client.get(f"/studies/study/outcome/?code={codes[0]}").status_code == 302  # to sign in


@pytest.mark.thorough
def test_a_million_guesses_hit_no_own_code():
    made = {new_code() for _ in range(1000)}
    assert len(made) == 1000
    guesses = random.Random(0)
    assert not any("".join(guesses.choices(LETTERS, k=CODE_LETTERS)) in made for _ in range(1_000_000))


def test_an_outcome_without_a_code_has_no_way_back_with_an_empty_one(owner):
    guest = entered(crowd_study(owner, recruiter={**PROLIFIC, "codes": {"complete": "CDONE1"}}, steps=[SCREEN]))
    Walk(guest.client, guest.study).post("screen", **{**FITTING, "reply-native": "no"})
    page = guest.outcome()
    assert "submissions/complete" not in page.content.decode()
    assert "There is no code for this" in texts(page)


def test_what_the_desk_asks_of_the_database_does_not_grow(owner):
    """The end page asks one more statement in studies with links, and none in others."""
    study = crowd_study(owner)
    guest = entered(study)
    guest.work()
    with_links = _statements(guest.client, "end")
    Study.objects.update(recruiting={})
    assert with_links == _statements(guest.client, "end") + 1


def test_a_task_of_a_participant_asks_no_more_than_that_of_others(owner):
    study = crowd_study(owner)
    guest = entered(study)
    guest.work(0)
    page = guest.client.post("/studies/study/next/")["Location"]
    with CaptureQueriesContext(connection) as with_links:
        assert guest.client.get(page).status_code == 200
    Study.objects.update(recruiting={})
    with CaptureQueriesContext(connection) as without:
        assert guest.client.get(page).status_code == 200
    assert len(with_links.captured_queries) == len(without.captured_queries)


def _statements(client, page):
    with CaptureQueriesContext(connection) as counted:
        assert client.get(f"/studies/study/{page}/").status_code == 200
    return len(counted.captured_queries)


def archive(study):
    Study.objects.filter(pk=study.pk).update(status="closed", archived_at=timezone.now())


@pytest.mark.thorough
def test_late_stays_of_archived_studies_end_and_keep_no_others_waiting(owner):
    old, live = crowd_study(owner, slug="old"), crowd_study(owner)
    people = Person.objects.bulk_create([Person(username=f"old-{number}") for number in range(AT_ONCE)])
    raters = Rater.objects.bulk_create(
        [Rater(study=old, name=one.username, kind="human", person=one, admitted=True) for one in people]
    )
    now = timezone.now()
    CrowdStay.objects.bulk_create(
        [CrowdStay(study=old, rater=one, source="recruiter", entered_at=now, due_at=now - timedelta(hours=2))
         for one in raters]
    )  # fmt: skip
    archive(old)
    guest = entered(live, 99)
    late(guest, hours=1)
    assert [end_overdue() for _ in range(3)] == [AT_ONCE, 1, 0]
    assert guest.stay.outcome == "timed_out"
    assert set(CrowdStay.objects.filter(study=old).values_list("outcome", flat=True)) == {"screened_out"}


@pytest.mark.parametrize("change", [{"being_erased": True}, {"pending_import": True}])
def test_late_stays_that_cannot_be_ended_now_keep_no_others_waiting(owner, monkeypatch, change):
    monkeypatch.setattr("parts.crowds.ending.AT_ONCE", 1)
    old, live = crowd_study(owner, slug="old"), crowd_study(owner)
    stuck, guest = entered(old, 1), entered(live, 2)
    late(stuck, hours=2)
    late(guest, hours=1)
    if "pending_import" in change:
        change = {"pending_import": PendingImport.objects.create(slug="old", moved_at=timezone.now())}
    Study.objects.filter(pk=old.pk).update(**change)
    end_overdue()
    assert (stuck.stay.outcome, guest.stay.outcome) == ("", "timed_out")


@pytest.mark.parametrize(("answers", "outcome", "code"), [(1, "complete", "CDONE1"), (0, "screened_out", "CSCREEN1")])
def test_who_finishes_after_the_study_was_archived_gets_the_code(owner, answers, outcome, code):
    guest = entered(crowd_study(owner))
    guest.work(answers)
    archive(guest.study)
    assert guest.finish()["Location"] == "/studies/study/outcome/"
    assert (guest.stay.outcome, guest.stay.code) == (outcome, code)
    assert code in texts(guest.outcome())
    assert held_by(guest.stay.rater_id) == 0
